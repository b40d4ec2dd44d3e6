"""What a strategy plans and the engine does: several effects in order, failure policies, marks, tracks, fixed texts."""

from __future__ import annotations

from typing import ClassVar

import pytest

import memviz
from memviz import Fate, Message, ScriptedModel
from memviz.core.memory import Memory
from memviz.core.model_errors import UnusableSummarizerError
from memviz.core.pieces import Messages, Piece, notes
from memviz.engine.compaction import Compaction
from memviz.engine.session import Session
from memviz.engine.setting import Setting
from memviz.strategies.base import Effect, FailurePolicy, Move, Strategy, Trigger, Write
from memviz.strategies.clauses import (
    Above,
    AllOf,
    AnyOf,
    AtLeast,
    Headroom,
    MemoryAmounts,
    measure_memory,
    trigger_from,
)
from tests.engine.written_strategies import Pipeline, Tracks, talk
from tests.tables import for_each
from tests.tool_loops import loops


def kinds(compactions: tuple[Compaction, ...]) -> list[str]:
    return [
        compaction.kind if compaction.error is None else "failed"
        for compaction in compactions
    ]


def test_effects_are_carried_out_in_order_each_as_a_compaction_of_its_kind() -> None:
    run = memviz.replay(
        loops(1, 6), Pipeline(), model=ScriptedModel(["One."] * 9), counter=len
    )
    first = run.compactions[:3]
    assert kinds(first) == ["cleared", "shortened", "summarized"]
    assert [c.tokens_before for c in first[1:]] == [
        c.tokens_after for c in first[:2]
    ], "each goes on from the one before"
    assert all(c.tokens_after < c.tokens_before for c in first[:2])
    assert [c.calls for c in first] == [0, 0, 1]
    assert [c.reason for c in first] == ["too many", "still too many", "far too many"]
    changed = run.request_number(first[0])
    assert changed is not None
    assert run.requests[changed].compactions == first
    fates = {Fate(code).name for code in run.fates_at(run.requests[-1])} - {"NOT_YET"}
    assert fates == {"SUMMARIZED", "SHORTENED", "CLEARED", "VERBATIM"}


def test_a_summary_behind_the_messages_stands_there() -> None:
    run = memviz.replay(
        loops(1, 6), Pipeline(), model=ScriptedModel(["One."] * 9), counter=len
    )
    sent = [block.kind for block in run.requests[-1].context.blocks]
    assert sent == ["history", "summary", "input"]


@for_each("policy", ["leave", "drop"])
def test_what_follows_a_failure_is_the_policy_of_the_rule(
    policy: FailurePolicy,
) -> None:
    model = ScriptedModel([RuntimeError("no")] * 9)
    run = memviz.replay(
        loops(1, 6), Pipeline(on_failure=policy), model=model, counter=len
    )
    expected = [
        "cleared",
        "shortened",
        "failed",
        *(["evicted"] if policy == "drop" else []),
    ]
    assert kinds(run.compactions)[: len(expected)] == expected
    failed = run.compactions[2]
    assert failed.policy == policy
    assert failed.before.state == failed.after.state, "what failed changes nothing"
    assert (Fate.DROPPED in run.fates_at(run.requests[-1])) == (policy == "drop")
    assert len(run.log) == len(loops(1, 6)), "the log has everything"


def test_a_rule_that_raises_ends_the_replay_and_the_failure_is_on_record() -> None:
    log = memviz.core.conversation.Log(loops(1, 6))  # type: ignore[attr-defined]
    failing = ScriptedModel([RuntimeError("no")])
    setting = Setting(Pipeline(on_failure="raise"), memviz.counter(len), failing)
    session = Session(log, setting)
    session.advance(8)
    session.look_before_request()
    session.advance(9)
    with pytest.raises(UnusableSummarizerError, match="no"):
        session.look_before_request()
    assert kinds(tuple(session.compactions)) == ["cleared", "shortened", "failed"]


def test_another_effect_may_take_the_place_of_a_failed_one() -> None:
    class Falling(Pipeline):
        def plan(self, memory: Memory) -> tuple[Effect, ...]:
            planned = super().plan(memory)
            if not planned:
                return ()
            instead = Move(
                "summarized",
                planned[-1].keep_from,
                "evicted",
                "fell back",
                planned[-1].summarize,
            )
            return (Write(instead.changed, instead.to, "full", on_failure=instead),)

    run = memviz.replay(
        loops(1, 6),
        Falling(),
        model=ScriptedModel([RuntimeError("no")] * 9),
        counter=len,
    )
    assert kinds(run.compactions)[:2] == ["failed", "evicted"]
    assert (run.compactions[0].policy, run.compactions[1].reason) == (
        "instead",
        "fell back",
    )


