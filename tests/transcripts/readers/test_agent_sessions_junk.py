"""Sessions of agents with values of the wrong type anywhere: a transcript or a TranscriptError, without the net."""

import json
from copy import deepcopy
from random import Random

import pytest

from memviz.errors import TranscriptError
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN, formats, load_file
from tests.transcripts.sample_files import FOLDER

NAMES = ("letta", "claude_code", "codex", "gemini_cli")
FILES = sorted(path for path in FOLDER.iterdir() if path.name.split("__")[0] in NAMES)
JUNK = [
    None,
    True,
    0,
    -1,
    1e300,
    10**30,
    "",
    "x",
    "user",
    [],
    {},
    [1],
    {"a": 1},
    [[]],
    [{}],
    [None],
    {"text": {"text": 1}},
]
JUNK += [
    [{"type": ["x"]}],
    ["a", {"type": "text", "text": 5}],
    {"type": "text"},
    [{"type": "tool_result", "content": 1}],
]


def values_of(path):
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line] if path.suffix == ".jsonl" else json.loads(text)


def slots(value):
    """Every container in a JSON value with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from slots(value[key])


def read(data, name):
    try:
        failures = load_file(data, name).failures
    except TranscriptError as error:
        failures = (error,)
    return [failure for failure in failures if UNFORESEEN in str(failure)]


def spoilt(value, random):
    value = deepcopy(value)
    for _ in range(random.randint(1, 3)):
        if places := list(slots(value)):
            inside, key = random.choice(places)
            inside[key] = deepcopy(random.choice(JUNK))
    return value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_spoilt_samples(path):
    name, value, random = path.name.split("__")[0], values_of(path), Random(path.name)
    for _ in range(300):
        bad = spoilt(value, random)
        lines = path.suffix == ".jsonl" and isinstance(bad, list)
        data = "\n".join(map(json.dumps, bad)) if lines else json.dumps(bad)
        formats()[name].recognise(Document(data.encode()))
        assert read(data.encode(), name) == [], bad


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "junk", [*JUNK, [{"type": "user"}], [{"role": {}}, {"payload": 1}], {"messages": [], "agents": 1}]
)
def test_files_of_anything_else(name, junk):
    data = json.dumps(junk).encode()
    assert formats()[name].recognise(Document(data)) is False
    assert read(data, name) == []
