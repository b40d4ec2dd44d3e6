"""Conversations of a human and an assistant in one text."""

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript
from tests.transcripts.readers.openai_files import (
    as_json,
    recognised,
    said,
    sample,
    samples,
    survives_junk,
)


def test_turns_keep_their_text_with_blank_lines_inside():
    first, _ = samples("hh_rlhf__rows.jsonl").transcripts
    assert said(first) == [
        ("user", "My cat is called Pixel."),
        ("assistant", "A lovely name!\n\nIs it a pun?"),
        ("user", "Yes."),
        ("assistant", "I see."),
    ]
    assert first.warnings == ("the text that was not chosen was left out: line 1.",)


def test_a_last_reply_that_is_empty_is_said():
    _, second = samples("hh_rlhf__rows.jsonl").transcripts
    assert said(second) == [("user", "Say nothing.")]
    assert second.warnings == (
        "a last reply that is empty was left out: line 2, chosen.",
        "the text that was not chosen was left out: line 2.",
    )


def test_one_text_called_transcript():
    assert said(sample("hh_rlhf__transcripts.json")) == [
        ("user", "Where is the key?"),
        ("assistant", "Under the mat.\n"),
    ]


def test_the_task_is_the_description():
    assert sample("hh_rlhf__transcripts.json").description == "Ask for a key."


def test_a_text_that_begins_in_its_prompt():
    assert said(sample("hh_rlhf__prompt.jsonl")) == [
        ("user", "Name a tree."),
        ("assistant", "Oak."),
    ]


def test_one_speaker_twice_and_names_inside_a_line():
    text = "Human: Say it.\n\nHuman: Now.\n\nAssistant: The Human: label, or\nHuman: this one."
    assert said(load_transcript(as_json({"chosen": text, "rejected": text}))) == [
        ("user", "Say it."),
        ("user", "Now."),
        ("assistant", "The Human: label, or\nHuman: this one."),
    ]


def test_a_text_in_which_nobody_speaks():
    data = as_json([{"chosen": "Just text.", "rejected": ""}])
    assert recognised(data) == []
    with pytest.raises(TranscriptError, match="index 0: it has no text in which"):
        load_transcript(data, "hh_rlhf")


def test_junk_anywhere():
    assert survives_junk("hh_rlhf") > 50
