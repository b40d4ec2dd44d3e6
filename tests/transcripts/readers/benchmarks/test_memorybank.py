"""MemoryBank: days of exchanges, summaries after them."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_transcript
from memviz.transcripts.base import RecordedEvent
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

DAY = {"2023-04-27": [{"query": "q", "response": "r"}]}


def load(**user):
    return load_transcript(json.dumps({"Ada": {"history": DAY, **user}}).encode())


def test_days_stand_in_order_with_both_shapes_of_an_exchange():
    ada, li = load_file(SAMPLES / "memorybank__users.json").transcripts
    assert [
        (message.role, message.content, message.meta[TIME][:10])
        for message in ada.messages
    ] == [
        ("user", "I like kites.", "2023-04-27"),
        ("assistant", "So do I.", "2023-04-27"),
        ("user", "Bye!", "2023-04-27"),
        ("assistant", "See you.", "2023-04-27"),
        ("user", "The kite is gone.", "2023-04-28"),
        ("assistant", "I am sorry.", "2023-04-28"),
    ]
    assert (ada.format, ada.title, ada.description, ada.warnings) == (
        "memorybank",
        "Ada",
        "hobbies: kites",
        (),
    )
    assert ada.held_at.isoformat() == "2023-04-27T00:00:00+00:00"
    assert (ada.language, li.language, li.title) == ("en", "zh", "李雷")


def test_summaries_stand_at_the_end_of_their_day():
    assert load_file(SAMPLES / "memorybank__users.json").transcripts[0].events == (
        RecordedEvent("summary", 4, "Ada likes kites."),
        RecordedEvent("summary", 6, "Ada lost a kite."),
        RecordedEvent("summary", 6, "Kites, found and lost."),
    )


def test_the_summary_of_a_day_without_messages_is_kept():
    read = load(
        summary={
            "2023-04-26": {"content": "before"},
            "2023-04-27": "that day",
            "2023-04-28": "after",
        }
    )
    assert [(event.after_message, event.text) for event in read.events] == [
        (0, "before"),
        (2, "that day"),
        (2, "after"),
    ]
    assert read.warnings == ()


@for_each("summary", [None, "", " ", 3, [], {}, {"content": 4}])
def test_empty_summaries_are_none(summary):
    assert load(summary={"2023-04-27": summary}, overall_history=summary).events == ()
    assert load(summary=summary).events == ()


@for_each(
    ("exchange", "said"),
    [
        ({"query": "a"}, ["a"]),
        ({"query": None, "response": "b"}, ["b"]),
        (["a", "b"], ["a", "b"]),
        (["a", "b", 0.5], ["a", "b"]),
        ({"query": "", "response": "b"}, ["", "b"]),
    ],
)
def test_half_an_exchange_is_what_was_said(exchange, said):
    transcript = load(history={"2023-04-27": [exchange, ["z", "z"]]})
    assert [message.content for message in transcript.messages] == [*said, "z", "z"]


@for_each("exchange", [None, 3, "x", {}, [], {"query": 3}])
def test_an_exchange_of_nothing_is_left_out_and_counted(exchange):
    transcript = load(history={"2023-04-27": [["a", "b"], exchange]})
    assert transcript.warnings == (
        "imported 2 of 3 messages: 2023-04-27, exchange 1 has neither a query nor a response.",
    )


def test_a_day_that_is_no_list_ends_the_conversation():
    with pytest.raises(
        TranscriptError,
        match="day 2023-04-28: a list of exchanges was expected, found a text",
    ):
        load(history={**DAY, "2023-04-28": "x"})


@for_each(
    ("text", "language"),
    [
        ("你好，AI伴侣。", "zh"),
        ("I said 你好 to the whole class.", "en"),
        ("東京都知事選挙結果発表の日程", "en"),
        ("123", "en"),
    ],
)
def test_only_chinese_is_recognised_as_such(text, language):
    assert load(history={"2023-04-27": [[text, text]]}).language == language


@for_each(
    "history", [{}, {"now": []}, {"2023-04-27": {}}, [], None, {"messages": {"a": 1}}]
)
def test_other_objects_are_not_claimed(history):
    with pytest.raises(TranscriptError, match="no known format"):
        load(history=history)
