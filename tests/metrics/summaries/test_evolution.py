"""The facts of every version, by hand and against slow counting on random conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given

import memviz
from memviz import Message, ModelError, Reply, Run, ScriptedModel, ToolCall
from memviz.core.summaries import SummaryVersion
from memviz.core.text.terms import normal_forms_of_text
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.summaries.diff import diff_words, split_words
from memviz.metrics.summaries.events import (
    CompactionOutcome,
    count_tokens_in_force,
    grows_a_list,
    join_text_in_force,
    judge_outcome,
    list_compaction_events,
    never_summarizes,
)
from memviz.metrics.summaries.evolution import compare_versions
from tests.engine.probes import REPRESENTATIVES, small, talk
from tests.strategies.conversations import conversations, outcomes, summarizer
from tests.tables import for_each

WORDS = ("Porto.", "Faro.", "Lisbon.", "Coimbra.", "Braga.", "Aveiro.")


def chain(*answers: str | Reply | ModelError, **options: Any) -> Run:
    """Messages of 5 words each; 1-2 are summarized after 3, 3 after 4, and so on, one at a time."""
    said = [
        Message(("user", "assistant")[n % 2], f"Message {n} is about {word}")
        for n, word in enumerate(WORDS)
    ]
    return memviz.replay(
        said,
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel(answers),
        counter=_words,
        **options,
    )


def _words(text: str) -> int:
    return len(text.split())


def test_by_hand() -> None:
    first, second = compare_versions(
        chain("Porto, Faro.", "Porto and Madeira now.", ModelError("down"))
    )[:2]
    assert (first.version.covers, second.version.covers) == (range(0, 2), range(0, 4))
    assert (first.tokens, first.covered_tokens, first.read_tokens) == (2, 10, 10)
    assert (first.compression, first.step_compression, first.generation) == (
        5.0,
        5.0,
        1,
    )
    assert (first.previous_words, first.carried_share, first.kept_words) == (
        None,
        None,
        0,
    )
    assert first.origin == (0, 2, 0, ())
    assert (second.tokens, second.covered_tokens, second.read_tokens) == (4, 20, 12)
    assert (second.compression, second.step_compression, second.generation) == (
        5.0,
        3.0,
        2,
    )
    assert (second.kept_words, second.previous_words, second.carried_share) == (
        1,
        2,
        0.5,
    )
    assert second.novel_share == 0.75
    assert second.origin == (1, 0, 1, ("Madeira",))


def test_a_summary_copied_into_the_next_is_seen() -> None:
    texts = (
        "Porto.",
        "Previous summary: Porto. Faro.",
        "Summary of earlier conversation: previous summary: Porto.",
    )
    run = memviz.replay(
        talk(4),
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel([*texts, *["."] * 9]),
        counter=_words,
    )
    assert [fact.nested_headings for fact in compare_versions(run)][:3] == [0, 1, 2]


def test_what_happened_is_judged_by_the_record() -> None:
    run = chain("Porto.", ModelError("down"), "Faro.")
    assert [event.what for event in list_compaction_events(run)][:2] == [
        CompactionOutcome.SUMMARIZED,
        CompactionOutcome.FAILED,
    ]
    written = run.compactions[0]
    others = {
        CompactionOutcome.REWORDED: replace(written, proposed="Oporto."),
        CompactionOutcome.EDITED: replace(
            written, kind="edit", revises=1, proposed="Oporto."
        ),
        CompactionOutcome.UNDONE: replace(
            written, kind="undo", revises=1, written=None
        ),
        CompactionOutcome.SKIPPED: replace(written, kind="skip", written=None),
        CompactionOutcome.DROPPED: replace(written, kind="evicted", written=None),
        CompactionOutcome.CLEARED: replace(written, kind="cleared", written=None),
        CompactionOutcome.SHORTENED: replace(written, kind="shortened", written=None),
        CompactionOutcome.THOUGHT: replace(written, by_thinking=True),
    }
    assert {judge_outcome(compaction): what for what, compaction in others.items()} == {
        what: what for what in others
    }


def test_several_events_in_one_turn_stand_side_by_side() -> None:
    messages = [
        Message("user", "Go."),
        *[Message("assistant", f"Step {n}") for n in range(5)],
    ]
    run = memviz.replay(
        messages,
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel(["s"] * 9),
        counter=_words,
    )
    assert [event.place for event in list_compaction_events(run)] == [1.25, 1.5]


def test_a_list_is_measured_whole() -> None:
    run = memviz.replay(
        talk(3),
        small("summary_only"),
        model=ScriptedModel(["one", "two", "three"]),
        counter=_words,
    )
    events = list_compaction_events(run)
    assert [event.compaction.base for event in events] == [None] * 3
    assert [join_text_in_force(run, event) for event in events] == [
        run.space.summaries.text(0, n) for n in (1, 2, 3)
    ]
    assert [count_tokens_in_force(run, event) for event in events] == [
        run.space.summaries.tokens(0, n) for n in (1, 2, 3)
    ]
    assert [fact.generation for fact in compare_versions(run)] == [1, 1, 1]


def test_a_chat_model_that_thought_had_read_the_whole_list() -> None:
    def stop(summary: str) -> Reply:
        return Reply(
            "",
            tool_calls=(
                ToolCall(
                    "t",
                    "continue_thinking",
                    f'{{"continue_thinking": false, "summary": "{summary}"}}',
                ),
            ),
        )

    stops = [
        stop(summary) for summary in ("Porto.", "Faro.", "Porto, Faro, Braga, Madeira.")
    ]
    chat = memviz.Chat(
        memviz.strategy("summary_only", enable_reflective_thinking=True),
        summarizer="offline",
        counter="chars4",
        model=ScriptedModel(
            [answer for stopped in stops for answer in (stopped, "Yes.")]
        ),
    )
    for text in ("Porto?", "Faro?", "Braga?"):
        chat.send(text)
    last = compare_versions(chat.run)[-1]
    assert last.event.what is CompactionOutcome.THOUGHT
    assert last.origin == (2, 1, 1, ("Madeira",))


@given(messages=conversations(), plan=outcomes)
@for_each("id", REPRESENTATIVES)
def test_facts_equal_slow_counting(
    id: str, messages: list[Message], plan: list[str]
) -> None:
    run = memviz.replay(messages, small(id), model=summarizer(plan), counter="chars4")
    facts = compare_versions(run)
    assert [fact.version for fact in facts] == list(run.summaries)
    for fact in facts:
        version = fact.version
        before = run.summaries[version.replaces - 1] if version.replaces else None
        assert fact.covered_tokens == _tokens(run, version.covers)
        assert fact.read_tokens == _tokens(run, version.added) + (
            before.tokens if before else 0
        )
        assert fact.generation == _chain(run, version)
        assert fact.words == len(split_words(version.text))
        assert fact.previous_words == (
            len(split_words(before.text)) if before else None
        )
        assert fact.kept_words == (
            diff_words(before.text, version.text).words("kept") if before else 0
        )
        own, old = (
            normal_forms_of_text(version.text),
            normal_forms_of_text(before.text) if before else frozenset(),
        )
        new = frozenset().union(
            *(
                normal_forms_of_text(read_message(run.log[position]))
                for position in version.added
            )
        )
        assert fact.origin[:2] == (len(own & old), len((own - old) & new))
        assert fact.origin.nowhere <= len(own - old - new)


def _tokens(run: Run, positions: Sequence[int]) -> int:
    return sum(run.counter(run.log[position].content) for position in positions)


@for_each("id", REPRESENTATIVES)
def test_who_never_summarizes_and_who_grows_a_list(id: str) -> None:
    run = memviz.replay(
        talk(8), small(id), model=ScriptedModel(["summary"] * 30), counter=_words
    )
    if id != "langchain_summarization":  # its limits are not made small here
        assert never_summarizes(run) == (not run.compactions)
    lists = ("recent_only", "summary_only", "facts_store", "fact_graph")
    assert grows_a_list(run) == (id in lists)


def _chain(run: Run, version: SummaryVersion) -> int:
    """How many summaries one meets on the way to the first."""
    return 1 + (
        _chain(run, run.summaries[version.replaces - 1]) if version.replaces else 0
    )
