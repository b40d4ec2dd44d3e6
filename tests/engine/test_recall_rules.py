"""What holds for every recall, the user's and the model's, under every strategy, on random conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, ModelError, Recall, ToolCall
from memviz.engine.part_tokens import find_whole_ranges
from tests.engine.calling import (
    RECALL,
    Caller,
    before_input,
    brought_back,
    caller_of,
    recalled,
    request_tokens,
    says,
    texts,
    told,
    with_restored,
)
from tests.engine.probes import IDS, Digest, small
from tests.strategies.conversations import conversations, text_of
from tests.tables import for_each

# What one looks up by itself stands among what is recalled: its own test has both.
every_strategy = for_each(
    "id", [id for id in IDS if not memviz.strategies()[id].looks_up]
)
TURNS = 14
some_turns = st.lists(st.integers(-1, TURNS + 2), max_size=5)
some_messages = st.lists(st.integers(-2, 3 * TURNS), max_size=5)
queries = st.fixed_dictionaries(
    {
        "turns": some_turns,
        "messages": some_messages,
        "last_n": st.none() | st.integers(1, 40),
    }
).filter(lambda query: any(query.values()))
Query = dict[str, Any]
sizes = st.sampled_from([1, 2, 3, 5, 8, 13])


def in_bytes(messages: Iterable[Message]) -> list[bytes]:
    """Each message as it goes over the wire."""
    return [json.dumps(message.to_request()).encode() for message in messages]


def arguments_of(query: Query) -> str:
    """The query as a model writes it."""
    return json.dumps(
        {
            "turn_numbers": query["turns"],
            "message_indices": query["messages"],
            "last_n": query["last_n"],
        }
    )


def bounded(id: str, bound: int) -> tuple[memviz.Strategy, int]:
    """The strategy and how many messages may be recalled under it: only one has a bound of its own."""
    if id == "summary_only":
        return small(id, max_recalled_messages=bound), bound
    return small(id), small(id).recall_limit_messages


def check_recalled(
    record: memviz.TurnRecord, log: Sequence[Message], bound: int
) -> None:
    """In log order, without repeats, within the bound of each, in their own place or right before the input, and
    nothing sent twice."""
    found = record.recalled
    if found is None:
        assert record.parts.recalled == ()
        return
    assert list(found.indices) == sorted(set(found.indices))
    assert len(found.indices) <= bound * len(found.asked)
    assert found.cut == 0 or len(found.indices) >= bound
    assert list(found.messages) == [log[position] for position in found.indices]
    sent = record.parts.recalled
    assert list(sent) == sorted(set(sent))
    assert set(sent) <= set(found.indices)
    sent_whole = {
        position
        for part in find_whole_ranges(record.memory.space, record.parts)
        for position in part
    }
    assert not set(sent) & sent_whole
    placed = [
        block
        for block in record.context.blocks
        if block.kind in ("history", "recalled", "input")
    ]
    positions = [position for block in placed for position in block.indices]
    assert len(set(positions)) == len(positions)
    kinds = [block.kind for block in record.context.blocks if block.kind != "tools"]
    if before_input(record):
        behind = kinds[kinds.index("recalled") + 1 :]
        assert behind[-1] == "input"
    else:
        assert sent or "recalled" not in kinds


def put_in(
    plain: Sequence[Message], fresh: Sequence[Message], at: int = -1
) -> list[bytes]:
    """A request with ``fresh`` at this place: by itself right before the question."""
    return [*in_bytes(plain[:at]), *in_bytes(fresh), *in_bytes(plain[at:])]


def place_of_recalled(plain: memviz.TurnRecord, repair: bool) -> int:
    """Where recalled messages stand in a request that recalls nothing: before the input, or, where that answers a call
    and pairs are repaired, before all that is sent of the open turn."""
    log = plain.memory.log
    asked = plain.parts.input
    sent = {position for part in plain.parts.history for position in part}
    answered = {log.tools.call_of.get(position) for position in asked}
    first = asked.start
    if repair and answered & sent:
        first = log.turn_start(log.turn_number(asked.start))
    at = 0
    for block in plain.context.blocks:
        if block.kind in ("history", "recalled", "input"):
            at += sum(position < first for position in block.indices)
            if any(position >= first for position in block.indices):
                return at
            at += len(block.messages) - len(block.indices)
        else:
            at += len(block.messages)
    return at


@given(
    messages=conversations(),
    data=st.data(),
    bound=st.integers(1, 6),
    repair=st.booleans(),
)
@every_strategy
def test_in_a_replay_all_that_stands_before_the_recalled_messages_is_as_without_them(
    id: str, messages: list[Message], data: st.DataObject, bound: int, repair: bool
) -> None:
    strategy, bound = bounded(id, bound)
    options: dict[str, Any] = {
        "counter": "chars4",
        "system_prompt": "Be kind.",
        "repair_tool_pairs": repair,
    }
    plain = memviz.replay(messages, strategy, model=Digest(), **options)
    wanted = {
        record.turn: data.draw(st.lists(queries, max_size=2), f"turn {record.turn}")
        for record in plain.turns
    }
    recalls = {
        turn: [Recall(**query) for query in asked]
        for turn, asked in wanted.items()
        if asked
    }
    run = memviz.replay(messages, strategy, model=Digest(), recalls=recalls, **options)
    for record, without in zip(run.turns, plain.turns, strict=True):
        check_recalled(record, messages, bound)
        assert (record.recalled is not None) == bool(wanted[record.turn]), (
            "for that request and no other"
        )
        fresh = brought_back(record, messages, repair=repair)
        around = with_restored(without, record)
        assert in_bytes(record.context.messages) == put_in(
            around, fresh, place_of_recalled(without, repair)
        )
        changed = (*IN_RECALLED, *(["history"] if record.parts.restored else []))
        rest = {
            part: tokens
            for part, tokens in record.tokens.items()
            if part not in changed
        }
        assert rest.items() <= without.tokens.items()
    assert [c.summary for c in run.compactions] == [
        c.summary for c in plain.compactions
    ]


IN_RECALLED = ("recalled", "overhead", "tools", "names")
"""The parts of a request that messages which are brought back make larger."""


@given(
    turns=st.lists(
        st.tuples(sizes, st.lists(queries, max_size=2), st.integers(0, 2)),
        min_size=2,
        max_size=TURNS,
    ),
    bound=st.integers(1, 6),
)
@every_strategy
def test_in_a_live_chat_too_and_a_retry_asks_the_same_and_then_they_are_gone(
    id: str, turns: list[tuple[int, list[Query], int]], bound: int
) -> None:
    strategy, bound = bounded(id, bound)
    script: list[Any] = []
    for number, (size, _, failures) in enumerate(turns):
        script += [*[ModelError("down")] * failures, text_of(2 * number + 1, size)]
    chat = memviz.Chat(
        strategy, model=Caller(script), summarizer=Digest(), counter="chars4"
    )
    answers = [item for item in script if isinstance(item, str)]
    twin = memviz.Chat(
        strategy, model=Caller(answers), summarizer=Digest(), counter="chars4"
    )
    for number, (size, asked, failures) in enumerate(turns):
        question = text_of(2 * number, size)
        for query in asked:
            chat.recall(**query)
        record = send(chat, question, failures)
        check_recalled(record, chat.log, bound)
        assert (record.recalled is not None) == bool(asked), (
            "what was recalled before is gone"
        )
        without = with_restored(twin.send(question), record)
        fresh = [chat.log[position] for position in before_input(record)]
        for request in caller_of(chat).requests[-failures - 1 :]:
            assert in_bytes(request) == put_in(without, fresh), "on every try"
        assert chat.waiting.recalled.indices == ()


def send(chat: memviz.Chat, question: str, failures: int) -> memviz.TurnRecord:
    """Send and, when the model fails, retry."""
    for attempt in range(failures):
        with pytest.raises(ModelError):
            list(chat.retry() if attempt else chat.stream(question))
    list(chat.retry() if failures else chat.stream(question))
    return chat.run.turns[-1]


def in_rounds(asked: list[Query], size: int) -> list[list[Query]]:
    """Up to three calls, so many at a time."""
    return [asked[at : at + size] for at in range(0, len(asked), size)]


rounds = st.builds(in_rounds, st.lists(queries, max_size=3), st.integers(1, 3))


@given(
    turns=st.lists(
        st.tuples(sizes, rounds, st.lists(queries, max_size=1)),
        min_size=2,
        max_size=TURNS,
    ),
    bound=st.integers(1, 6),
)
@every_strategy
def test_what_the_model_recalls_obeys_the_same_rules(
    id: str, turns: list[tuple[int, list[list[Query]], list[Query]]], bound: int
) -> None:
    strategy, bound = bounded(id, bound)
    script = [
        item
        for number, (size, asked, _) in enumerate(turns)
        for item in replies(number, size, asked)
    ]
    chat = memviz.Chat(
        strategy,
        model=Caller(script),
        summarizer=Digest(),
        counter="chars4",
        recall_tool=True,
    )
    for number, (size, asked, by_user) in enumerate(turns):
        before = len(caller_of(chat).requests)
        for query in by_user:
            chat.recall(**query)
        record = chat.send(text_of(2 * number, size))
        requests = caller_of(chat).requests[before:]
        check_recalled(record, chat.log, bound)
        assert len(requests) == len(asked) + 1
        assert (record.recalled is not None) == bool(asked or by_user)
        check_growth(record, requests)
        check_told(record)


def replies(number: int, size: int, asked: list[list[Query]]) -> Iterable[Any]:
    """What the model says in one turn: calls, round after round, and then the answer."""
    for at, together in enumerate(asked):
        calls = [
            ToolCall(f"call_{number}_{at}_{i}", RECALL, arguments_of(q))
            for i, q in enumerate(together)
        ]
        yield says(*calls, text=f"round {at} of {number}")
    yield text_of(2 * number + 1, size)


def check_growth(
    record: memviz.TurnRecord, requests: Sequence[Sequence[Message]]
) -> None:
    """From request to request only what is recalled and what stands behind the input change; the record holds the last
    request, and its tokens are all of it."""
    assert in_bytes(record.context.messages) == in_bytes(requests[-1])
    question = requests[0][-1]
    start = input_at(requests[-1], question) - len(before_input(record))
    restored = {
        at
        for at, message in enumerate(requests[-1][:start])
        if is_restored(record, message)
    }
    for request, following in pairwise(requests):
        same = [
            in_bytes(one for at, one in enumerate(sent[:start]) if at not in restored)
            for sent in (request, following)
        ]
        assert same[0] == same[1]
        at, after = input_at(request, question), input_at(following, question)
        behind = in_bytes(request[at:])
        assert in_bytes(following[after:])[: len(behind)] == behind
    assert (
        texts(requests[-1][start : input_at(requests[-1], question)])
        == recalled(record)[len(restored) :]
    )
    assert record.total_tokens == request_tokens(requests[-1], record.parts.tools)
    assert [call.sent_tokens for call in record.requests[:-1]] == [
        request_tokens(request, record.parts.tools) for request in requests[:-1]
    ]


def is_restored(record: memviz.TurnRecord, message: Message) -> bool:
    """Whether it is one of the messages that stand whole in their own place again."""
    return any(
        record.memory.log[position] is message for position in record.parts.restored
    )


def input_at(request: Sequence[Message], question: Message) -> int:
    """Where the input stands: it is the same object in all requests of a turn."""
    return next(at for at, message in enumerate(request) if message is question)


def check_told(record: memviz.TurnRecord) -> None:
    """The numbers in the tool's last answer are true: so many messages are in the request or were too many."""
    behind = record.context.block("tools")
    answers = [
        text
        for text in told(behind.messages if behind else ())
        if text.startswith("Recalled ")
    ]
    held = {position for part in record.parts.history for position in part} | set(
        record.parts.recalled
    )
    for text in answers[-1:]:
        assert int(text.split(" ")[1]) <= len(held)
    if answers and not before_input(record):
        assert "They stand right before" not in answers[-1]
