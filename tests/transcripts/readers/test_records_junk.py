"""Records with values of the wrong type anywhere: a transcript or a TranscriptError, and never the safety net."""

import json
from copy import deepcopy
from random import Random

import pytest

from memviz.errors import TranscriptError
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN, formats, load_file
from tests.transcripts.sample_files import FOLDER as SAMPLES

NAMES = ("sharegpt", "locomo", "longmemeval", "tau_bench", "swe_agent", "oasst", "memorybank")
FILES = sorted(path for path in SAMPLES.iterdir() if path.name.split("__")[0] in NAMES)
JUNK = [
    None,
    True,
    -1,
    2.5,
    10**30,
    "",
    "x",
    "D1:1",
    "2023-04-27",
    [],
    [[]],
    {},
    [None],
    {"id": []},
    [{"role": []}],
    [3, "y"],
]


def values_of(path):
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line] if path.suffix == ".jsonl" else json.loads(text)


def slots(value):
    """Every container in a JSON value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from slots(value[key])


def read_without_net(data, name):
    loaded, failures = None, []
    try:
        loaded = load_file(data, name)
        failures = loaded.failures
    except TranscriptError as error:
        failures = [error]
    assert not [failure for failure in map(str, failures) if UNFORESEEN in failure]
    return loaded


def spoilt(value, random):
    value = deepcopy(value)
    for _ in range(random.randint(1, 3)):
        places = list(slots(value))
        if not places:
            break
        inside, key = random.choice(places)
        if random.random() < 0.2 and isinstance(inside, dict):
            inside[random.choice(("value", "text", "role", "history", "id", "parent_id"))] = deepcopy(
                random.choice(JUNK)
            )
        else:
            inside[key] = deepcopy(random.choice(JUNK))
    return value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_sample_is_of_one_format_and_all_of_it_is_judged(path):
    name = path.name.split("__")[0]
    random, outcomes = Random(path.name), set()
    original = values_of(path)
    assert formats()[name].recognise(Document(path.read_bytes(), path.name))
    for _ in range(150):
        data = json.dumps(spoilt(original, random)).encode()
        for known in NAMES:
            formats()[known].recognise(Document(data))
        outcomes.add(read_without_net(data, name) is None)
    assert False in outcomes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "value", [*JUNK, [{}], [[{}]], {"a": {"history": {"2023-01-01": 3}}}, {"conversation": 1}], ids=str
)
def test_a_format_that_is_forced_on_something_else_says_so(name, value):
    assert read_without_net(json.dumps(value).encode(), name) is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_other_formats_refuse_a_sample_or_judge_it(path):
    for name in NAMES:
        read_without_net(path.read_bytes(), name)
