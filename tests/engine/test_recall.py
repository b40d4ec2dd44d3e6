"""Recall: earlier messages sent once more, right before the input, under every strategy."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, Recall, RecallError, ScriptedModel, ToolCall
from memviz.engine.recall import parse_numbers
from memviz.strategies.library import LibraryStrategy
from tests.engine.calling import before_input, with_restored
from tests.engine.probes import IDS, Digest, small, talk
from tests.strategies.conversations import conversations
from tests.strategies.reference import turn_numbers
from tests.tables import for_each

# What one looks up by itself stands among what is recalled: its own test has both.
every_strategy = for_each(
    "id", [id for id in IDS if not memviz.strategies()[id].looks_up]
)
queries = st.fixed_dictionaries(
    {
        "turns": st.lists(st.integers(-1, 12), max_size=3),
        "messages": st.lists(st.integers(-2, 35), max_size=4),
        "last_n": st.none() | st.integers(1, 40),
        "keywords": st.lists(
            st.sampled_from(["lisbon", "CAT", "搬家", "zebra"]), max_size=2
        ),
    }
).filter(lambda query: any(query.values()))


def last_request(
    conversation: list[Message], strategy: memviz.Strategy, /, **query: Any
) -> memviz.TurnRecord:
    """The last request of a conversation, answered or open, with a recall into it."""
    last = turn_numbers(conversation)[-1]
    run = memviz.replay(
        conversation,
        strategy,
        model=Digest(),
        counter="chars4",
        recalls={last: Recall(**query)},
    )
    return last_of(run)


def last_of(run: memviz.Run) -> memviz.TurnRecord:
    """The request that is open at the end, or else the last that was answered."""
    return run.pending or run.turns[-1]


def leading_system_messages(messages: list[Message]) -> int:
    return next(
        (i for i, message in enumerate(messages) if message.role != "system"),
        len(messages),
    )


def picked(
    messages: list[Message], stop: int, query: dict[str, Any], bound: int
) -> tuple[list[int], int, set[str]]:
    """By brute force: positions before ``stop`` that the query brings back within the bound, how many more it names,
    and the numbers that do not exist."""
    numbers, missing = turn_numbers(messages), set()
    leading = leading_system_messages(
        messages
    )  # in every request anyway: only recalled where named by position
    by_number: set[int] = set()
    others: set[int] = set()
    for turn in query["turns"]:
        inside = {i for i in range(leading, stop) if numbers[i] == turn}
        by_number |= inside
        missing |= set() if inside else {f"turn {turn}"}
    for position in query["messages"]:
        if 0 <= position < stop:
            by_number.add(position)
        else:
            missing.add(f"message {position}")
    for i in range(leading, stop):
        if query["last_n"] and i >= stop - query["last_n"]:
            others.add(i)
        if any(
            word.lower() in messages[i].content.lower() for word in query["keywords"]
        ):
            others.add(i)
    in_order = sorted(by_number, reverse=True) + sorted(
        others - by_number, reverse=True
    )
    return sorted(in_order[:bound]), len(in_order[bound:]), missing


def before_turn(record: memviz.TurnRecord) -> int:
    """How many messages were said before the turn of the request."""
    return record.memory.log.turn_start(record.turn)


def positions(record: memviz.TurnRecord, kind: Any) -> list[int]:
    """The log positions of all blocks of this kind, in order."""
    return [
        position
        for block in record.context.blocks
        if block.kind == kind
        for position in block.indices
    ]


@given(messages=conversations(), query=queries, bound=st.integers(1, 8))
def test_picks_are_united_in_log_order_within_the_bound(
    messages: list[Message], query: dict[str, Any], bound: int
) -> None:
    strategy = memviz.strategy(
        "summary_only", enable_summarization=False, max_recalled_messages=bound
    )
    record = last_request(messages, strategy, **query)
    kept, cut, missing = picked(messages, before_turn(record), query, bound)
    assert record.recalled is not None
    assert (
        list(record.recalled)
        == list(record.recalled.messages)
        == [messages[i] for i in kept]
    )
    assert (len(record.recalled), record.recalled.cut) == (len(kept), cut)
    assert set(record.recalled.missing) == missing
    assert len(record.recalled.missing) == len(missing), "each is named once"
    verbatim = {
        *range(leading_system_messages(messages)),
        *positions(record, "history"),
        *positions(record, "input"),
    }
    assert positions(record, "recalled") == [i for i in kept if i not in verbatim]


@given(messages=conversations(), query=queries)
@every_strategy
def test_works_in_every_strategy_and_sends_nothing_twice(
    id: str, messages: list[Message], query: dict[str, Any]
) -> None:
    record = last_request(messages, small(id), **query)
    plain = last_of(
        memviz.replay(messages, small(id), model=Digest(), counter="chars4")
    )
    found, _, _ = picked(messages, before_turn(record), query, 20)
    placed = [
        block
        for block in record.context.blocks
        if block.kind in ("history", "input") and block.indices
    ]
    sent = [
        pair
        for block in placed
        for pair in zip(block.indices, block.messages, strict=True)
    ]
    whole = {position for position, message in sent if message == messages[position]}
    held = {*range(leading_system_messages(messages)), *whole}
    assert sorted(positions(record, "recalled")) == [i for i in found if i not in held]
    if before_input(record):
        assert [b.kind for b in record.context.blocks][-2:] == ["recalled", "input"], (
            "so the prefix stays cacheable"
        )
    start = len(plain.context.messages) - len(plain.parts.input)
    before = with_restored(plain, record)[:start]
    asked = [
        messages[position] if position in found else message
        for position, message in zip(
            plain.parts.input, plain.context.messages[start:], strict=True
        )
    ]
    added = [messages[position] for position in before_input(record)]
    assert list(record.context.messages) == [*before, *added, *asked]


def test_a_result_that_the_input_holds_cleared_is_sent_whole_when_it_is_recalled() -> (
    None
):
    call = ToolCall("a", "look_up", "{}")
    log = [
        Message("user", "Look."),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "The code is 7731.", tool_call_id="a"),
        Message("user", "And now?"),
        Message("tool", "Nothing more.", tool_call_id="b"),
    ]
    strategy = small("clear_tool_results")
    plain = last_of(memviz.replay(log, strategy, counter="chars4"))
    assert plain.context.messages[-3].content == "[cleared]"
    record = last_request(log, strategy, messages=[2])
    assert record.context.messages[-3] == log[2]


def test_bound_keeps_the_newest_and_reports_the_cut() -> None:
    record = last_request(talk(20), memviz.strategy("window", window_size=1), last_n=30)
    assert record.recalled is not None
    assert list(record.recalled.messages) == talk(20)[18:38], (
        "20 unless the strategy says otherwise"
    )
    assert record.recalled.cut == 10


def test_what_was_asked_for_by_number_goes_before_the_newest() -> None:
    strategy = memviz.strategy(
        "summary_only", enable_summarization=False, max_recalled_messages=4
    )
    record = last_request(talk(9), strategy, turns=[1], messages=[5], last_n=6)
    assert record.recalled is not None
    assert record.recalled.indices == (0, 1, 5, 15)
    assert record.recalled.cut == 5
    record = last_request(talk(9), strategy, turns=[1, 2, 3], last_n=6)
    assert record.recalled is not None
    assert record.recalled.indices == (2, 3, 4, 5), (
        "of more numbers than there is room for, the newest"
    )


def test_the_bound_is_that_of_one_recall_and_nothing_is_cut_that_another_one_brings_back() -> (
    None
):
    strategy = memviz.strategy(
        "summary_only", enable_summarization=False, max_recalled_messages=2
    )
    chat = memviz.Chat(strategy, model=ScriptedModel(["answer"] * 4))
    for number in range(4):
        chat.send(f"question {number}")
    assert (chat.recall(last_n=4).indices, chat.recall(turns=[1]).indices) == (
        (6, 7),
        (0, 1, 6, 7),
    )
    assert chat.waiting.recalled.cut == 2
    assert chat.recall(turns=[3]).cut == 0


def test_what_does_not_exist_is_named_and_the_rest_recalled() -> None:
    record = last_request(
        talk(3),
        memviz.strategy("window", window_size=1),
        turns=[1, 9],
        messages=[99, -1, 2],
    )
    assert record.recalled is not None
    assert list(record.recalled.messages) == talk(3)[:3]
    assert set(record.recalled.missing) == {"turn 9", "message 99", "message -1"}


def test_what_brought_nothing_back_is_kept_with_the_run() -> None:
    run = memviz.replay(
        talk(2), memviz.strategy("window"), model=None, recalls={2: Recall([99])}
    )
    (recalled,) = [
        r.recalled
        for r in memviz.Run.from_dict(run.to_dict()).turns
        if r.recalled is not None
    ]
    assert (len(recalled), recalled.missing) == (0, ("turn 99",))


def test_the_future_does_not_exist_yet() -> None:
    run = memviz.replay(
        talk(5),
        memviz.strategy("window", window_size=1),
        model=None,
        recalls={2: Recall([1, 4], [7])},
    )
    recalled = run.turns[1].recalled
    assert recalled is not None
    assert list(recalled.messages) == talk(5)[:2]
    assert set(recalled.missing) == {"turn 4", "message 7"}


def test_turn_zero_can_be_recalled() -> None:
    messages = [Message("assistant", "Welcome"), *talk(3)]
    record = last_request(messages, memviz.strategy("window", window_size=1), turns=[0])
    assert record.context.messages == (messages[0], messages[5])


def test_recalled_beats_summarized_and_is_counted_as_recalled() -> None:
    record = last_request(talk(4), small("summary"), messages=[0, 1])
    assert record.tokens["recalled"] == sum(
        memviz.counter("chars4")(m.content) for m in talk(4)[:2]
    )
    summary = record.context.block("summary")
    assert summary is not None
    assert {0, 1} <= set(summary.indices), "the summary still stands for them as well"


@for_each(
    "query",
    [
        {},
        {"turns": [], "messages": [], "keywords": []},
        {"keywords": ["", "  "]},
        {"last_n": 0},
        {"last_n": -3},
        {"last_n": "3"},
        {"turns": ["1"]},
        {"turns": [True]},
        {"messages": [1.5]},
        {"messages": [None]},
        {"turns": 1},
        {"messages": "12"},
        {"turns": {"from": 1}},
        {"last_n": [2]},
        {"keywords": 5},
        {"keywords": ["budget", 5]},
        {"turns": None, "messages": None, "last_n": None, "keywords": None},
    ],
)
def test_a_recall_that_names_nothing_or_nonsense_is_an_error(
    query: dict[str, Any],
) -> None:
    with pytest.raises(RecallError, match=r"\.$"):
        Recall(**query)


def test_none_is_what_is_left_out() -> None:
    assert Recall(turns=[1], messages=None, last_n=None, keywords=None) == Recall(
        turns=[1]
    )  # type: ignore[arg-type]
    assert Recall(turns=None, keywords="budget") == Recall(keywords=["budget"])  # type: ignore[arg-type]


def test_recall_switched_off_is_an_error_that_names_the_switch() -> None:
    chat = memviz.Chat(
        memviz.strategy("summary_only", enable_recall=False),
        model=ScriptedModel(["a"] * 9),
    )
    chat.send("Hello")
    with pytest.raises(RecallError, match="enable_recall"):
        chat.recall(turns=[1])


class TestInChat:
    def chat(self, *replies: Any) -> memviz.Chat:
        model = ScriptedModel([*[f"answer {i}" for i in range(3)], *replies])
        chat = memviz.Chat(memviz.strategy("window", window_size=1), model=model)
        for i in range(3):
            chat.send(f"question {i}")
        return chat

    def recalled(self, record: memviz.TurnRecord) -> list[str]:
        block = record.context.block("recalled")
        return [m.content for m in block.messages] if block else []

    def test_for_the_next_request_only(self) -> None:
        chat = self.chat("a", "b")
        found = chat.recall(turns=[1], messages=[5])
        assert [m.content for m in found.messages] == [
            "question 0",
            "answer 0",
            "answer 2",
        ]
        assert self.recalled(chat.send("x")) == ["question 0", "answer 0", "answer 2"]
        assert self.recalled(chat.send("y")) == []

    def test_several_recalls_are_united(self) -> None:
        chat = self.chat("a")
        chat.recall(messages=[3, 0])
        found = chat.recall(messages=[3, 2])
        assert found.indices == (0, 2, 3)
        assert self.recalled(chat.send("x")) == ["question 0", "question 1", "answer 1"]

    def test_can_be_cleared(self) -> None:
        chat = self.chat("a")
        chat.recall(turns=[1])
        chat.clear_recalled()
        assert self.recalled(chat.send("x")) == []

    def test_a_bad_recall_leaves_the_good_one(self) -> None:
        chat = self.chat("a")
        chat.recall(turns=[1])
        with pytest.raises(RecallError):
            chat.recall()
        assert self.recalled(chat.send("x")) == ["question 0", "answer 0"]

    def test_a_request_that_failed_still_holds_them_when_retried_and_then_they_are_gone(
        self,
    ) -> None:
        chat = self.chat(
            memviz.ModelError("down"), memviz.ModelError("still down"), "back", "b"
        )
        chat.recall(turns=[1])
        with pytest.raises(memviz.ModelError):
            chat.send("x")
        with pytest.raises(memviz.ModelError):
            list(chat.retry())
        list(chat.retry())
        assert self.recalled(chat.run.turns[-1]) == ["question 0", "answer 0"]
        assert self.recalled(chat.send("y")) == []

    def test_a_request_that_succeeded_holds_them_when_asked_again(self) -> None:
        chat = self.chat("a", "a better one", "b")
        chat.recall(turns=[1])
        chat.send("x")
        list(chat.retry())
        assert chat.run.turns[-1].reply == "a better one"
        assert self.recalled(chat.run.turns[-1]) == ["question 0", "answer 0"]
        assert self.recalled(chat.send("y")) == []

    def test_a_retry_takes_what_was_recalled_since_as_well(self) -> None:
        """The retry is the next request, so what was recalled before it goes into it."""
        chat = self.chat("a", "a better one")
        chat.recall(turns=[1])
        chat.send("x")
        chat.recall(turns=[2])
        list(chat.retry())
        assert self.recalled(chat.run.turns[-1]) == [
            "question 0",
            "answer 0",
            "question 1",
            "answer 1",
        ]

    def test_what_was_missing_is_still_told_after_a_retry(self) -> None:
        chat = self.chat("a", "a better one")
        chat.recall(turns=[1, 99])
        first = chat.send("x").recalled
        list(chat.retry())
        assert chat.run.turns[-1].recalled == first

    def test_a_partial_reply_can_be_recalled(self) -> None:
        """Stopping leaves a message in the log, and recall picks from the log."""
        chat = self.chat("first line\nsecond line", "b")
        stream = chat.stream("x")
        next(stream)
        stream.close()
        found = chat.recall(messages=[7])
        assert found.missing == ()
        assert [m.content for m in found.messages] == ["first line\n"]

    def test_last_n_counts_from_the_end_of_the_log(self) -> None:
        chat = self.chat("first line\nsecond line", "b")
        assert chat.recall(last_n=2).indices == (4, 5)
        stream = chat.stream("x")
        next(stream)
        stream.close()
        assert chat.recall(last_n=2).indices == (6, 7)


class TestPinned:
    def chat(self, count: int = 6) -> memviz.Chat:
        model = ScriptedModel([f"answer {i}" for i in range(count)])
        chat = memviz.Chat(memviz.strategy("window", window_size=1), model=model)
        for i in range(3):
            chat.send(f"question {i}")
        return chat

    def recalled(self, record: memviz.TurnRecord) -> tuple[int, ...]:
        return record.parts.recalled

    def test_goes_into_every_request_until_unpinned(self) -> None:
        chat = self.chat()
        assert chat.pin([1, 0]).indices == (0, 1)
        assert [self.recalled(chat.send(text)) for text in "xy"] == [(0, 1), (0, 1)]
        chat.unpin([0])
        assert self.recalled(chat.send("z")) == (1,)
        assert chat.pinned == (1,)

    def test_is_united_with_what_is_recalled_for_one_request(self) -> None:
        chat = self.chat()
        chat.pin([0])
        assert chat.recall(messages=[3]).indices == (0, 3)
        assert self.recalled(chat.send("x")) == (0, 3)
        assert self.recalled(chat.send("y")) == (0,)

    def test_a_message_that_does_not_exist_is_named_and_not_pinned(self) -> None:
        chat = self.chat()
        assert chat.pin([0, 99]).missing == ("message 99",)
        assert chat.pinned == (0,)

    def test_undo_and_retry_unpin_what_they_take_back(self) -> None:
        chat = self.chat()
        chat.pin([0, 4, 5])
        list(chat.retry())
        assert chat.pinned == (0, 4)
        chat.undo()
        assert chat.pinned == (0,)

    def test_waits_while_recall_is_switched_off(self) -> None:
        chat = self.chat()
        chat.pin([0])
        chat.change_strategy(
            memviz.strategy(
                "summary_only", enable_recall=False, enable_summarization=False
            )
        )
        assert chat.waiting.fresh == ()
        assert self.recalled(chat.send("x")) == ()
        chat.change_strategy(memviz.strategy("window", window_size=1))
        assert self.recalled(chat.send("y")) == (0,)


@given(
    pinned=st.sets(st.integers(0, 9), max_size=6),
    asked=st.sets(st.integers(0, 9), max_size=6),
    id=st.sampled_from(IDS),
    length=st.integers(0, 60),
)
def test_what_waits_is_what_is_sent(
    pinned: set[int], asked: set[int], id: str, length: int
) -> None:
    chat = memviz.Chat(small(id), model=Digest(), counter="chars4")
    for message in talk(5):
        if message.role == "user":
            chat.send(message.content)
    if pinned:
        chat.pin(pinned)
    if asked:
        chat.recall(messages=asked)
    waiting = chat.waiting
    assert waiting.recalled.indices == tuple(sorted(pinned | asked))
    assert sorted((*waiting.fresh, *waiting.held, *waiting.undecided)) == list(
        waiting.recalled.indices
    )
    record = chat.send("And now? " + "long " * length)
    assert set(waiting.fresh) <= set(record.parts.recalled)
    assert set(record.parts.recalled) <= {*waiting.fresh, *waiting.undecided}, (
        "what is held is not sent twice"
    )
    fill = chat.strategy.fill(chat.memory)
    has_limit = chat.strategy.budget_tokens or (fill and fill.unit == "tokens")
    is_library = isinstance(chat.strategy, LibraryStrategy)
    assert has_limit or is_library or not waiting.undecided, (
        "only a limit in tokens depends on the length, and a library says nothing"
    )
    assert waiting.tokens == sum(
        memviz.counter("chars4")(chat.log[position].content)
        for position in waiting.fresh
    )


def test_what_waits_knows_of_the_summary_that_the_next_message_makes_due() -> None:
    chat = memviz.Chat(memviz.strategy("summary", buffer_size=2), model=Digest())
    chat.send("One.")
    chat.send("Two.")
    chat.recall(turns=[1])
    assert (chat.waiting.fresh, chat.waiting.held) == ((0, 1), ()), (
        "word for word so far, and then no more"
    )
    assert chat.send("Three.").parts.recalled == (0, 1)


def test_what_waits_for_a_review_is_undecided() -> None:
    chat = memviz.Chat(memviz.strategy("summary", buffer_size=2), model=Digest())
    chat.send("One.")
    chat.send("Two.")
    chat.recall(turns=[1])
    assert (chat.waiting.fresh, chat.waiting.undecided) == ((0, 1), ())
    chat.review = True
    assert (chat.waiting.fresh, chat.waiting.undecided) == ((), (0, 1)), (
        "the user may skip it"
    )


@for_each(
    ("text", "numbers"),
    [
        ("", ()),
        ("1", (1,)),
        ("1, 3-5", (1, 3, 4, 5)),
        (" 7 ;2–3 ,", (7, 2, 3)),
        ("4-4", (4,)),
        ("0", (0,)),
    ],
)
def test_numbers_and_ranges_are_read(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_numbers(text) == numbers


@for_each(
    "text", ["one", "3-", "-3", "1.5", "1-2-3", "²", "5-3", "1-999999999", "9" * 5000]
)
def test_what_is_no_list_of_numbers_says_which_piece(text: str) -> None:
    with pytest.raises(RecallError, match=r"Write|at most"):
        parse_numbers(text)


def test_too_many_numbers_are_refused_before_they_are_listed() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(RecallError, match="names 2,999,700 numbers; at most"):
            parse_numbers("1-9999," * 300)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1_000_000


def test_leading_system_messages_are_not_recalled_since_they_are_sent_anyway() -> None:
    said = [Message("system", "rules of the house"), *talk(3)]
    record = last_request(
        said,
        memviz.strategy("window", window_size=1),
        turns=[1],
        messages=[0],
        keywords=["house"],
    )
    assert record.recalled is not None
    assert not record.recalled.missing
    assert [m.content for m in record.context.messages].count("rules of the house") == 1
    assert record.context.block("recalled").indices == (1, 2)  # type: ignore[union-attr]
