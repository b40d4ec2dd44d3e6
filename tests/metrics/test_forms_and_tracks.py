"""Messages in other forms, notes of several kinds and failures with a policy, wherever numbers and words reach them."""

from __future__ import annotations

from typing import ClassVar

import memviz
from memviz import Fate, Message, ModelError, Run, ScriptedModel
from memviz.core.forms import ClearedResults
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Notes, Piece
from memviz.dashboard.words.authors import message_facts_words
from memviz.dashboard.words.compactions import compaction_words, retry_words
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.requests import limit_rule
from memviz.metrics.answer_sources import find_answer_source
from memviz.metrics.requests.request_table import list_left_messages
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import life_lines
from memviz.metrics.retention.message_facts import MessageFacts, find_message_facts
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.events import (
    count_request_sizes,
    count_tokens_in_force,
    join_text_in_force,
    list_compaction_events,
)
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.transcripts.base import Probe
from tests.engine.probes import Digest, talk
from tests.metrics.looked_up import looked_up

CODE = Probe("Which code?", ("QX7R4M",), (2,), "single fact")
WORD = Probe("Which word?", ("xyzzy",), (4,), "single fact")


class Limited(memviz.strategy("clear_tool_results").__class__):  # type: ignore[misc]
    """Clears, and has a limit."""

    @property
    def budget_tokens(self) -> int:
        return self.trigger_tokens


class Told(Strategy):
    """Notes of two kinds, one of them inside the system prompt, about all but the newest messages."""

    trigger: ClassVar[Trigger] = Trigger.REQUEST
    policy: str = "leave"
    role: str = "system"
    keep: int = 3

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        if memory.pending <= 4:
            return ()
        taken = range(memory.cursor, memory.length - self.keep)
        tracks = ("digest", "facts")
        return tuple(
            Write(
                taken,
                taken.stop,
                "told",
                memory.head(track),
                track,
                on_failure=self.policy,
            )  # type: ignore[arg-type]
            for track in tracks
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        digest, facts = memory.notes_of("digest"), memory.notes_of("facts")
        return (
            *(
                [Notes(digest.start, digest.stop, "message", self.role)]
                if digest
                else []
            ),
            Messages(memory.cursor, memory.length),
            *([Notes(facts.start, facts.stop, "behind system")] if facts else []),
        )


def cleared() -> Run:
    said = looked_up("the code is QX7R4M", "the word is xyzzy", "nothing")
    strategy = memviz.strategy("clear_tool_results", trigger_tokens=5, keep_results=1)
    return memviz.replay(said, strategy, counter="chars4")


def test_a_fact_in_a_cleared_result_is_lost_by_the_clearing_that_took_it() -> None:
    run = cleared()
    found = retention(run, [CODE, WORD])
    assert [Knowledge(state) for state in found.states[:, 0]] == [
        Knowledge.NOT_BORN,
        Knowledge.VERBATIM,
        Knowledge.VERBATIM,
        Knowledge.VERBATIM,
    ], "its call still names it"
    assert not found.evidence[2:, 0].any()
    whole = memviz.strategy(
        "clear_tool_results", trigger_tokens=5, keep_results=1, clear_arguments=True
    )
    run = memviz.replay(
        looked_up("the code is QX7R4M", "the word is xyzzy", "nothing"),
        whole,
        counter="chars4",
    )
    found = retention(run, [CODE, WORD])
    assert [Knowledge(state) for state in found.states[:, 0]][1:] == [
        Knowledge.VERBATIM,
        Knowledge.LOST,
        Knowledge.LOST,
    ]
    lives = life_lines(run, found)
    assert [
        (life.lost_by, run.compactions[life.lost_by or 0].kind) for life in lives
    ] == [
        (0, "cleared"),
        (1, "cleared"),
    ]


def test_what_left_is_said_to_be_cleared_and_what_is_left_of_it_counts() -> None:
    run = cleared()
    assert list_left_messages(run, range(2, 3)) == [(2, Fate.CLEARED)]
    again = Probe("How is it said?", ("[cleared]",), (2,), "single fact")
    assert find_message_facts(run.requests[2], 2, [again, CODE]) == MessageFacts(
        (), (), (CODE,), left=(again,)
    )
    assert (
        message_facts_words(find_message_facts(run.requests[2], 2, [again]))
        == "What is left of it still says: [cleared]."
    )


def test_a_rule_that_clears_does_not_summarize() -> None:
    strategy = Limited(trigger_tokens=900)
    assert (
        limit_rule(strategy)
        == "clears when all messages, the cleared ones uncleared pass 900 tokens"
    )
    words = compaction_words(cleared().compactions[0], cleared())
    assert words.what == "Cleared tool results: message 3"


def test_several_kinds_of_notes_are_in_force_together() -> None:
    run = memviz.replay(
        talk(4),
        Told(),
        model=ScriptedModel(["One.", "Facts.", "Two.", "More facts."]),
        counter="chars4",
    )
    events = list_compaction_events(run)
    assert [join_text_in_force(run, event) for event in events] == [
        "One.",
        "One.\n\nFacts.",
        "Two.\n\nFacts.",
        "Two.\n\nMore facts.",
    ]
    assert [count_tokens_in_force(run, event) for event in events] == [1, 2, 2, 3]
    sizes = [count_request_sizes(event.compaction, run) for event in events]
    assert [two.before_tokens for two in sizes[1::2]] == [
        one.after_tokens for one in sizes[::2]
    ]
    assert sizes[1].after_tokens == run.requests[2].total_tokens


def test_notes_inside_the_system_prompt_are_a_summary() -> None:
    model = ScriptedModel(["One.", "The code is QX7R4M."])
    run = memviz.replay(talk(3), Told(), model=model, counter="chars4")
    context = run.requests[-1].context
    assert "QX7R4M" in context.messages[0].content
    assert find_answer_source(context, "Which code?", "It is QX7R4M.").kind == "summary"
    typed = Probe("Which code?", ("QX7R4M",), (), "single fact")
    assert retention(run, [typed]).states[-1].tolist() == [Knowledge.SUMMARY]


def test_the_first_message_may_be_a_note_in_the_users_name() -> None:
    ending = [*talk(4), Message("user", "So?")]
    kinds = []
    for role in ("system", "user"):
        run = memviz.replay(
            ending, Told(role=role, keep=2), model=Digest(), counter="chars4"
        )
        assert run.log[run.requests[-1].parts.messages[0].start].role == "assistant"
        kinds.append({warning.kind for warning in health_warnings(run)})
    assert "assistant_first" in kinds[0] - kinds[1]


def test_after_a_failure_it_is_said_what_the_rule_does() -> None:
    said = {}
    for policy in ("leave", "drop"):
        model = ScriptedModel([ModelError("down")] * 9)
        run = memviz.replay(talk(4), Told(policy=policy), model=model, counter="chars4")
        failed = next(one for one in run.compactions if one.error)
        warning = next(
            one for one in health_warnings(run) if one.kind == "failed_summarization"
        )
        said[policy] = (
            compaction_words(failed, run).result,
            retry_words(run, failed),
            warning.numbers,
        )
    assert all("Nothing was lost" in text for text in said["leave"])
    assert not any("Nothing was lost" in text for text in said["drop"])
    assert all("left out" in text or "leaves out" in text for text in said["drop"])


def test_a_form_says_what_it_does_to_a_message() -> None:
    run = cleared()
    sent = run.log.sent(2, ClearedResults())
    assert sent.content == "[cleared]"
    assert run.requests[-1].context.messages.count(sent) == 1
