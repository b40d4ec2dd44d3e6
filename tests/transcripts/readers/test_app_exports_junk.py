"""Wrong types anywhere in the exports of chat programs and in API files: an error with a sentence, or a transcript."""

import json
from copy import deepcopy

import pytest

from memviz.errors import TranscriptError
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN, formats, load_file
from tests.transcripts.sample_files import FOLDER as SAMPLES

NAMES = ("anthropic_messages", "chatgpt_export", "claude_ai_export", "gemini_api", "open_webui", "vercel_ui")
FILES = sorted(path for name in NAMES for path in SAMPLES.glob(f"{name}__*"))
JUNK = (None, True, 0, -1.5, "", "assistant", [], {}, [None], [[]], ["x"], {"text": 3}, {"type": ["x"]}, [{"type": {}}])


def values(path):
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)


def places(value, path=()):
    """The path to every value inside a JSON value."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def replaced(value, path, junk):
    if not path:
        return junk
    out = deepcopy(value)
    at = out
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = junk
    return out


def read(value, format):
    try:
        loaded = load_file(json.dumps(value).encode(), format)
    except TranscriptError as error:
        failures = [error]
    else:
        failures = loaded.failures
        assert all(transcript.messages for transcript in loaded.transcripts)
    assert not any(UNFORESEEN in str(failure) for failure in failures), [str(failure) for failure in failures]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_junk_in_every_place(path):
    format, value = path.name.split("__")[0], values(path)
    found = list(places(value))
    for number, place in enumerate(found):
        read(replaced(value, place, JUNK[number % len(JUNK)]), format)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_without_one_of_its_values(path):
    format, value = path.name.split("__")[0], values(path)
    for place in places(value):
        if place and isinstance(place[-1], str):
            out = deepcopy(value)
            at = out
            for key in place[:-1]:
                at = at[key]
            del at[place[-1]]
            read(out, format)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("junk", JUNK)
def test_recognising_never_raises(name, junk):
    wrapped = [junk, [junk], [[junk]], {"mapping": junk, "chat": junk, "messages": junk, "contents": junk}]
    keys = ("mapping", "chat_messages", "chat", "messages", "contents", "candidates", "request", "result", "history")
    wrapped += [[{key: junk}] for key in keys] + [{key: [junk]} for key in keys]
    wrapped += [[{"role": role, "content": junk, "parts": junk}] for role in ("user", "model", junk)]
    for value in wrapped:
        document = Document(json.dumps(value).encode())
        assert formats()[name].recognise(document) in (True, False)
        read(value, name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_sample_is_of_one_format(path):
    document = Document(path.read_bytes(), path.name)
    hits = [name for name, format in formats().items() if format.recognise(document)]
    assert hits == [path.name.split("__")[0]]
