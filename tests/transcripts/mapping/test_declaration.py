"""A mapping as YAML: what is written is read, what is wrong is named."""

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts.mapping.declaration import FileMapping, read_mapping
from memviz.transcripts.mapping.known import known_mappings
from tests.tables import for_each

KNOWN = {mapping.format: mapping for mapping in known_mappings()}


@for_each("name", KNOWN)
def test_a_mapping_is_the_same_after_yaml(name):
    assert read_mapping(KNOWN[name].to_yaml()) == KNOWN[name]


def test_a_small_mapping_is_a_few_lines():
    mapping = FileMapping.model_validate(
        {"speaker": {"field": "who", "user": "in", "assistant": "out"}, "text": "body"}
    )
    assert mapping.to_yaml() == (
        "speaker:\n  field: who\n  user: in\n  assistant: out\ntext: body\n"
    )


@for_each(
    ("text", "told"),
    [
        ("texxt: a", "texxt"),
        ("speaker: {field: [1, 2]}", "speaker.field"),
        ("say: [{role: king}]", "say.0.role"),
        ("- a", "names no field"),
        ("", "names no field"),
        ("a: [", "bracket"),
        ("a: &x 1\nb: *x", "aliases"),
        ("format: ../x", "format"),
        (b"\xff\xfe", "mapping cannot be read"),
        ("text: [" + "a, " * 60 + "a]", "text"),
        ("say: " + "[{say: " * 30 + "[]" + "}]" * 30, "nested"),
        ("a: " + "x" * 200_000, "larger than any mapping"),
    ],
)
def test_a_wrong_mapping_says_what_is_wrong(text, told):
    with pytest.raises(TranscriptError, match="mapping") as caught:
        read_mapping(text)
    assert told in caught.value.reason
    assert caught.value.remedy


@for_each(
    ("text", "told"),
    [
        ("texxt: a", "texxt is no field of a mapping"),
        ("reverse: perhaps", "reverse has to be true or false"),
        ("reverse: [1]", "reverse has to be true or false"),
        ("reverse: 5", "reverse has to be true or false"),
        ("rows: [1]", "rows has to be a text"),
        ("text: {a: b}", "text.0 has to be a text"),
        ("rows: " + "x" * 900, "rows is too long: at most 800 are read"),
        ("where: {" + "x" * 900 + ": a}", "is too long: at most 800 are read"),
        ("text: [" + "a, " * 60 + "a]", "text is too long: at most 50 are read"),
        (
            "say: [{role: king}]",
            "say.0.role has to be one of user, assistant, system, tool",
        ),
        ("where: a", "where has to be fields with their values"),
        ("speaker: a", "speaker has to be fields with their values"),
        ("say: a", "say has to be a list"),
        ("format: ../x", "format has to be small letters, digits and underscores"),
    ],
)
def test_what_is_wrong_is_told_in_words_of_a_mapping(text, told):
    with pytest.raises(TranscriptError) as caught:
        read_mapping(text)
    assert f"{told}." in caught.value.reason


def test_a_mapping_that_is_not_there_is_told(tmp_path):
    with pytest.raises(TranscriptError, match=r"no\.yaml"):
        read_mapping(tmp_path / "no.yaml")
