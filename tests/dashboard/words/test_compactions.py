"""What a compaction is called, by hand."""

from __future__ import annotations

from dataclasses import replace

import memviz
from memviz import Message, ModelError, ScriptedModel
from memviz.dashboard.words.compactions import (
    act_words,
    compaction_words,
    event_turn_table_words,
    event_turn_words,
    name_counted_amount,
)
from memviz.metrics.summaries.events import list_compaction_events

# Tokens as chars4 counts. With buffer_size 1, messages 1-2 are summarized when the third comes.
SIZES = (10, 20, 10, 20, 1, 1)
MESSAGES = [
    Message(("user", "assistant")[at % 2], "x" * 4 * size)
    for at, size in enumerate(SIZES)
]


def sentences(*answers: str | ModelError) -> list[str]:
    run = memviz.replay(
        MESSAGES,
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel(answers),
        counter="chars4",
    )
    assert len(run.compactions) == len(answers)
    return [
        compaction_words(compaction, run).sentence for compaction in run.compactions
    ]


def test_a_summarization_says_what_where_why_and_with_which_result() -> None:
    first, second = sentences("s" * 8, "t" * 8)
    assert first == (
        "Summarized messages 1 to 2 before the request of turn 2, after message 3 (messages not yet summarized: "
        "3 messages > 2, twice the 1 that stays). The request: 55 → 31 tokens."
    )
    assert second.startswith(
        "Summarized messages 3 to 4 before the request of turn 3, after message 5 ("
    )


def test_one_that_failed_says_why() -> None:
    for error in ("down", "down."):
        assert sentences("s", ModelError(error))[1].endswith(
            ". down. Nothing was lost."
        )
    assert sentences("s", ModelError("down"))[1].startswith(
        "Summarizing messages 3 to 4 failed before the request of turn 3, after message 5 ("
    )


def test_without_a_summarizer_messages_are_dropped() -> None:
    run = memviz.replay(
        MESSAGES,
        memviz.strategy("chat_summary_buffer", token_limit=30),
        model=None,
        counter="chars4",
    )
    words = compaction_words(run.compactions[0], run)
    assert words.what.startswith("Dropped message")
    assert words.what.endswith(" without a summary")


def test_a_sentence_without_a_reason_has_no_brackets() -> None:
    run = memviz.replay(
        MESSAGES,
        memviz.strategy("chat_summary_buffer", token_limit=30),
        model=None,
        counter="chars4",
    )
    assert (
        compaction_words(run.compactions[0], run)
        ._replace(why="")
        .happened.endswith("after message 3")
    )


def test_a_limit_is_named_only_where_it_was_what_counted() -> None:
    strategy = memviz.strategy("fifo_facts")
    assert (
        name_counted_amount(strategy, "1,500 tokens > 1,400")
        == "messages word for word: 1,500 tokens > 1,400"
    )
    assert name_counted_amount(strategy, "54 facts > 50") == "54 facts > 50"


def test_a_turn_is_a_number_where_a_heading_says_that_it_is_one() -> None:
    run = memviz.replay(
        MESSAGES,
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel(["s", "t"]),
        counter="chars4",
    )
    event = list_compaction_events(run)[0]
    assert event_turn_words(event) == "turn 2"
    assert event_turn_table_words(event) == "2"
    in_calls = event._replace(request=(6, 3, 4))
    assert event_turn_words(in_calls) == "turn 6, call 3"
    assert event_turn_table_words(in_calls) == "6, call 3"
    last = event._replace(request=None)
    after = f"after turn {event.compaction.turn}"
    assert event_turn_words(last) == event_turn_table_words(last) == after


def test_what_took_a_fact_is_named_by_what_it_did() -> None:
    run = memviz.replay(
        MESSAGES,
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel(["s", "t"]),
        counter="chars4",
    )
    summarized = run.compactions[0]
    assert act_words(summarized).open == "Open this summarization"
    cleared = act_words(replace(summarized, kind="cleared", written=None))
    assert cleared.lost == "Lost by clearing"
    assert cleared.left_it_out.format(
        messages="messages 1 to 2", after="3", because=""
    ) == ("the clearing of messages 1 to 2 after message 3 left it out")
