"""Conversations in which the model calls tools again and again before it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from memviz import Message

WORDS = (
    "seat",
    "Lisbon",
    "refund",
    "42",
    "搬家",
    "gate",
    "naïve",
    "fare",
    "and",
    "window",
)


def tool_loop(calls: Sequence[int], seed: int = 0) -> list[Message]:
    """A conversation with so many calls of the model in each turn: all but the last of a turn ask for one or two
    tools, whose results follow."""
    return list(_said(calls, Random(seed)))


def _said(calls: Sequence[int], random: Random) -> Iterator[Message]:
    for turn, count in enumerate(calls, 1):
        yield Message("user", f"Request {turn}: {_words(random)}")
        for call in range(1, count):
            ids = [
                f"t{turn}-{call}-{number}"
                for number in range(random.choice((1, 1, 1, 2)))
            ]
            wanted = tuple(
                {
                    "id": id,
                    "function": {
                        "name": "look_up",
                        "arguments": f'{{"what": "{_words(random)}"}}',
                    },
                }
                for id in ids
            )
            yield Message(
                "assistant", random.choice(("", "Let me look.")), tool_calls=wanted
            )
            for id in ids:
                name = random.choice((None, "look_up"))
                yield Message(
                    "tool",
                    f"result {call}: {_words(random)}",
                    tool_call_id=id,
                    name=name,
                )
        yield Message("assistant", f"Answer {turn}: {_words(random)}")


def _words(random: Random) -> str:
    return " ".join(random.choice(WORDS) for _ in range(random.choice((1, 3, 8, 30))))
