"""Every call of the model is a request: those of a tool loop, of a live model that recalls, and of a question alone."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Recall, RecallError
from memviz.core.context import Fate
from memviz.core.tool_schemas import count_schema_tokens
from memviz.engine import assembly
from memviz.engine.assembly import assemble
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from tests.engine.probes import Digest, small
from tests.strategies.conversations import RUN_HERE, conversations
from tests.tables import for_each

every_strategy = for_each("id", RUN_HERE)


def tool_loop(calls: int, number: int = 1) -> list[Message]:
    """A turn in which the model calls a tool so often before it answers."""
    loop = [Message("user", f"question {number}")]
    for call in range(1, calls + 1):
        asked = {
            "id": f"c{call}",
            "function": {"name": "look_up", "arguments": f'{{"page": {call}}}'},
        }
        loop.append(Message("assistant", f"looking {call}", tool_calls=(asked,)))  # type: ignore[arg-type]
        loop.append(
            Message("tool", f"page {call} of {number}", tool_call_id=f"c{call}")
        )
    return [*loop, Message("assistant", f"answer {number}")]


def agent(*calls: int) -> list[Message]:
    """A conversation of such turns."""
    return [
        message
        for number, count in enumerate(calls, 1)
        for message in tool_loop(count, number)
    ]


def count_by_hand(messages: list[Message]) -> int:
    """Assistant messages that do not follow another one, from the first question on."""
    roles = [message.role for message in messages]
    asked = roles[roles.index("user") :] if "user" in roles else []
    return sum(role == "assistant" != before for before, role in pairwise(asked))


def is_open_by_hand(messages: list[Message]) -> bool:
    """Whether the user or a tool spoke last, after the user spoke at all."""
    roles = [message.role for message in messages if message.role != "system"]
    return "user" in roles and roles[-1] != "assistant"


@given(messages=conversations())
@every_strategy
def test_there_are_as_many_as_the_log_calls_for(
    id: str, messages: list[Message]
) -> None:
    run = memviz.replay(messages, small(id), model=Digest(), counter="chars4")
    assert len(run.requests) == count_by_hand(messages)
    assert [one for turn in run.turns for one in turn.requests] == list(run.requests)
    assert [record.turn for record in run.turns] == sorted(
        {request.turn for request in run.log.requests()}
    )
    assert (run.pending is not None) == is_open_by_hand(messages)
    assert all(
        [one.call for one in turn.requests] == list(range(1, len(turn.requests) + 1))
        for turn in run.turns
    )


@for_each("calls", [5, 60])
def test_the_calls_of_a_tool_loop_are_requests_of_one_turn(calls: int) -> None:
    run = memviz.replay(agent(calls), memviz.strategy("buffer"))
    assert (len(run.requests), len(run.turns), run.has_calls) == (calls + 1, 1, True)
    assert [record.name for record in run.requests[:2]] == [
        "turn 1, call 1",
        "turn 1, call 2",
    ]
    sizes = [len(record.context.messages) for record in run.requests]
    assert sizes == list(range(1, 2 * calls + 2, 2)), (
        "each holds what was said before it"
    )
    assert run.turns[0].sent_tokens == sum(
        record.total_tokens for record in run.requests
    )


def test_the_input_of_a_call_is_what_its_tools_gave() -> None:
    run = memviz.replay(agent(2), memviz.strategy("window", window_size=1))
    inputs = [
        [m.content for m in record.context.blocks[-1].messages]
        for record in run.requests
    ]
    assert inputs == [["question 1"], ["page 1 of 1"], ["page 2 of 1"]]
    assert [record.flags for record in run.requests] == [
        (),
        ("orphaned_tool_message",),
        ("orphaned_tool_message",),
    ]


@for_each("id", ["recent_only", "summary_only"])
def test_where_the_turn_is_the_unit_its_calls_so_far_are_sent(id: str) -> None:
    run = memviz.replay(agent(1, 3), small(id), model=Digest())
    last = run.requests[-1]
    assert [m.content for m in last.context.messages[-7:]] == [
        "question 2",
        "looking 1",
        "page 1 of 2",
        "looking 2",
        "page 2 of 2",
        "looking 3",
        "page 3 of 2",
    ]
    assert len(run.summaries) == 2, "a turn is summarized once, when it is complete"


def test_a_strategy_that_acts_before_a_request_acts_before_each_call() -> None:
    strategy = memviz.strategy("chat_summary_buffer", token_limit=20)
    run = memviz.replay(
        agent(20), strategy, model=Digest(), counter=lambda text: len(text.split())
    )
    changed = [record.call for record in run.requests if record.compactions]
    assert len(changed) > 1
    assert [run.request_number(one) for one in run.compactions] == [
        call - 1 for call in changed
    ]


def test_a_reply_that_calls_a_tool_is_as_long_as_all_that_the_model_wrote() -> None:
    run = memviz.replay(
        agent(1), memviz.strategy("buffer"), counter=lambda text: len(text.split())
    )
    assert [record.reply_tokens for record in run.requests] == [2 + 1 + 2, 2], (
        "text, name and arguments"
    )


def test_schemas_of_tools_are_sent_with_every_request() -> None:
    schemas, counter = (
        ('{"name":"look_up"}', '{"name":"book"}'),
        memviz.counter("o200k_base"),
    )
    plain = memviz.replay(agent(2, 0), memviz.strategy("window"))
    offered = memviz.replay(agent(2, 0), memviz.strategy("window"), tools=schemas)
    more = count_schema_tokens(counter, schemas, has_system_prompt=False)
    for record, without in zip(offered.requests, plain.requests, strict=True):
        assert record.tokens == {
            **without.tokens,
            "tools": without.tokens.get("tools", 0) + more,
        }
        assert record.context.messages == without.context.messages
    again = memviz.Run.from_dict(offered.to_dict())
    assert again.to_dict() == offered.to_dict()
    assert count_traffic(again).shared_tokens[1] >= more, (
        "providers read the tools first"
    )


def recalled(record: memviz.TurnRecord) -> list[str]:
    block = record.context.block("recalled")
    return [message.content for message in block.messages] if block else []


class TestRecall:
    def run(self, recalls: Any) -> memviz.Run:
        return memviz.replay(
            agent(0, 2, 1), memviz.strategy("window", window_size=1), recalls=recalls
        )

    def test_what_a_turn_recalled_stays_for_all_its_calls_and_for_no_other(
        self,
    ) -> None:
        run = self.run({2: Recall(last_n=1)})
        assert [recalled(record) for record in run.requests] == [
            [],
            *[["answer 1"]] * 3,
            [],
            [],
        ]

    def test_a_call_that_is_named_recalls_from_then_on_and_also_from_its_own_turn(
        self,
    ) -> None:
        run = self.run({(2, 2): Recall(messages=[2, 0])})
        assert [recalled(record) for record in run.requests] == [
            [],
            [],
            *[["question 1", "question 2"]] * 2,
            [],
            [],
        ]

    def test_both_at_once_are_united(self) -> None:
        run = self.run({2: Recall(messages=[0]), (2, 3): Recall(messages=[1])})
        assert [recalled(record) for record in run.turns[1].requests] == [
            ["question 1"],
            ["question 1"],
            ["question 1", "answer 1"],
        ]

    @for_each("key", [(2, 0), (2,), (1, 2, 3), ("2", 1), (2, 1.5), "2"])
    def test_any_other_key_is_refused(self, key: Any) -> None:
        with pytest.raises(RecallError, match=r"\(12, 3\)"):
            self.run({key: Recall(last_n=1)})


def test_a_table_has_a_row_a_request_or_a_row_a_turn() -> None:
    run = memviz.replay(agent(2, 0), memviz.strategy("buffer"))
    frame, turns = run.frame(), run.frame(by="turn")
    assert list(zip(frame["turn"], frame["call"], strict=True)) == [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 1),
    ]
    assert (turns["turn"].tolist(), turns["requests"].tolist()) == ([1, 2], [3, 1])
    for column in ("history_tokens", "total_tokens", "reply_tokens", "messages"):
        assert turns[column].tolist() == [frame[column][:3].sum(), frame[column][3]]
    with pytest.raises(memviz.ParameterError, match="turn"):
        run.frame(by="day")  # type: ignore[arg-type]


def test_each_record_knows_its_strategy() -> None:
    chat = memviz.Chat(memviz.strategy("buffer"))
    chat.send("My name is Ada.")
    chat.change_strategy(memviz.strategy("window"))
    chat.send("And I live in Turin.")
    assert [record.strategy for record in chat.run.requests] == [
        memviz.strategy("buffer"),
        memviz.strategy("window"),
    ]


@given(st.lists(st.integers(0, 8), min_size=1, max_size=5))
def test_the_first_request_from_a_message_on(calls: list[int]) -> None:
    log = memviz.replay(agent(*calls), memviz.strategy("buffer"), counter="chars4").log
    requests = list(log.requests())
    for length in range(len(log) + 1):
        later = [request for request in requests if request.stop >= length]
        assert log.request_from(length) == (later[0] if later else None)


@given(messages=conversations())
@every_strategy
def test_the_open_request_is_that_of_the_reply_to_come_and_stands_in_no_sum(
    id: str, messages: list[Message]
) -> None:
    messages = [*messages, Message("user", "still there?")]
    run = memviz.replay(messages, small(id), model=Digest(), counter="chars4")
    answered = memviz.replay(
        [*messages, Message("assistant", "yes")],
        small(id),
        model=Digest(),
        counter="chars4",
    )
    pending, last = run.pending, answered.requests[-1]
    assert pending is not None
    assert pending.context.messages == last.context.messages
    assert (pending.turn, pending.call, pending.name) == (
        last.turn,
        last.call,
        last.name,
    )
    assert (pending.tokens, pending.flags, pending.reply_tokens) == (
        last.tokens,
        last.flags,
        0,
    )
    before = list(answered.requests)[:-1]
    assert [record.to_dict(0) for record in run.requests] == [
        record.to_dict(0) for record in before
    ]
    assert len(run.frame()) == len(before) == len(count_traffic(run).turns)
    assert run.columns.totals.sum() == sum(record.total_tokens for record in before)
    again = memviz.Run.from_dict(json.loads(json.dumps(run.to_dict())))
    assert again.to_dict() == run.to_dict()
    assert again.pending is not None
    assert again.pending.context.messages == pending.context.messages


def early() -> list[Message]:
    """Three turns, and a question that makes a summary due before its request."""
    return [
        *agent(0, 0, 0),
        Message(
            "user",
            "And what was it that I asked you at the very beginning of all this?",
        ),
    ]


BEFORE_REQUESTS = memviz.strategy("chat_summary_buffer", token_limit=20)


def test_what_only_the_open_request_would_summarize_is_shown_with_it_and_stands_in_no_sum() -> (
    None
):
    answered, run = (
        memviz.replay(early()[:-1], BEFORE_REQUESTS),
        memviz.replay(early(), BEFORE_REQUESTS),
    )
    pending = run.pending
    assert pending is not None
    assert [one.asked for one in run.foreseen] == [True]
    assert pending.compactions == run.foreseen
    assert pending.summary is not None
    assert pending.summary.text in pending.context.messages[0].content
    assert pending.summary.text not in [version.text for version in run.summaries]
    assert [one.to_dict() for one in answered.compactions] == [
        {**one.to_dict(), "seconds": known.seconds}
        for one, known in zip(run.compactions, answered.compactions, strict=True)
    ]
    assert count_traffic(run).to_dict() == count_traffic(answered).to_dict()
    assert count_token_use(run) == count_token_use(answered)
    assert run.frame().equals(answered.frame())
    fates = run.fates_at(pending)
    assert Fate.SUMMARIZED in fates
    assert fates[-1] == Fate.VERBATIM


class BilledModel(memviz.ScriptedModel):
    """One whose answers cost."""

    may_cost = True


def test_no_model_that_costs_is_asked_for_what_only_the_open_request_needs() -> None:
    writer = BilledModel(["They greeted."] * 9)
    answered = memviz.replay(early()[:-1], BEFORE_REQUESTS, model=writer)
    calls = len(writer.requests)
    run = memviz.replay(early(), BEFORE_REQUESTS, model=writer)
    assert len(writer.requests) == 2 * calls
    pending = run.pending
    assert pending is not None
    assert pending.flags == ("summary_not_asked",)
    assert run.foreseen == ()
    assert [one.text for one in run.summaries] == [
        one.text for one in answered.summaries
    ]
    # It is shown with all that is known: the messages that would be summarized.
    assert pending.context.messages[-1] == early()[-1]
    again = memviz.Run.from_dict(json.loads(json.dumps(run.to_dict())))
    assert again.pending is not None
    assert again.pending.flags == pending.flags


def test_a_pending_request_that_needs_no_summary_says_nothing_of_one() -> None:
    roomy = memviz.strategy("chat_summary_buffer", token_limit=2000)
    run = memviz.replay(early(), roomy, model=BilledModel([]))
    assert run.pending is not None
    assert run.pending.flags == ()


def test_what_is_foreseen_is_read_again_with_the_run() -> None:
    run = memviz.replay(early(), BEFORE_REQUESTS)
    again = memviz.Run.from_dict(json.loads(json.dumps(run.to_dict())))
    assert again.to_dict() == run.to_dict()
    assert again.pending is not None
    assert run.pending is not None
    assert again.pending.context == run.pending.context
    assert len(again.foreseen) == 1
    assert len(again.summaries) == len(run.summaries)


def test_what_is_foreseen_is_made_when_the_reply_is_asked_for() -> None:
    run = memviz.replay(early(), BEFORE_REQUESTS)
    chat = memviz.Chat.resume(run, model="offline")
    for _ in chat.retry():
        pass
    made = chat.run
    assert (made.pending, made.foreseen) == (None, ())
    assert len(made.compactions) == len(run.compactions) + 1
    assert [one.content for one in made.requests[-1].context.messages[:1]] == [
        one.content
        for one in run.pending.context.messages[:1]  # type: ignore[union-attr]
    ]


def test_a_live_chat_that_failed_has_its_summary_on_record_for_it_was_made() -> None:
    writer = memviz.ScriptedModel(["They greeted."])
    run = memviz.replay(early()[:-1], BEFORE_REQUESTS, model=None)
    chat = memviz.Chat.resume(
        run, model=memviz.ScriptedModel([RuntimeError("down")]), summarizer=writer
    )
    with pytest.raises(RuntimeError):
        chat.send(early()[-1].content)
    held = chat.run
    assert held.pending is not None
    assert held.foreseen == ()
    assert held.compactions[-1] in held.pending.compactions
    assert held.summaries[-1].text == "They greeted."


def test_what_is_recalled_into_the_open_request_is_in_it() -> None:
    run = memviz.replay(
        [*agent(0, 0), Message("user", "And?")],
        memviz.strategy("window", window_size=1),
        recalls={3: Recall(turns=[1])},
    )
    assert run.pending is not None
    assert recalled(run.pending) == ["question 1", "answer 1"]


def test_the_open_request_of_a_live_chat_is_one_when_its_reply_is_there() -> None:
    chat = memviz.Chat(
        memviz.strategy("buffer"),
        model=memviz.ScriptedModel(["Hi.", RuntimeError("down"), "Yes."]),
    )
    chat.send("Hello")
    assert chat.run.pending is None
    with pytest.raises(RuntimeError):
        chat.send("Still there?")
    pending = chat.run.pending
    assert pending is not None
    assert (len(chat.run.requests), pending.turn, len(pending.context.messages)) == (
        1,
        2,
        3,
    )
    for _ in chat.retry():
        pass
    assert (len(chat.run.requests), chat.run.pending) == (2, None)


def test_of_a_conversation_that_nobody_answered_nothing_is_counted() -> None:
    run = memviz.replay([Message("user", "Hello?")], memviz.strategy("buffer"))
    assert (len(run.requests), len(run.turns), run.frame().empty) == (0, 0, True)
    assert run.pending is not None
    assert run.pending.total_tokens == 2 + 4 + 3


@given(messages=conversations())
@every_strategy
def test_a_request_is_the_same_whatever_request_came_before_it(
    id: str, messages: list[Message]
) -> None:
    run = memviz.replay(
        messages,
        small(id),
        model=Digest(),
        counter="chars4",
        may_have_no_turn=True,
    )
    for record in run.requests:
        pieces = run.strategy.select(record.memory)
        assert record.parts == assemble(record.memory, pieces)


def test_hundreds_of_kept_messages_are_put_together_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the time of a replay grows with what a hand-off keeps."""
    talk = [
        message
        for number in range(300)
        for message in (
            Message("user", f"question {number}"),
            Message("assistant", "An answer of some ordinary length." * 3),
        )
    ]
    added = 0
    add = assembly._add_history

    def count(*arguments: Any) -> None:
        nonlocal added
        added += 1
        add(*arguments)

    monkeypatch.setattr(assembly, "_add_history", count)
    strategy = memviz.strategy("hand_off", trigger_tokens=5000, keep_user_tokens=2000)
    run = memviz.replay(talk, strategy, counter="chars4")
    kept = len(run.requests[-1].parts.pieces)
    assert kept > 150
    assert added < kept * (len(run.compactions) + 1) + 2 * len(run.requests)
