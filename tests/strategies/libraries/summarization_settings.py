"""Settings of LangChain's SummarizationMiddleware, drawn at random, as the library and as memviz takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from hypothesis import strategies as st

from memviz import Message
from memviz.core.conversation import Log

WINDOW_TOKENS = 100
PERCENTS = st.sampled_from([1, 10, 29, 50, 100])  # 0.29 x 100 is 28.999999999999996
AMOUNTS = {
    "tokens": st.integers(1, 120),
    "messages": st.integers(1, 14),
    "fraction": PERCENTS.map(lambda p: p / 100),
}
FIELDS = {
    "tokens": "trigger_tokens",
    "messages": "trigger_messages",
    "fraction": "trigger_percent",
}
ENDS = ["in short", "two\nlines of it", "long " * 20, "many\nlines\n" * 6 + "end"]


@dataclass(frozen=True)
class Setting:
    """The library's arguments."""

    clauses: tuple[dict[str, Any], ...]
    more: tuple[dict[str, Any], ...]
    keep: tuple[str, Any]
    trim: int | None

    @property
    def theirs(self) -> dict[str, Any]:
        """For the library: clauses joined by *or*, each of them joined by *and*."""
        trigger = [*self.clauses, *self.more] or None
        return {
            "trigger": trigger,
            "keep": self.keep,
            "trim": self.trim,
            "window": WINDOW_TOKENS,
        }

    @property
    def ours(self) -> dict[str, Any]:
        """For memviz."""
        kind, amount = self.keep
        keep = (
            {"keep_percent": round(100 * amount)}
            if kind == "fraction"
            else {f"keep_{kind}": amount}
        )
        amounts = {
            name: value for clause in self.clauses for name, value in clause.items()
        }
        triggers = {
            FIELDS[name]: round(100 * n) if name == "fraction" else n
            for name, n in amounts.items()
        }
        return {
            "trigger_tokens": 0,
            **triggers,
            **keep,
            "joined_by": "all" if len(self.clauses) == 1 else "any",
            "other_triggers": " or ".join(map(in_words, self.more)) or None,
            "window_tokens": WINDOW_TOKENS,
            "summarizer_reads_tokens": self.trim or 0,
        }


def in_words(clause: dict[str, Any]) -> str:
    return " and ".join(
        f"{n} of the window" if name == "fraction" else f"{n} {name}"
        for name, n in clause.items()
    )


clauses = st.fixed_dictionaries({}, optional=AMOUNTS)
keeps = st.one_of(
    st.tuples(st.just("messages"), st.integers(1, 8)),
    st.tuples(st.just("tokens"), st.integers(1, 60)),
    st.tuples(st.just("fraction"), PERCENTS.map(lambda percent: percent / 100)),
)


@st.composite
def settings(draw: st.DrawFn) -> Setting:
    """Any setting; most of them act in a short conversation."""
    clause = draw(clauses)
    apart = tuple({name: amount} for name, amount in clause.items())
    joined = (clause,) if clause else ()
    more = tuple(filter(None, draw(st.lists(clauses, max_size=2))))
    trim = draw(st.sampled_from([None, 5, 12, 30, 60]))
    return Setting(draw(st.sampled_from([apart, joined])), more, draw(keeps), trim)


def summaries(ends: Sequence[str]) -> Iterator[str]:
    """Summaries without end, each different; ``ends`` are what they end with in turn."""
    return (f"Summary {number} {ends[number % len(ends)]}" for number in count(1))


def with_input(
    messages: Sequence[Message],
    sent: Sequence[Message],
    kept: Sequence[int],
    length: int,
) -> list[Message]:
    """What the library sends with the input besides, as far as it summarized that: the one difference."""
    own = list(sent[: len(sent) - len(kept)])
    asked = range(Log(messages).input_start(length), length)
    return [*own, *(messages[position] for position in sorted({*kept, *asked}))]
