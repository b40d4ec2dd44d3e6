"""Files of OpenAI's formats for tests: how to read them, and how to spoil them."""

import json
from itertools import islice

from memviz.core.errors import TranscriptError
from memviz.transcripts import formats, load_file, load_transcript
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN
from tests.transcripts.sample_files import FOLDER as SAMPLES

NAMES = (
    "chat_request",
    "chat_response",
    "finetuning",
    "hh_rlhf",
    "openai_batch",
    "openai_responses",
    "preference",
)
JUNK = (
    None,
    True,
    -3,
    2.5,
    "",
    "junk",
    [],
    {},
    [[]],
    [None],
    {"type": "junk"},
    [{"role": "user", "content": [{}]}],
)


def as_json(value):
    return json.dumps(value).encode()


def as_lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def said(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def calls(message):
    return [(call.id, call.name, call.arguments) for call in message.tool_calls]


def recognised(data):
    """The names of all formats that take these bytes for theirs."""
    return [
        name for name, found in formats().items() if found.recognise(Document(data))
    ]


def sample(name):
    """A sample, which has to be recognised, as one transcript."""
    return load_transcript(SAMPLES / name)


def samples(name):
    """A sample, which has to be recognised, as a file of transcripts."""
    return load_file(SAMPLES / name)


def survives_junk(format, step=4):
    """Whatever stands anywhere in a sample of the format: it is read or refused, with no help of the safety net, and
    no two of these formats take it for theirs. Tries every ``step``-th spoilt file, which brings another junk to each
    place; returns how many that were."""
    tried = 0
    for path in sorted(SAMPLES.glob(f"{format}__*")):
        document = Document(path.read_bytes())
        value = (
            document.json.value
            if document.json.value is not None
            else list(document.items)
        )
        for spoilt in islice(_spoilt(value), 0, None, step):
            data = as_json(spoilt)
            assert (
                sum(formats()[name].recognise(Document(data)) for name in NAMES) <= 1
            ), data
            try:
                refused = load_file(data, format).failures
            except TranscriptError as error:
                refused = (error,)
            assert not any(error.template == UNFORESEEN for error in refused), (
                data,
                refused,
            )
            tried += 1
    return tried


def _spoilt(value):
    """The value with junk in each place, and without each key."""
    yield from JUNK
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {other: value[other] for other in value if other != key}
            yield from ({**value, key: junk} for junk in _spoilt(inner))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from (
                [*value[:index], junk, *value[index + 1 :]] for junk in _spoilt(inner)
            )
