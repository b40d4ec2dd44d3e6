"""Token counters and the running sums over a log."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message, UnknownCounterError
from memviz.core.counters import COUNTERS, Counter
from memviz.core.token_sums import TokenSums
from tests.tables import for_each

ENCODINGS = ["o200k_base", "cl100k_base", "p50k_base"]


def test_the_documented_counters_are_there() -> None:
    assert set(COUNTERS) == {*ENCODINGS, "chars4", "bytes4"}
    for name in COUNTERS:
        assert memviz.counter(name).name == name


def test_unknown_counter_lists_the_known_ones() -> None:
    with pytest.raises(UnknownCounterError) as caught:
        memviz.counter("gpt2")
    assert "gpt2" in str(caught.value)
    assert all(name in str(caught.value) for name in COUNTERS)


@for_each(
    ("text", "chars4", "bytes4"),
    [
        ("", 1, 1),
        ("abc", 1, 1),
        ("abcdefg", 1, 1),
        ("abcdefgh", 2, 2),
        ("éééé", 1, 2),
        ("搬家搬家", 1, 3),
        ("😀", 1, 1),
    ],
)
def test_estimates_by_hand(text: str, chars4: int, bytes4: int) -> None:
    assert memviz.counter("chars4")(text) == chars4
    assert memviz.counter("bytes4")(text) == bytes4


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_estimates_follow_their_rule(text: str) -> None:
    assert memviz.counter("chars4")(text) == max(1, len(text) // 4)
    assert memviz.counter("bytes4")(text) == max(1, len(text.encode()) // 4)


@given(text=st.text())
@example(text="")
@example(text="<|endoftext|>")
@example(text="<|endofprompt|> <|fim_prefix|>")
@for_each("name", ENCODINGS)
def test_encodings_count_as_tiktoken_does_for_ordinary_text(
    name: str, text: str
) -> None:
    count = memviz.counter(name)(text)
    assert count == len(tiktoken.get_encoding(name).encode_ordinary(text))


@for_each("name", ENCODINGS)
def test_special_token_text_counts_as_ordinary_text(name: str) -> None:
    count = memviz.counter(name)
    assert count("<|endoftext|>") > 1


@for_each("name", ["o200k_base", "chars4"])
@for_each("text", [" " * 1_000_001, "a" * 200_000, "\ud800 lone surrogate"])
def test_hostile_texts_never_raise(name: str, text: str) -> None:
    assert memviz.counter(name)(text) >= 1


def test_long_text_is_counted_almost_exactly() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 4000
    count = memviz.counter("o200k_base")(
        text
    )  # first, because it knows where the encodings are
    exact = len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
    assert count == pytest.approx(exact, rel=1e-4)


def test_any_function_can_count() -> None:
    count = memviz.counter(lambda text: len(text.split()))
    assert count("three little words") == 3
    assert memviz.counter(count) is count


class TestTokenSums:
    def sums(self, contents: list[str]) -> TokenSums:
        return Log([Message("user", content) for content in contents]).token_sums(
            memviz.counter("o200k_base")
        )

    @given(
        contents=st.lists(
            st.sampled_from(["", "a", "two words", "a sentence of some words"])
        ),
        data=st.data(),
    )
    def test_sums_and_suffixes_agree_with_counting_again(
        self, contents: list[str], data: st.DataObject
    ) -> None:
        sums, count = self.sums(contents), memviz.counter("o200k_base")
        counts = [count(content) for content in contents]
        stop = data.draw(st.integers(0, len(contents)))
        floor = data.draw(st.integers(0, stop))
        limit = data.draw(st.integers(0, 20))
        assert sums.between(floor, stop) == sum(counts[floor:stop])
        expected = next(
            start
            for start in range(floor, stop + 1)
            if sum(counts[start:stop]) <= limit
        )
        assert sums.suffix_start(stop, limit, floor) == expected

    def test_growing_log_counts_only_what_is_new(self) -> None:
        calls: list[str] = []
        counter = memviz.counter(lambda text: calls.append(text) or 1)
        log = Log([Message("user", "a"), Message("assistant", "b")])
        log.token_sums(counter)
        log.append(Message("user", "c"))
        assert log.token_sums(counter).totals == [0, 1, 2, 3]
        assert calls == ["a", "b", "c"]


@given(
    lines=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(str.strip),
        min_size=1,
    )
)
@for_each("name", list(COUNTERS))
def test_units_of_lines_that_start_with_a_bracket_add_up(
    name: str, lines: list[str]
) -> None:
    """What lets a growing list of summaries be counted without counting it again."""
    entries = [f"[Turn {i}] {line}".strip() for i, line in enumerate(lines, start=1)]
    counter = memviz.counter(name)
    parts = [counter.units(entry + "\n") for entry in entries[:-1]] + [
        counter.units(entries[-1])
    ]
    assert counter.tokens(sum(parts)) == counter("\n".join(entries))


@given(text=st.text("aB1 .,!'\"/-()\n\t\u00a0é中🙂", max_size=12).map(str.strip))
@example(text="x" * 50_000)
@example(text="one  -)")
@for_each("name", list(COUNTERS))
def test_a_line_break_behind_a_text_adds_what_it_says(name: str, text: str) -> None:
    counter = COUNTERS[name]
    assert counter.units(text + "\n") == counter.units(text) + counter.line_break_units(
        text
    )


PIECES = [
    ".", ". ", "/", " ", "\n", "\n\n", "\r\n", "\t", "'s", "user: ", "12", "123456", "é", "’", "\u2028", "\u3000", "a",
    " /[", "[\n", "-", "(", "<", "</fact>\n<fact>", "\n<",
]  # fmt: skip


@given(
    text=st.lists(st.text(max_size=8) | st.sampled_from(PIECES), max_size=14).map(
        "".join
    )
)
@example(text="one.\n\nuser: two\n/three \nfour")
@example(text="one /[\ntwo")
@for_each("name", list(COUNTERS))
def test_counting_in_lines_gives_the_same(name: str, text: str) -> None:
    assert COUNTERS[name].in_lines(text) == COUNTERS[name](text)


def test_a_line_is_counted_once_for_all_texts_that_hold_it() -> None:
    seen: list[str] = []

    def units(text: str) -> int:
        seen.append(text)
        return len(text)

    counter = Counter("counted", units)
    COUNTERS["counted"] = counter
    try:
        lines = ["user: one", "assistant: two", "user: three"]
        assert counter.in_lines("\n".join(lines)) == len("\n".join(lines))
        before = len(seen)
        assert counter.in_lines("\n".join(["head", *lines])) == len(
            "\n".join(["head", *lines])
        )
        assert not any(
            word in text for text in seen[before:] for word in ("one", "two", "three")
        )
    finally:
        del COUNTERS["counted"]


def test_the_lines_of_a_function_of_ones_own_are_not_taken_apart() -> None:
    assert memviz.counter(lambda text: len(text) ** 2).in_lines("a\nb") == 9


@for_each("name", list(COUNTERS))
def test_a_pickled_counter_is_the_same_one(name: str) -> None:
    assert pickle.loads(pickle.dumps(COUNTERS[name])) is COUNTERS[name]  # noqa: S301


def test_sums_as_arrays_grow_with_the_log() -> None:
    log = memviz.Log([{"role": "user", "content": "one two three"}])
    sums = log.token_sums(COUNTERS["chars4"])
    assert sums.arrays.totals.tolist() == sums.totals == [0, 3]
    log.append({"role": "assistant", "content": "four five"})
    log.token_sums(COUNTERS["chars4"])
    assert [one.tolist() for one in sums.arrays] == [
        sums.totals,
        sums.reply_totals,
        sums.call_totals,
        sums.name_totals,
    ]
    assert sums.arrays.reply_totals.tolist() == [0, 0, 2]


def test_threads_that_share_the_sums_of_a_log_count_every_message_once() -> None:
    """As replays of one conversation do that run at the same time."""
    messages = [
        Message("user", f"message {number} " + "word " * (number % 7))
        for number in range(3_000)
    ]
    log, count = Log(messages), memviz.counter("o200k_base")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            sums = [
                work.result()
                for work in [threads.submit(log.token_sums, count) for _ in range(16)]
            ]
    finally:
        sys.setswitchinterval(interval)
    alone = Log(messages).token_sums(count)
    assert len({id(one) for one in sums}) == 1
    assert sums[0].totals == alone.totals
    assert sums[0].call_totals == alone.call_totals
    assert pickle.loads(pickle.dumps(alone)).totals == alone.totals  # noqa: S301 - our own, as worker processes get it
