"""Rows to fine-tune a chat model with."""

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file, load_transcript
from tests.transcripts.readers.openai_files import (
    as_json,
    as_lines,
    calls,
    recognised,
    said,
    sample,
    samples,
    survives_junk,
)

ROW = {
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
    ]
}


def test_one_conversation_a_line():
    first, second = samples("finetuning__rows.jsonl").transcripts
    assert said(first) == [
        ("system", "Be brief."),
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "Bye"),
        ("assistant", "Bye"),
    ]
    assert said(second) == [
        ("user", "Weather?"),
        ("assistant", ""),
        ("tool", "rain"),
        ("assistant", "Rain."),
    ]
    assert calls(second.messages[1]) == [("c1", "weather", '{"in": "Oslo"}')]
    assert first.warnings == second.warnings == ()


def test_the_weight_of_a_message_stays_with_it():
    first = samples("finetuning__rows.jsonl").transcripts[0]
    assert [message.meta for message in first.messages] == [
        None,
        None,
        {"weight": 0},
        None,
        {"weight": 1},
    ]


def test_a_list_of_rows():
    assert [
        len(found.messages) for found in samples("finetuning__list.json").transcripts
    ] == [2, 2]


def test_a_file_of_one_row_with_a_weight():
    assert sample("finetuning__one_row.jsonl").format == "finetuning"


def test_a_file_of_one_row_without_a_weight_is_a_request():
    assert recognised(as_lines(ROW)) == ["chat_request"]
    assert (
        recognised(as_lines(ROW, ROW)) == recognised(as_json([ROW])) == ["finetuning"]
    )


def test_one_message_a_line_is_not_one_conversation_a_line():
    assert recognised(as_lines(*ROW["messages"])) == ["role_content"]


def test_a_row_that_is_broken_is_refused_and_the_others_are_read():
    loaded = load_file(
        as_lines(ROW, {"messages": "none"}, ROW, 7, {"messages": []}), name="a.jsonl"
    )
    assert len(loaded.transcripts) == 2
    assert [str(failure) for failure in loaded.failures] == [
        "finetuning, a.jsonl, conversation 2, line 2: the messages are a text, not a list. Correct it, or remove it.",
        "finetuning, a.jsonl, conversation 4, line 4: it is a number, not an object. Correct this row, or remove it.",
        "finetuning, a.jsonl, conversation 5: the conversation has no messages. Choose one with at least one message.",
    ]


def test_a_message_that_is_none_is_said_with_its_line():
    rows = [{"messages": [*ROW["messages"], {"content": "whose?"}]}, ROW]
    assert load_file(as_lines(*rows)).transcripts[0].warnings == (
        "imported 2 of 3 messages: line 1, index 2 has no role.",
    )


def test_a_forced_format_says_what_was_expected():
    with pytest.raises(
        TranscriptError,
        match="one object with messages a line was expected, found a number",
    ):
        load_transcript(as_json(4), "finetuning")


def test_junk_anywhere():
    assert survives_junk("finetuning") > 200
