"""What is said of the next compaction comes true: none before it, and then one."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import memviz
from memviz import Chat, ChatMemory, Message, ScriptedModel, ToolCall
from memviz.strategies.base import Trigger
from tests.engine.forecasts import (
    STEPS,
    HeldElsewhere,
    HeldHere,
    compacts,
    held_elsewhere,
    held_here,
    of_tokens,
    words,
    wrong,
)
from tests.engine.probes import IDS, SUMMARIZING, Digest, small
from tests.strategies.conversations import (
    conversations,
    outcomes,
    small_parameters,
    summarizer,
)
from tests.tables import for_each

LIMITS = {
    "token_limit": 40,
    "max_token_limit": 40,
}  # large enough for a summary and something beside it
FORECASTING = [*SUMMARIZING, "fifo_facts"]
steps = st.lists(
    st.tuples(st.sampled_from(STEPS), st.sampled_from([1, 2, 3, 5, 13])), max_size=8
)
prompts = st.sampled_from([None, "be kind"])


def with_room(id: str) -> memviz.Strategy:
    return small(
        id,
        **{
            name: limit
            for name, limit in LIMITS.items()
            if name in small_parameters(id)
        },
    )


@given(
    messages=conversations(max_messages=12),
    loads=st.sets(st.integers(0, 12)),
    plan=outcomes,
    prompt=prompts,
    leading=st.integers(0, 2),
)
@example(
    [Message("user", "word " * 50)], {0}, ["long"], None, 0
)  # all summarized, and the summary is over the limit
@example([Message("assistant", "Hi"), Message("user", "")], {0, 1}, ["raise"], None, 0)
@example(  # all summarized while a tool is called
    [
        Message("user", ""),
        Message(
            "assistant", "word " * 50, tool_calls=(ToolCall("a", "look_up", "{}"),)
        ),
    ],
    {0, 1},
    ["good"],
    None,
    0,
)
@for_each("id", FORECASTING)
def test_of_a_conversation_that_is_held_elsewhere(
    id: str,
    messages: list[Message],
    loads: set[int],
    plan: list[str],
    prompt: str | None,
    leading: int,
) -> None:
    messages = [Message("system", "be brief")] * leading + messages
    for length in range(len(messages) + 1):

        def build(length: int = length) -> HeldElsewhere:
            live = HeldElsewhere(small(id), summarizer(plan), prompt)
            return held_elsewhere(messages[:length], *loads)(live)

        assert (build().headroom() is None) == build().may_be_anything()
        assert not wrong(build), messages[:length]


@given(steps=steps, plan=outcomes, prompt=prompts)
@example([("turn", 5), ("turn", 13), ("stopped", 3)], ["good"], None)
@example([("turn", 13), ("long", 8), ("unanswered", 3), ("undo", 1)], ["good"], None)
@example(
    [("long", 13), ("unanswered", 2), ("edit", 13), ("undo", 2)], ["good", "long"], None
)
@for_each("id", FORECASTING)
def test_of_a_chat(
    id: str, steps: list[tuple[str, int]], plan: list[str], prompt: str | None
) -> None:
    for length in range(len(steps) + 1):

        def build(length: int = length) -> HeldHere:
            return held_here(steps[:length])(
                HeldHere(with_room(id), summarizer(plan), prompt)
            )

        assert not wrong(build), steps[:length]


@given(messages=conversations(max_messages=12), plan=outcomes, prompt=prompts)
def test_the_system_prompt_counts_where_it_is_asked_to(
    messages: list[Message], plan: list[str], prompt: str | None
) -> None:
    strategy = memviz.strategy(
        "chat_summary_buffer", token_limit=60, count_initial_tokens=True
    )
    messages = [Message("system", "be brief and polite"), *messages]
    leading = takewhile(lambda message: message.role == "system", messages)
    count = memviz.counter("chars4")
    assume(
        count(prompt or "") + sum(count(message.content) for message in leading) <= 60
    )  # else it is an error
    for length in range(1, len(messages) + 1):

        def build(length: int = length) -> HeldElsewhere:
            return held_elsewhere(messages[:length])(
                HeldElsewhere(strategy, summarizer(plan), prompt)
            )

        assert not wrong(build), messages[:length]


@given(messages=conversations(max_messages=20), plan=outcomes)
@for_each("id", FORECASTING)
@for_each("counter", ["chars4", words])
def test_of_a_replay_the_plan_agrees_at_every_request(
    id: str, counter: memviz.AnyCounter, messages: list[Message], plan: list[str]
) -> None:
    """The strategy's own forecast, which knows of no failure: one user's message of exactly that many tokens."""
    strategy = small(id)
    run = memviz.replay(messages, strategy, model=summarizer(plan), counter=counter)
    for memory in [record.memory for record in run.turns]:
        left = strategy.headroom(memory)
        if left is None:
            assert (id, memory.pending, memory.is_turn_open) == (
                "chat_summary_buffer",
                0,
                True,
            )
            continue
        if left.unit != "tokens":
            continue
        least = 1 if counter == "chars4" else 0  # of a message, also of an empty one
        for tokens in range(max(least, left.amount - 1), max(least, left.amount) + 1):
            text = "abcd" * tokens if counter == "chars4" else "word " * tokens
            log = memory.log.prefix(memory.length)
            log.append(Message("user", text))
            space = replace(
                memory.space, log=log, sums=log.token_sums(memory.sums.counter)
            )
            said = memory._replace(space=space).appended(len(log))
            assert bool(strategy.plan(said)) == (tokens >= left.amount)


@for_each("id", [id for id in SUMMARIZING if id != "chat_summary_buffer"])
def test_there_is_none_without_a_summarizer(id: str) -> None:
    assert HeldElsewhere(small(id), None).headroom() is None
    assert not compacts(HeldElsewhere(small(id), None))


def test_without_a_summarizer_what_would_be_dropped_is_forecast() -> None:
    def build() -> HeldElsewhere:
        return held_elsewhere([Message("user", "word " * 9)])(
            HeldElsewhere(small("chat_summary_buffer"), None)
        )

    assert build().headroom() == (22, "tokens")
    assert not wrong(build)


@for_each("id", [id for id in IDS if small(id).trigger is Trigger.NEVER])
def test_there_is_none_where_nothing_is_ever_summarized(id: str) -> None:
    for live in (HeldElsewhere(small(id), Digest()), HeldHere(small(id), Digest())):
        assert live.headroom() is None
        assert not compacts(live)


def test_of_a_system_prompt_that_is_too_large_there_is_none() -> None:
    strategy = memviz.strategy(
        "chat_summary_buffer", token_limit=5, count_initial_tokens=True
    )
    assert (
        ChatMemory(strategy, counter="chars4", system_prompt="p" * 24).headroom()
        is None
    )
    assert ChatMemory(
        strategy, counter="chars4", system_prompt="p" * 20
    ).headroom() == (1, "tokens")


def test_a_summary_that_does_not_fit_sets_nothing_off_beside_a_question() -> None:
    """Of 30 tokens the summary alone has 40: it counts once a reply stands first, and not before."""
    memory = ChatMemory(
        small("chat_summary_buffer"),
        model=ScriptedModel(["word " * 40] * 3),
        counter=words,
    )
    memory.append(Message("user", "word " * 31))
    memory.load()
    assert memory.headroom() is None, (
        "everything is summarized: a reply has to go, and a question has room"
    )
    memory.append(Message("user", "word " * 30))
    memory.load()
    assert memory.headroom() == (1, "tokens")
    assert len(memory.run.compactions) == 1
    memory.append(Message("user", "word"))
    memory.load()
    assert len(memory.run.compactions) == 2


def test_a_summary_counts_beside_a_reply_that_is_the_oldest_message() -> None:
    for summary_tokens, left in ((40, 0), (20, 10)):
        model = ScriptedModel(["word " * summary_tokens])
        memory = ChatMemory(small("chat_summary_buffer"), model=model, counter=words)
        memory.append(Message("user", "word " * 31))
        memory.load()
        memory.append(Message("assistant", "word"))
        assert memory.headroom() == (left, "tokens")


def test_a_failure_is_waited_for_in_turns() -> None:
    model = ScriptedModel([memviz.ModelError("down"), "a summary"])
    chat = Chat(
        small("summary_buffer"),
        model=HeldHere(small("buffer"), Digest()).talker,
        summarizer=model,
        counter=words,
    )
    chat.send("word " * 30)
    assert chat.run.compactions[-1].error
    assert chat.headroom() == (2, "turns")
    chat.send("Hello")
    assert chat.headroom() == (1, "turns")
    assert str(chat.headroom()) == "1 more turn"
    chat.send("Hello")
    assert [compaction.error is None for compaction in chat.run.compactions] == [
        False,
        True,
    ]


def test_a_message_that_waits_for_a_decision_is_the_next_thing() -> None:
    chat = Chat(
        small("summary_buffer"),
        model=HeldHere(small("buffer"), Digest()).talker,
        summarizer=Digest(),
        counter=words,
    )
    chat.review = True
    chat.send("word " * 30)
    assert chat.proposal is not None
    assert chat.headroom() == (0, "tokens")


@st.composite
def tool_loops(draw: st.DrawFn) -> list[Message]:
    """Turns in which the assistant calls tools, some of them two at once, and that may end before its answer."""
    tokens = st.integers(0, 14).map(of_tokens)
    said: list[Message] = []
    for turn in range(draw(st.integers(1, 3))):
        said.append(Message("user", draw(tokens)))
        for call in range(draw(st.integers(0, 5))):
            ids = [
                f"{turn}-{call}-{number}" for number in range(draw(st.integers(1, 2)))
            ]
            calls = tuple(ToolCall(id, "look_up", "{}") for id in ids)
            said.append(Message("assistant", draw(tokens), tool_calls=calls))
            said += [Message("tool", draw(tokens), tool_call_id=id) for id in ids]
        said += [
            Message("assistant", text) for text in draw(st.lists(tokens, max_size=1))
        ]
    return said


@pytest.mark.parametrize("id", IDS)
@given(messages=tool_loops(), loads=st.booleans(), data=st.data())
def test_in_a_tool_loop_none_comes_before_it_and_a_plain_message_of_that_size_makes_it_come(
    id: str, messages: list[Message], loads: bool, data: st.DataObject
) -> None:
    length = data.draw(st.integers(1, len(messages)))

    def compactions_after(*more: Message) -> int:
        """How many come while these messages are said, behind the first ``length``, each before a request."""
        before = 0
        memory = ChatMemory(small(id), model=Digest(), counter=words)
        for number, message in enumerate([*messages[:length], *more]):
            memory.append(message)
            if loads or number >= length:
                memory.load()
            if number == length - 1:
                before = len(memory.run.compactions)
        return len(memory.run.compactions) - before

    memory = ChatMemory(small(id), model=Digest(), counter=words)
    for message in messages[:length]:
        memory.append(message)
        if loads:
            memory.load()
    left = memory.headroom()
    if left is None:
        return
    if left.unit == "tokens":
        assert compactions_after(Message("user", of_tokens(left.amount)))
        smaller = of_tokens(left.amount - 1)
        for role in (
            ["user", *(message.role for message in messages[length : length + 1])]
            if left.amount
            else []
        ):
            assert not compactions_after(Message(role, smaller))
    elif left.unit == "messages":
        said = [Message("user", "")] * left.amount
        assert compactions_after(*said)
        assert not compactions_after(*said[:-1])
        assert not compactions_after(*messages[length : length + left.amount - 1])
    else:
        assert left.unit == "turns"
        turn = [Message("user", "more"), Message("assistant", "yes")]
        assert compactions_after(*turn * left.amount, Message("user", "and"))
