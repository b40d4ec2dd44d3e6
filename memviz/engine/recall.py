"""Recall: pick messages out of the log to send once more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from memviz.conversation import Log, Message
from memviz.errors import RecallError

MAX_NUMBERS = 10_000
"""Most numbers that one list may name: nobody means more, and a typing error could name billions."""
MAX_DIGITS = 9


def _whole_numbers(name: str, values: Iterable[int]) -> tuple[int, ...]:
    values = tuple(values)
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool):
            raise RecallError(f"Recall by {name} takes whole numbers; {value!r} is none.")
    return values


def parse_numbers(text: str) -> tuple[int, ...]:
    """The numbers of a list such as ``1, 3-5``, in the order given; empty for an empty text.

    Raises :class:`RecallError` that names the piece which is neither a number nor a range.
    """
    numbers: list[int] = []
    for piece in text.replace(";", ",").split(","):
        if piece.strip():
            numbers.extend(_range_of(piece.strip()))
    if len(numbers) > MAX_NUMBERS:
        raise RecallError(f"{text.strip()!r} names {len(numbers):,} numbers; at most {MAX_NUMBERS:,} at once.")
    return tuple(numbers)


def _range_of(piece: str) -> range:
    first, dash, last = (part.strip() for part in piece.replace("–", "-").partition("-"))
    digits = [first, last] if dash else [first]
    if not all(number.isdecimal() and len(number) <= MAX_DIGITS for number in digits):
        raise RecallError(f"{piece!r} is neither a number nor a range. Write for example 1, 3-5.")
    start, stop = int(digits[0]), int(digits[-1])
    if stop < start:
        raise RecallError(f"The range {piece!r} runs backwards. Write {stop}-{start}.")
    return range(start, min(stop, start + MAX_NUMBERS) + 1)


@dataclass(frozen=True)
class Recall:
    """What to bring back: by turn numbers (1-based), message positions (0-based), the last ``last_n``
    messages, or keywords (a message that holds any of them, upper or lower case). The picks are united.

    Raises :class:`RecallError` when it names nothing at all, or something that is no whole number.
    """

    turns: Iterable[int] = ()
    messages: Iterable[int] = ()
    last_n: int | None = None
    keywords: Iterable[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", _whole_numbers("turns", self.turns))
        object.__setattr__(self, "messages", _whole_numbers("messages", self.messages))
        keywords = (self.keywords,) if isinstance(self.keywords, str) else tuple(self.keywords)
        object.__setattr__(self, "keywords", tuple(word for word in keywords if word.strip()))
        if self.last_n is not None and (_whole_numbers("last_n", [self.last_n])[0] < 1):
            raise RecallError(f"last_n is {self.last_n}; it has to be 1 or more.")
        if not (self.turns or self.messages or self.keywords or self.last_n):
            raise RecallError("A recall has to name turns, messages, last_n or keywords.")


@dataclass(frozen=True)
class Recalled:
    """What a recall found: ``messages`` in log order and their ``indices``, what does not exist by
    name (``missing``), how many messages the bound cut off (``cut``), and what was asked for: by the
    user, and with the last ``by_model`` of ``asked`` by the model."""

    messages: tuple[Message, ...] = field(default=(), repr=False)
    indices: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    cut: int = 0
    asked: tuple[Recall, ...] = ()
    by_model: int = 0

    @property
    def asked_by_user(self) -> tuple[Recall, ...]:
        """What the user asked for."""
        return self.asked[: len(self.asked) - self.by_model]

    def to_dict(self) -> dict[str, Any]:
        """What cannot be read from the log."""
        return {
            "indices": list(self.indices),
            "missing": list(self.missing),
            "cut": self.cut,
            "asked": [asdict(recall) for recall in self.asked],
            "by_model": self.by_model,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], log: Log) -> Recalled:
        """What :meth:`to_dict` described, over its ``log``."""
        indices = tuple(value["indices"])
        asked = tuple(Recall(**recall) for recall in value["asked"])
        found = tuple(log[p] for p in indices)
        return cls(found, indices, tuple(value["missing"]), value["cut"], asked, value.get("by_model", 0))


def resolve(log: Log, length: int, recalls: Sequence[Recall], max_messages: int) -> Recalled:
    """Find what ``recalls`` name among the first ``length`` messages of ``log``.

    What the model and its recall tool told each other is only brought back by its own positions. More than
    ``max_messages``: the newest are kept. Numbers that do not exist are reported by name.
    """
    found: set[int] = set()
    missing: list[str] = []
    for recall in recalls:
        for number in recall.turns:
            positions = _turn_positions(log, length, number)
            found.update(_worth_recalling(log, positions))
            if not positions:
                missing.append(f"turn {number}")
        for position in recall.messages:
            if 0 <= position < length:
                found.add(position)
            else:
                missing.append(f"message {position}")
        found.update(_newest(log, length, recall.last_n or 0))
        found.update(_holding(log, length, recall.keywords))
    indices = sorted(found)
    kept = tuple(indices[max(0, len(indices) - max_messages) :])
    return Recalled(
        messages=tuple(log[position] for position in kept),
        indices=kept,
        missing=tuple(dict.fromkeys(missing)),
        cut=len(indices) - len(kept),
        asked=tuple(recalls),
    )


def _turn_positions(log: Log, length: int, number: int) -> range:
    if not 0 <= number <= log.turn_count:
        return range(0)
    turn = log.turn(number)
    return range(turn.start, min(turn.stop, length))


def _worth_recalling(log: Log, positions: Iterable[int]) -> Iterator[int]:
    """Without what is in every request already, the leading system messages, and without the model's recalls."""
    return (p for p in positions if p >= log.system_stop and not log[p].is_recall_exchange)


def _newest(log: Log, length: int, number: int) -> Iterator[int]:
    return islice(_worth_recalling(log, range(length - 1, -1, -1)), number)


def _holding(log: Log, length: int, keywords: Iterable[str]) -> list[int]:
    wanted = [word.casefold() for word in keywords]
    if not wanted:
        return []
    texts = ((p, log[p].content.casefold()) for p in _worth_recalling(log, range(length)))
    return [position for position, text in texts if any(word in text for word in wanted)]
