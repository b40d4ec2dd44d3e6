"""Whatever a file holds and whatever a mapping says: a transcript, or a sentence. Nothing else, in bounded time."""

import json
from random import Random
from time import process_time

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import formats, load_file
from memviz.transcripts.document import Document
from memviz.transcripts.mapping.declaration import read_mapping
from memviz.transcripts.mapping.guess import guess_mapping
from memviz.transcripts.mapping.known import known_mappings
from tests.transcripts.fuzzing import (
    MANY_MAPPED,
    foreseen,
    mutated,
    read,
    spoilt,
    spoilt_file,
)
from tests.transcripts.sample_files import format_of, sample_files

MAPPED = {
    name: data
    for name, data in sample_files().items()
    if formats()[format_of(name)].is_mapping
}
KNOWN = {mapping.format: mapping for mapping in known_mappings()}
QUICK = 300
PARTS = 8
HANG_SECONDS = 5


def spoilt_mapping(random):
    """The YAML of a known mapping with one place spoilt, or some of its letters."""
    mapping = random.choice(list(KNOWN.values()))
    if random.random() < 0.3:
        return mutated(mapping.to_yaml().encode(), random)
    value = mapping.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(spoilt(value, random)).encode()


def read_by(text, data):
    try:
        mapping = read_mapping(text)
        loaded = load_file(data, mapping=mapping)
    except TranscriptError as error:
        foreseen(error)
        return
    for failure in loaded.failures:
        foreseen(failure)


def check(count, seed):
    random = Random(seed)
    names = list(MAPPED)
    for number in range(count):
        name = random.choice(names)
        start = process_time()
        data = spoilt_file(MAPPED[name], random) or mutated(MAPPED[name], random)
        if number % 3 == 0:
            read(data, random.choice([None, format_of(name)]))
        elif number % 3 == 1:
            read_by(spoilt_mapping(random), random.choice([data, MAPPED[name]]))
        else:
            try:
                read_by(guess_mapping(Document(data)).to_yaml(), data)
            except TranscriptError as error:
                foreseen(error)
        assert process_time() - start < HANG_SECONDS, (name, number)


def test_spoilt_files_and_mappings_are_a_sentence():
    check(QUICK, "quick")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many_spoilt_files_and_mappings_are_a_sentence(part):
    check(MANY_MAPPED // PARTS, part)
