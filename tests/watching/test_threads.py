"""What is new in a request that repeats its history."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.messages import Message, ToolCall
from memviz.watching import threads
from memviz.watching.exchanges import Exchange
from memviz.watching.threads import NewMessages, Threads
from tests.tables import for_each
from tests.watching.exchanges_said import exchange, words

USAGE = {"input_tokens": 10, "output_tokens": 3}


def take_all(*exchanges: Exchange) -> list[NewMessages | None]:
    seen = Threads()
    return [seen.take(one) for one in exchanges]


def log_of(new: Sequence[NewMessages | None]) -> str:
    return " ".join(words(one.messages) for one in new if one)


@for_each("known", [{}, {"conversation": "c"}, {"trace": "t"}])
def test_a_growing_history_is_appended_once(known: dict[str, str]) -> None:
    new = take_all(
        exchange("s:be u:1", "a:2", **known),
        exchange("s:be u:1 a:2 u:3", "a:4", **known),
        exchange("s:be u:1 a:2 u:3 a:4 t:5", "a:6", **known),
    )
    assert log_of(new) == "u:1 a:2 u:3 a:4 t:5 a:6"
    assert new[0] is not None
    assert new[0].prompt == "be"
    assert {one.conversation for one in new if one} == {new[0].conversation}
    assert all(one.compaction is None for one in new if one)


@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=12), st.booleans())
def test_repeated_words_are_all_kept(texts: list[str], is_named: bool) -> None:
    """However often the same is said, nothing is lost and nothing doubled."""
    name = "c" if is_named else ""
    seen = Threads()
    history: list[Message] = []
    new = []
    for text in texts:
        history.append(Message("user", text))
        reply = Message("assistant", text)
        new.append(seen.take(Exchange(tuple(history), (reply,), name)))
        history.append(reply)
    assert log_of(new) == words(history)
    keys = [key for one in new if one for key in one.keys]
    assert len(set(keys)) == len(history)


def test_what_is_told_twice_or_late_adds_nothing() -> None:
    first = exchange("u:1", "a:2", trace="t")
    second = exchange("u:1 a:2 u:3", "a:4", trace="t")
    assert take_all(first, first)[1] is None
    assert take_all(second, first)[1] is None


def test_an_exchange_of_the_newest_trace_of_a_conversation_is_told_twice() -> None:
    again = exchange("u:1 a:2 u:3", "a:4", trace="t2")
    new = take_all(exchange("u:1", "a:2", trace="t1"), again, again)
    assert log_of(new) == "u:1 a:2 u:3 a:4"


def test_a_reply_that_the_program_changes_is_no_new_one() -> None:
    new = take_all(
        exchange("u:1", "a:Two.", conversation="c"),
        exchange("u:1 a:two u:3", "a:4", conversation="c"),
    )
    assert log_of(new) == "u:1 a:Two. u:3 a:4"
    assert new[1] is not None
    assert new[1].compaction is None


def test_ids_and_the_order_of_arguments_make_no_other_message() -> None:
    one = Message("assistant", "", None, (ToolCall("1", "f", '{"a": 1, "b": 2}'),))
    other = Message("assistant", " ", None, (ToolCall("9", "f", '{"b":2,"a":1}'),))
    asked = Message("user", "q")
    result = Message("tool", "42", tool_call_id="9")
    new = take_all(
        Exchange((asked, one, result), (), "c"),
        Exchange((asked, other, result, asked), (), "c"),
    )
    assert new[1] is not None
    assert new[1].messages == (asked,)
    assert new[1].compaction is None


def test_a_retry_adds_its_reply_alone() -> None:
    asked = "u:1 a:2 u:3"
    new = take_all(
        exchange("u:1", "a:2", conversation="c"),
        exchange(asked, "a:4", conversation="c"),
        exchange(asked, "a:four", conversation="c"),
    )
    assert log_of(new) == "u:1 a:2 u:3 a:4 a:four"


@for_each(
    ("sent", "text", "part", "first", "newest"),
    [
        ("s:be u:3 a:4 u:5", "", "up_to", None, 2),
        ("s:be u:3 a:four u:5", "", "up_to", None, 2),
        ("s:be u:(1,2) u:3 a:4 u:5", "(1,2)", "up_to", None, 2),
        ("s:be s:(1,2) u:3 a:4 u:5", "(1,2)", "up_to", None, 2),
        ("s:be u:1 a:2 u:3 u:5", "", "up_to", 3, 0),
        ("s:be u:1 a:4 u:5", "", "up_to", 1, 1),
        ("s:be u:1 u:(2,3) a:4 u:5", "(2,3)", "up_to", 1, 1),
        ("s:be u:1 u:3 u:5", "", "up_to", None, None),
        ("s:be u:1 a:cleared u:3 a:4 u:5", "", "up_to", None, None),
        ("s:be a:(1,2) u:3 a:4 u:5", "", "up_to", None, None),
        ("s:be u:(1-4) u:5", "(1-4)", "", None, 0),
        ("s:be u:(1-4) a:Good. u:5", "(1-4)", "", None, None),
        ("s:be u:5", "", "", None, 0),
    ],
)
def test_less_of_the_history_is_a_compaction(
    sent: str, text: str, part: str, first: int | None, newest: int | None
) -> None:
    *before, last = take_all(
        exchange("s:be u:1", "a:2", conversation="c"),
        exchange("s:be u:1 a:2 u:3", "a:4", conversation="c", usage=USAGE),
        exchange(sent, "a:6", conversation="c", usage={"input_tokens": 7}),
    )
    assert all(one and one.compaction is None for one in before)
    assert last is not None
    assert words(last.messages) == "u:5 a:6"
    event = last.compaction
    assert event is not None
    assert (event.kind, event.text, event.part) == ("compaction", text, part)
    assert (event.tokens_before, event.tokens_after) == (13, 7)
    assert (event.kept_first, event.kept_newest) == (first, newest)


def test_each_compaction_says_what_stayed_and_what_still_stands_before_it() -> None:
    new = take_all(
        exchange("u:1", "a:2", conversation="c"),
        exchange("u:1 a:2 u:1", "a:2", conversation="c"),
        exchange("u:1 a:2 u:1", "a:again", conversation="c"),
        exchange("u:(1) u:1 a:again u:5", "a:6", conversation="c"),
        exchange("u:(1) u:5 a:six u:7", "a:8", conversation="c"),
        exchange("u:(1) u:5 a:six u:7 a:8 u:9", "a:10", conversation="c"),
        exchange("u:9 a:10 u:11", "a:12", conversation="c"),
    )
    assert log_of(new) == "u:1 a:2 u:1 a:2 a:again u:5 a:6 u:7 a:8 u:9 a:10 u:11 a:12"
    events = [one.compaction for one in new if one and one.compaction]
    # An answer that was tried again stands between what stayed of the first.
    assert [(one.text, one.kept_newest) for one in events] == [
        ("(1)", None),
        ("(1)", 2),
        ("", 2),
    ]


def test_a_trimmed_conversation_without_a_name_goes_on() -> None:
    new = take_all(
        exchange("u:1", "a:2"),
        exchange("u:1 a:2 u:3", "a:4"),
        exchange("u:other", "a:thing"),
        exchange("u:3 a:4 u:5", "a:6"),
    )
    first, _second, other, last = new
    assert first
    assert other
    assert last
    assert other.conversation != first.conversation == last.conversation
    assert words(last.messages) == "u:5 a:6"


def test_side_requests_of_a_named_conversation_stand_beside_it() -> None:
    new = take_all(
        exchange("s:be u:1", "a:2", conversation="c"),
        exchange("s:Name-it. u:1", "a:Title", conversation="c"),
        exchange("s:be u:1 a:2 u:3", "a:4", conversation="c"),
    )
    assert [one and one.conversation for one in new] == ["c", "c #2", "c"]


def test_the_same_question_is_another_conversation_where_none_is_named() -> None:
    new = take_all(exchange("u:hi", "a:ho"), exchange("u:hi", "a:ho"))
    assert new[0]
    assert new[1]
    assert new[0].conversation != new[1].conversation


def test_what_the_server_keeps_is_not_said_again() -> None:
    new = take_all(
        exchange("s:be u:1", "a:2", id="r1"),
        exchange("u:x", "a:y", id="r9"),
        exchange("s:be u:3", "a:4", id="r2", follows="r1"),
        exchange("t:5", "a:6", id="r3", follows="r2"),
    )
    assert [one and words(one.messages) for one in new][2:] == ["u:3 a:4", "t:5 a:6"]
    assert new[0]
    assert [one and one.conversation for one in new[2:]] == [new[0].conversation] * 2
    assert all(one and one.compaction is None for one in new)


def test_usage_stands_beside_the_reply() -> None:
    (new,) = take_all(exchange("u:1", "a:2 a:3", usage=USAGE))
    assert new is not None
    assert [one.meta for one in new.messages] == [None, None, {"usage": USAGE}]


def test_what_is_said_has_the_time_of_its_request_or_of_its_reply() -> None:
    asked_at, answered_at = "2026-06-01T10:00:00+00:00", "2026-06-01T10:00:05+00:00"
    times = {"asked_at": asked_at, "answered_at": answered_at}
    new = take_all(
        exchange("s:be u:1 a:2 u:3", "a:4", **times),
        exchange("u:1 a:2 u:3 a:4 t:5 t:6", "a:7"),
        exchange("u:1 a:8 t:9", "a:10", **times),
    )
    notes = [[message.meta for message in one.messages] for one in new if one]
    assert notes == [
        [None, None, {"time": asked_at}, {"time": answered_at}],
        [None, None, None],
        [None, None, {"time": asked_at}, {"time": answered_at}],
    ]


def test_a_compaction_has_the_time_of_the_request_that_shows_it() -> None:
    _first, second = take_all(
        exchange("u:1 a:2 u:3", "a:4", conversation="c"),
        exchange("u:3 a:4 u:5", "a:6", conversation="c", asked_at="2026-06-01T10:00"),
    )
    assert second is not None
    assert second.compaction is not None
    assert second.compaction.time == "2026-06-01T10:00"


@for_each("known", [{}, {"conversation": "c"}, {"trace": "t"}])
def test_what_could_not_be_kept_comes_with_the_next_exchange(
    known: dict[str, str],
) -> None:
    seen = Threads()
    first = seen.take(exchange("s:be u:1", "a:2", **known))
    second = seen.take(exchange("s:be u:1 a:2 u:1", "a:2", **known))
    assert first is not None
    assert second is not None
    seen.take_back(second)
    third = seen.take(exchange("s:be u:1 a:2 u:1 a:2 u:3", "a:4", **known))
    assert third is not None
    assert words(third.messages) == "u:1 a:2 u:3 a:4"
    assert third.conversation == first.conversation
    assert third.compaction is None
    assert third.keys[:2] == second.keys
    assert seen._digests == sum(thread.size for thread in seen._by_key.values())


def test_a_conversation_that_was_taken_back_has_the_same_keys_again() -> None:
    seen = Threads()
    first = seen.take(exchange("u:1 a:2 u:1", "a:2", conversation="c"))
    assert first is not None
    seen.take_back(first)
    assert not seen._by_key
    again = seen.take(exchange("u:1 a:2 u:1 a:2 u:3", "a:4", conversation="c"))
    assert again is not None
    assert again.keys[:4] == first.keys


def test_only_the_newest_conversations_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "MOST_THREADS", 2)
    seen = Threads()
    for name in "abcd":
        seen.take(exchange(f"u:{name}", "a:1", conversation=name, id=name))
    assert list(seen._by_key) == ["c", "d"]
    assert seen._digests == sum(thread.size for thread in seen._by_key.values())
    assert seen._by_reply.keys_where_value(bool) == ["c", "d"]
