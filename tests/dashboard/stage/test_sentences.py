"""Sentences of the stage hold the numbers of the run, and mark them."""

from __future__ import annotations

import pytest

import memviz
from memviz import ModelError, Recall, Run, ScriptedModel
from memviz.dashboard.stage.events import (
    compaction_sentence,
    dropped_sentence,
    loss_sentence,
    recall_sentence,
)
from memviz.dashboard.words.compactions import size_words
from memviz.transcripts.samples import sample
from tests.tables import for_each


@pytest.fixture(scope="module")
def run() -> Run:
    return memviz.replay(
        sample("trip"),
        memviz.strategy("summary_buffer", max_token_limit=1500),
        recalls={8: Recall(turns=[1])},
    )


def test_a_summarization_says_why_what_and_how_large(run: Run) -> None:
    third = run.compactions[2]
    held = third.reason.split(" > ")[0]
    assert compaction_sentence(run, third) == [
        "messages not yet summarized had grown to ",
        f"{held}, over the limit of 1,500",
        f". Summarized messages {third.summarized.start + 1} to {third.summarized.stop}; by now messages 1 to "
        f"{run.compactions[0].summarized.stop} went through 3 summaries. The request: ",
        size_words(third, run),
        ".",
    ]


def test_a_limit_of_twice_a_number_is_said_as_a_number() -> None:
    run = memviz.replay(sample("trip"), memviz.strategy("summary", buffer_size=6))
    assert compaction_sentence(run, run.compactions[0])[:2] == [
        "messages not yet summarized had grown to ",
        "13 messages, over the limit of 12, twice the 6 that stay",
    ]


def test_a_first_summary_was_through_none_before(run: Run) -> None:
    assert "by now" not in "".join(compaction_sentence(run, run.compactions[0]))


def test_a_failure_says_why_and_that_nothing_was_lost() -> None:
    failing = memviz.replay(
        sample("trip"),
        memviz.strategy("summary_buffer", max_token_limit=1500),
        model=ScriptedModel([ModelError("The line is dead.")] * 60),
    )
    plain = "".join(compaction_sentence(failing, failing.compactions[0]))
    assert "Summarizing messages 1 to" in plain
    assert "The line is dead. Nothing was lost." in plain


def test_a_recall_says_what_came_back_and_its_price(run: Run) -> None:
    record = next(record for record in run.requests if record.parts.recalled)
    sentence = recall_sentence(record)
    assert sentence[1] == "2 messages of turn 1"
    assert sentence[3].startswith("+")


@for_each(
    ("dropped", "words"),
    [
        ([4], "message 5 is sent no more, and nothing stands for it."),
        ([4, 5], "messages 5 to 6 are sent no more, and nothing stands for them."),
        ([0, 2, 4, 6], "4 messages are sent no more, and nothing stands for them."),
    ],
)
def test_dropped_messages_are_named(dropped: list[int], words: str) -> None:
    assert "".join(dropped_sentence(dropped)) == words


def test_a_lost_fact_is_named_with_what_took_it(run: Run) -> None:
    probes = sample("trip").probes
    number = run.number_of(run.compactions[1])
    one = loss_sentence(run, probes[:1], number)
    assert one == [
        "the fact ",
        f"“{probes[0].answers[0]}”",
        " is lost: version 2 of the summary leaves it out.",
    ]
    many = loss_sentence(run, probes[:5], None)
    assert many[0] == "5 facts "
    assert many[1].endswith(" and 2 more")
    assert many[2] == " are lost: what said so is sent no more."