def test_memory_at_any_turn_has_its_marks() -> None:
    run = memviz.replay(
        loops(4, 3), Pipeline(), model=ScriptedModel(["One."] * 99), counter=len
    )
    for number, record in enumerate(run.requests):
        stop = (
            run.requests[number + 1].memory.length
            if number + 1 < len(run.requests)
            else len(run.log)
        )
        if stop == run.log.turn(record.turn).stop:
            assert run.memory_after(record.turn).state == record.memory.state
            assert Memory.from_json(
                run.space, record.memory.to_json()
            ) == record.memory._replace(pins=())


def test_each_track_of_notes_has_its_own_newest_version() -> None:
    model = ScriptedModel(["A.", "B.", "Work 2.", "C.", "Work 3.", "D.", "Work 4."])
    run = memviz.replay(
        talk(4), Tracks(), model=model, counter=len, system_prompt="Be kind."
    )
    assert [(v.track, v.text) for v in run.summaries] == [
        ("facts", "A."),
        ("work", "Nothing is known."),
        ("facts", "A.\nB."),
        ("work", "Work 2."),
        ("facts", "A.\nB.\nC."),
        ("work", "Work 3."),
        ("facts", "A.\nB.\nC.\nD."),
        ("work", "Work 4."),
    ]
    assert [message.content for message in run.requests[-1].context.messages] == [
        "Be kind.\nA.\nB.\nC.",
        "Work 3.",
        "user 3",
    ]
    assert [c.calls for c in run.compactions] == [1, 0, 1, 1, 1, 1, 1, 1]
    assert run.compactions[1].is_fixed
    assert [c.model for c in run.compactions[:2]] == ["scripted", ""]
    assert run.compactions[0].prompt == "facts: 2"
    last = run.requests[-1]
    assert last.tokens["summary"] + last.tokens["system"] == sum(
        len(m.content) for m in last.context.messages[:2]
    )


def test_with_review_each_of_several_notes_waits_for_its_own_decision() -> None:
    chat = memviz.Chat(
        Tracks(),
        model=ScriptedModel(["yes", "yes"]),
        summarizer=ScriptedModel(["A.", "B.", "Work 2."]),
        counter=len,
    )
    chat.review = True
    offered = []
    for said in ("one", "two"):
        chat.send(said)
        while chat.proposal is not None:
            offered.append(chat.proposal.plan.track)
            chat.propose()
            chat.accept()
    assert offered == ["facts", "facts", "work"], (
        "the first working memory is a fixed text"
    )
    assert [(v.track, v.text) for v in chat.run.summaries] == [
        ("facts", "A."),
        ("work", "Nothing is known."),
        ("facts", "A.\nB."),
        ("work", "Work 2."),
    ]


def test_a_fixed_text_needs_no_summarizer() -> None:
    class Fixed(Tracks):
        def plan(self, memory: Memory) -> tuple[Effect, ...]:
            said = range(memory.cursor, memory.length)
            return (
                (
                    Write(
                        said,
                        memory.length,
                        "a turn is over",
                        track="work",
                        text="Gone.",
                    ),
                )
                if said
                else ()
            )

    run = memviz.replay(talk(3), Fixed(), model=None, counter=len)
    assert [c.summary for c in run.compactions] == ["Gone."] * 3


def test_an_answer_that_cannot_be_read_is_a_failure_and_changes_nothing() -> None:
    run = memviz.replay(talk(2), Tracks(), model=ScriptedModel(["?"] * 9), counter=len)
    assert run.compactions[0].error == "The answer is no list of facts."
    assert not run.summaries, "what follows a failure in a plan is not done"


def test_messages_that_a_user_pinned_are_known_to_the_strategy() -> None:
    class Pinning(Strategy):
        """Sends what is pinned first, then the newest two messages."""

        def select(self, memory: Memory) -> tuple[Piece, ...]:
            start = max(0, memory.length - 2)
            return (
                *(Messages(pin, pin + 1) for pin in memory.pins if pin < start),
                Messages(start, memory.length),
            )

    chat = memviz.Chat(Pinning(), model=ScriptedModel([f"reply {n}" for n in range(9)]))
    for said in ("my name is Ada", "two", "three"):
        chat.send(said)
    chat.pin([0])
    record = chat.send("four")
    kinds_sent = [(block.kind, block.indices) for block in record.context.blocks]
    assert kinds_sent == [("history", (0, 5)), ("input", (6,))], (
        "in the strategy's place, and not recalled once more"
    )


