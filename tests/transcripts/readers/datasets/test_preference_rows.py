"""Rows with a preferred reply and another."""

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file, load_transcript
from tests.transcripts.readers.openai_files import (
    as_json,
    as_lines,
    recognised,
    said,
    samples,
    survives_junk,
)


def row(**fields):
    return {"rejected": [{"role": "assistant", "content": "No."}], **fields}


def test_input_and_preferred_output():
    first, second = samples("preference__openai.jsonl").transcripts
    assert said(first) == [("user", "A word for glad?"), ("assistant", "Merry.")]
    assert said(second)[2:] == [("user", "Green."), ("assistant", "It is ready.")]
    assert first.warnings == ("the reply that was not preferred was left out: line 1.",)
    assert second.warnings == (
        "the reply that was not preferred was left out: line 2.",
    )


def test_chosen_messages_with_a_prompt_within_or_before_them_which_is_never_said_twice():
    assert [
        said(found) for found in samples("preference__messages.jsonl").transcripts
    ] == [
        [("user", "What floats?"), ("assistant", "Wood.")],
        [("user", "What sinks?"), ("assistant", "Stone.")],
        [("user", "What burns?"), ("assistant", "Dry wood.")],
        [("user", "What melts?"), ("assistant", "Ice.")],
    ]


def test_a_prompt_that_is_text_before_a_reply_that_is_a_message():
    data = as_json(row(prompt="Dry?", chosen={"role": "assistant", "content": "Yes."}))
    assert said(load_transcript(data)) == [("user", "Dry?"), ("assistant", "Yes.")]


def test_texts_with_a_system_prompt():
    first, second = samples("preference__texts.json").transcripts
    assert said(first) == [
        ("user", "How many legs has a spider?"),
        ("assistant", "Eight."),
    ]
    assert (first.system_prompt, second.system_prompt) == ("Be exact.", None)


def test_rows_of_other_kinds_are_not_taken():
    assert recognised(
        as_json({"chosen": "\n\nHuman: Hi\n\nAssistant: Hello", "rejected": ""})
    ) == ["hh_rlhf"]
    assert (
        recognised(as_json({"chosen": "One sentence.", "rejected": "Another."})) == []
    )
    turns = [{"from": "human", "value": "Hi"}]
    chosen = [{"role": "assistant", "content": "Hello"}]
    assert recognised(
        as_json([{"conversations": turns, "chosen": chosen, "rejected": chosen}])
    ) == ["sharegpt"]


def test_a_row_without_a_preferred_reply_is_refused_alone():
    good = row(
        chosen=[
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
        ]
    )
    loaded = load_file(
        as_lines(good, row(), good, row(prompt="Hi", chosen=[]), good), name="a.jsonl"
    )
    assert len(loaded.transcripts) == 3
    assert [failure.reason for failure in loaded.failures] == [
        "it has no preferred reply (input and preferred_output or chosen and rejected).",
        "the preferred reply is empty.",
    ]


def test_the_input_has_to_be_messages():
    with pytest.raises(
        TranscriptError, match="input: the messages are a number, not a list"
    ):
        load_transcript(as_json({"input": 3, "preferred_output": []}), "preference")


def test_junk_anywhere():
    assert survives_junk("preference") > 200
