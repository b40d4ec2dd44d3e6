"""A tree of summaries, on conversations counted by hand, and against a slow reference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, ScriptedModel
from memviz.core.counters import counter
from memviz.core.memory import Memory
from memviz.engine.setting import Setting, new_space
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, answered, conversations, outcomes
from tests.strategies.looked_up import turns

SMALL = {"span_turns": 1, "branches": 2, "recent_turns": 1}
TALK = [f"Message {number}" for number in range(1, 10)]


def scripted(count: int = 99) -> ScriptedModel:
    return ScriptedModel([f"text {number}" for number in range(1, count + 1)])


def sent(run: memviz.Run) -> list[str]:
    return [message.content for message in run.requests[-1].context.messages]


def test_hand_worked_case() -> None:
    strategy = memviz.strategy("summary_tree", **SMALL)
    run = memviz.replay(answered(turns(*TALK)[:-1]), strategy, model=scripted())
    # 1, 2, of both 3; 4, 5, of both 6, of 3 and 6 the seventh; 8, 9, 10; 11.
    assert [c.summary for c in run.compactions][6] == "text 7"
    assert sent(run) == [
        "Summary of messages 1 to 8: text 7",
        "Summary of messages 9 to 12: text 10",
        "Summary of messages 13 to 14: text 11",
        "Message 8",
        "Noted.",
        "Message 9",
    ]
    assert run.generations()[-1].tolist() == [3] * 8 + [2] * 4 + [1] * 2 + [0] * 4
    assert [c.reason for c in run.compactions][:3] == [
        "2 turns ≥ 1 + 1",
        "2 turns ≥ 1 + 1",
        "2 summaries ≥ 2",
    ]


def test_a_request_holds_fewer_summaries_of_a_level_than_make_one_above() -> None:
    strategy = memviz.strategy("summary_tree", span_turns=2, branches=3)
    talk = turns(*(f"Message {number}" for number in range(400)))
    run = memviz.replay(talk, strategy, model=scripted(999))
    pieces = [record.parts.notes for record in run.requests]
    assert max(map(len, pieces)) <= 2 * 5  # 3 ** 5 > 200 spans
    assert max(run.generations()[-1]) == 5


def test_who_joins_reads_the_summaries_and_no_message() -> None:
    strategy = memviz.strategy("summary_tree", **SMALL, summary_words=60)
    run = memviz.replay(turns(*TALK), strategy, model=scripted())
    joined = run.compactions[2].prompt
    assert joined.endswith("60 words.\n\nsystem: Previous summary: text 1\ntext 2")
    assert run.compactions[1].prompt.endswith("\n\nuser: Message 2\nassistant: Noted.")


def test_an_edited_summary_takes_the_place_of_the_one_before() -> None:
    chat = memviz.Chat(
        memviz.strategy("summary_tree", **SMALL),
        model=ScriptedModel(["Fine."] * 20),
        summarizer=scripted(),
    )
    for text in TALK[:7]:
        chat.send(text)
    chat.edit_summary(7, "The first four.")
    texts = [one.content for one in chat.send("And now?").context.messages]
    assert texts[:2] == [
        "Summary of messages 1 to 8: The first four.",
        "Summary of messages 9 to 12: text 10",
    ]


@given(
    messages=conversations(60),
    span=st.integers(1, 3),
    level=st.integers(2, 4),
    recent=st.integers(1, 2),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message],
    span: int,
    level: int,
    recent: int,
    plan: list[str],
    counter: str,
) -> None:
    parameters = {
        "span_turns": span,
        "branches": level,
        "recent_turns": recent,
    }
    compare("summary_tree", parameters, messages, plan, counter, "Be kind.")


@given(
    messages=conversations(),
    span=st.integers(1, 3),
    recent=st.integers(1, 3),
    cursor=st.integers(0, 12),
)
def test_nothing_is_due_before_it_says_so(
    messages: list[Message], span: int, recent: int, cursor: int
) -> None:
    strategy = memviz.strategy("summary_tree", span_turns=span, recent_turns=recent)
    log = Log(messages)
    space = new_space(log, Setting(strategy, counter("chars4")))
    for length in range(len(log) + 1):
        memory = Memory(space, length, cursor=min(cursor, length))
        due = strategy.due_at(memory)
        assert due > length
        for later in range(length + 1, min(due, len(log) + 1)):
            assert not strategy.plan(memory.appended(later))


def test_it_is_not_asked_for_a_plan_at_each_message() -> None:
    strategy = memviz.strategy("summary_tree")
    log = Log(turns(*TALK))
    space = new_space(log, Setting(strategy, counter("chars4")))
    # 4 turns and the newest 2 are complete with message 12.
    assert strategy.due_at(Memory(space, 1)) == 12
    assert not strategy.plan(Memory(space, 11))
    assert strategy.plan(Memory(space, 12))