class TestClauses:
    def test_any_and_all_say_which_clause_fired(self) -> None:
        trigger = trigger_from(
            "4000 tokens and 10 messages or 0.5 of the window", 10_000
        )
        assert (
            trigger.judge(MemoryAmounts(4200, 12)).reason
            == "4,200 tokens ≥ 4,000 and 12 messages ≥ 10"
        )
        assert (
            trigger.judge(MemoryAmounts(5200, 3)).reason
            == "5,200 tokens ≥ 5,000 (50% of the window)"
        )
        assert not trigger.judge(MemoryAmounts(4200, 9)).is_over

    @for_each(
        "text", ["10 parrots", "0.5 of the messages", "0.5 tokens", "10 of the turns"]
    )
    def test_text_that_is_no_clause_is_named(self, text: str) -> None:
        with pytest.raises(memviz.ParameterError, match=text):
            trigger_from(text, 1000)

    def test_a_share_of_the_window_is_one_of_tokens(self) -> None:
        with pytest.raises(memviz.ParameterError, match=r"0\.5 of the window"):
            trigger_from("0.5 of the window", 1000, units=("messages",))

    def test_the_room_left_is_that_of_the_clause_that_comes_first_as_far_as_one_number_says_it(
        self,
    ) -> None:
        assert AnyOf((AtLeast(10, "tokens"), Above(20, "tokens"))).judge(
            MemoryAmounts(4)
        ).headroom == Headroom(6, "tokens")
        assert AllOf((AtLeast(10, "tokens"), Above(20, "tokens"))).judge(
            MemoryAmounts(4)
        ).headroom == Headroom(17, "tokens")
        assert (
            AnyOf((AtLeast(10, "tokens"), AtLeast(9, "messages")))
            .judge(MemoryAmounts(4, 2))
            .headroom
            is None
        )
        assert AnyOf((AtLeast(10, "tokens"), AtLeast(3, "messages"))).judge(
            MemoryAmounts(4, 2)
        ).headroom == (1, "messages")
        assert AllOf((AtLeast(4, "tokens"), AtLeast(9, "messages"))).judge(
            MemoryAmounts(4, 2)
        ).headroom == (7, "messages")
        assert AtLeast(60, "seconds").judge(MemoryAmounts(seconds=10)).headroom is None


def played(
    strategy: Strategy, messages: list[Message], answers: int = 99
) -> memviz.Run:
    return memviz.replay(
        messages, strategy, model=ScriptedModel(["Note."] * answers), counter=len
    )


class Stepped(Strategy):
    """Goes back to four messages when there are more than ten: a high and a low mark."""

    trigger: ClassVar[Trigger] = Trigger.REQUEST

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        verdict = Above(10, "messages").judge(measure_memory(memory))
        to = memory.length - 4
        return (
            (
                Move(
                    "summarized",
                    to,
                    "evicted",
                    verdict.reason,
                    range(memory.cursor, to),
                ),
            )
            if verdict.is_over
            else ()
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return (Messages(memory.cursor, memory.length),)


def test_a_high_and_a_low_mark_keep_the_beginning_of_requests_the_same_for_a_while() -> (
    None
):
    run = played(Stepped(), talk(20))
    starts = [record.parts.messages[0].start for record in run.requests]
    assert [len(record.context.messages) for record in run.requests][:8] == [
        1,
        3,
        5,
        7,
        9,
        4,
        6,
        8,
    ]
    assert len(set(starts)) == 5, "the prefix changes only where it is cut"
    assert {c.reason for c in run.compactions} == {
        "11 messages > 10",
        "12 messages > 10",
    }


class Rolling(Strategy):
    """Every three turns a summary of these and of the last message before them."""

    trigger: ClassVar[Trigger] = Trigger.REQUEST

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        done = memory.before_input
        verdict = AtLeast(3, "turns").judge(
            measure_memory(memory.appended(done)) if done else MemoryAmounts()
        )
        if not verdict.is_over:
            return ()
        return (Write(range(max(0, memory.cursor - 1), done), done, verdict.reason),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return (*notes(memory.all_summaries), Messages(memory.cursor, memory.length))


def test_every_so_many_turns_with_an_overlap() -> None:
    run = played(Rolling(), talk(10))
    assert [c.summarized for c in run.compactions] == [
        range(6),
        range(5, 12),
        range(11, 18),
    ]
    assert {c.reason for c in run.compactions} == {"3 turns ≥ 3"}
    assert Fate.DROPPED not in run.fates()


class Idle(Rolling):
    """Forgets what was said before a pause of an hour."""

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        verdict = AnyOf((AtLeast(3600, "seconds"), Above(100, "tokens"))).judge(
            measure_memory(memory)
        )
        to = memory.before_input
        return (
            (
                Move(
                    "summarized",
                    to,
                    "evicted",
                    verdict.reason,
                    range(memory.cursor, to),
                ),
            )
            if verdict.is_over
            else ()
        )


def test_a_pause_and_what_is_too_large_are_told_apart_by_the_reason() -> None:
    said = talk(6)
    times = [
        "09:00",
        "09:01",
        "09:02",
        "09:03",
        "11:30",
        "11:31",
        "11:32",
        "11:33",
        "11:34",
        "11:35",
        "11:36",
        "11:37",
    ]
    timed = [
        Message(
            m.role,
            m.content * (9 if n == 8 else 1),
            meta={"time": f"2026-11-02T{at}:00Z"},
        )
        for n, (m, at) in enumerate(zip(said, times, strict=True))
    ]
    run = played(Idle(), timed)
    assert [(c.turn, c.reason) for c in run.compactions] == [
        (3, "8,820 seconds ≥ 3,600"),
        (6, "105 tokens > 100"),
    ]
