"""Files with places spoilt, and what has to hold when they are read."""

import json

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file, load_transcript, to_json
from memviz.transcripts.loading import UNFORESEEN

TOKENS = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b'"',
    b"{",
    b"]",
    b"\\ud800",
    b"NaN",
    b"1e999",
    b"null",
    b"\n",
    b"[[[[",
    b"9" * 5000,
]

MUTATIONS = 44
"""Of every sample of every format."""
MANY_MAPPED = 5_000
"""Spoilt files and mappings that are read by the mappings that we know, spoilt or guessed."""
MANY_EXCHANGES = 600
"""Of each API that the proxy reads: with odd values, and as many with broken bodies."""
MANY_TRACES = 1_200
"""For each way to name the attributes of a span."""


def read(data, format=None):
    """Read it, and check that what was read can be saved, encoded and read again the same."""
    try:
        loaded = load_file(data, format)
    except TranscriptError as error:
        foreseen(error)
        return None
    for failure in loaded.failures:
        foreseen(failure)
    transcript = loaded.whole(0)
    saved = to_json(transcript).encode()
    again = load_transcript(saved, "memviz")
    assert again.messages == transcript.messages
    assert again.probes == transcript.probes
    assert all(len(warning) < 1000 for warning in transcript.warnings)
    return transcript


def foreseen(error):
    """A sentence for the user that a reader meant to give: no error of its own that was caught at last."""
    str(error).encode()
    assert error.template not in ("", UNFORESEEN), error
    assert error.remedy


def mutated(data, random):
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(5)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            del data[at : at + random.randint(1, 20)]
        elif kind == 2:
            data[at:at] = random.choice(TOKENS)
        elif kind == 3:
            start = random.randrange(len(data) + 1)
            data[at:at] = data[start : start + random.randint(1, 60)]
        elif at < len(data):
            data[at] ^= 1 << random.randrange(8)
    return bytes(data)


def spoilt(value, random):
    """The value with one of its parts replaced by something of another kind, which stays JSON."""
    if isinstance(value, (dict, list)) and value and random.random() < 0.85:
        key = (
            random.choice(list(value))
            if isinstance(value, dict)
            else random.randrange(len(value))
        )
        copy = value.copy()
        copy[key] = spoilt(value[key], random)
        return copy
    return random.choice(
        [
            None,
            True,
            0,
            -1,
            10**400,
            1e300,
            "",
            "x",
            "2025-13-45",
            [],
            {},
            [[]],
            {"role": 1},
            ["a", 1],
        ]
    )


def spoilt_file(data, random):
    """The JSON of a file, or of one of its lines, spoilt in one place; ``None`` for a file of another kind."""
    try:
        return json.dumps(spoilt(json.loads(data), random)).encode()
    except ValueError:
        pass
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    try:
        lines[at] = json.dumps(spoilt(json.loads(lines[at]), random)).encode()
    except ValueError:
        return None
    return b"\n".join(lines)
