"""Recall: pick messages out of the log to send whole again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from heapq import nlargest
from itertools import chain, islice
from typing import Annotated, Any

from pydantic import AfterValidator, PlainSerializer, ValidationInfo

from memviz.core.bounds import MAX_DIGITS, is_whole_number, quoted
from memviz.core.conversation import Log
from memviz.core.errors import RecallError
from memviz.core.messages import Message
from memviz.core.translation import _
from memviz.engine.stored import Count, NotStored, Position, Reading, Text, read_as

MAX_NUMBERS = 10_000
"""Most numbers that one list may name: nobody means more, and a typing error could name billions."""


def whole_numbers(name: str, values: Iterable[int] | None) -> tuple[int, ...]:
    """The numbers of a list; none for ``None``, which models and programs write for what they leave out.

    Raises :class:`RecallError`, which calls the list by its ``name``, for anything but a list of whole numbers.
    """
    if values is None:
        return ()
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise RecallError(
            f"{name} is {values!r}; it has to be a list of whole numbers, such as [1, 3]."
        )
    values = tuple(values)
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool):
            raise RecallError(
                _(
                    "Recall by {name} takes whole numbers; {value} is not one.",
                    name=name,
                    value=quoted(value),
                )
            )
        if not is_whole_number(value):
            raise RecallError(
                _(
                    "Recall by {name} takes numbers of at most {max_digits} digits; this one has more.",
                    name=name,
                    max_digits=MAX_DIGITS,
                )
            )
    return values


def _words(values: Iterable[str] | None) -> tuple[str, ...]:
    if values is None:
        return ()
    if isinstance(values, str) or not isinstance(values, Iterable):
        words: tuple[object, ...] = (values,)
    else:
        words = tuple(values)
    keywords = []
    for word in words:
        if not isinstance(word, str):
            raise RecallError(
                f"keywords are {values!r}; they have to be a list of texts, such as ['budget']."
            )
        if word.strip():
            keywords.append(word)
    return tuple(keywords)


def parse_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a list in their order: of ``1, 3-5`` 1, 3, 4 and 5; none of an empty text.

    Raises :class:`RecallError` that names the piece which is neither a number nor a range, or for too many numbers.
    """
    ranges = []
    for piece in text.replace(";", ",").split(","):
        if piece.strip():
            ranges.append(_range_of(piece.strip()))
    # A text may name more numbers than fit into memory.
    count = sum(map(len, ranges))
    if count > MAX_NUMBERS:
        raise RecallError(
            _(
                "{text} names {count:,} numbers; at most {max_numbers:,} at once.",
                text=quoted(text.strip()),
                count=count,
                max_numbers=MAX_NUMBERS,
            )
        )
    return tuple(chain.from_iterable(ranges))


def _range_of(piece: str) -> range:
    first, dash, last = piece.replace("–", "-").partition("-")
    bounds = [first.strip(), last.strip()] if dash else [first.strip()]
    if not all(bound.isdecimal() and len(bound) <= MAX_DIGITS for bound in bounds):
        raise RecallError(
            _(
                "{piece} is neither a number nor a range. Write for example 1, 3-5.",
                piece=quoted(piece),
            )
        )
    start = int(bounds[0])
    stop = int(bounds[-1])
    if stop < start:
        raise RecallError(
            _(
                "The range {piece} runs backwards. Write {stop}-{start}.",
                piece=quoted(piece),
                stop=stop,
                start=start,
            )
        )
    return range(start, min(stop, start + MAX_NUMBERS) + 1)


@dataclass(frozen=True)
class Recall:
    """Messages to bring back: by turn numbers (1-based), message positions (0-based), the last ``last_n``
    messages, or keywords (a message that holds any of them, upper or lower case). The picks are united.
    ``None`` stands for what is left out.

    Raises :class:`RecallError` when it names nothing at all, or something of the wrong type.
    """

    turns: Iterable[int] = ()
    messages: Iterable[int] = ()
    last_n: int | None = None
    keywords: Iterable[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", whole_numbers("turns", self.turns))
        object.__setattr__(self, "messages", whole_numbers("messages", self.messages))
        object.__setattr__(self, "keywords", _words(self.keywords))
        if self.last_n is not None and (whole_numbers("last_n", [self.last_n])[0] < 1):
            raise RecallError(f"last_n is {self.last_n}; it has to be 1 or more.")
        if not (self.turns or self.messages or self.keywords or self.last_n):
            raise RecallError(
                _("A recall has to name turns, messages, last_n or keywords.")
            )


StoredRecall = Annotated[
    Recall,
    read_as(dict[Text, Any], lambda value, _: Recall(**value)),
    PlainSerializer(asdict),
]


@dataclass(frozen=True)
class Recalled:
    """The result of a recall. Its length is the number of messages, and iterating over it
    gives them."""

    messages: NotStored[tuple[Message, ...]] = field(default=(), repr=False)
    """In the order of the log."""
    indices: tuple[Position, ...] = ()
    """The log positions of ``messages``."""
    missing: tuple[Text, ...] = ()
    """Names of turns and messages that were asked for and do not exist."""
    cut: Count = 0
    """Number of messages that the strategy's bound left out."""
    asked: tuple[StoredRecall, ...] = ()
    """The recalls that it answers: first the user's, then the model's."""
    by_model: Count = 0
    """Number of recalls in ``asked`` that the model asked for: the last ones."""

    def __len__(self) -> int:
        return len(self.messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    @property
    def asked_by_user(self) -> tuple[Recall, ...]:
        """The recalls that the user asked for."""
        return self.asked[: len(self.asked) - self.by_model]


def _with_messages(recalled: Recalled, info: ValidationInfo[Reading]) -> Recalled:
    log = info.context.space.log
    messages = tuple(log[position] for position in recalled.indices)
    return replace(recalled, messages=messages)


StoredRecalled = Annotated[Recalled, AfterValidator(_with_messages)]
"""Without the messages, which the log has."""


def resolve_recalls(
    log: Log, recalls: Sequence[Recall], bounds: Sequence[int], max_messages: int
) -> Recalled:
    """Return the messages that ``recalls`` name, recall number n among the first
    ``bounds[n]`` messages of ``log``.

    The exchange of the model with its recall tool is only brought back by its own
    positions. Where one recall names more than ``max_messages``, messages asked for by
    number are kept first, and of the others the newest. Numbers that do not exist are
    reported by name.
    """
    named_positions: set[int] = set()
    within_bound: set[int] = set()
    missing: list[str] = []
    for recall, bound in zip(recalls, bounds, strict=True):
        by_number, absent = _by_number(log, bound, recall)
        by_content = _by_content(log, bound, recall)
        named_positions |= by_number | by_content
        missing += absent
        # Those asked for by number are kept first, and of the others the newest.
        chosen = nlargest(max_messages, by_number)
        chosen += nlargest(max_messages - len(chosen), by_content - by_number)
        within_bound.update(chosen)
    indices = tuple(sorted(within_bound))
    return Recalled(
        messages=tuple(log[position] for position in indices),
        indices=indices,
        missing=tuple(dict.fromkeys(missing)),
        cut=len(named_positions) - len(within_bound),
        asked=tuple(recalls),
    )


def _by_number(log: Log, length: int, recall: Recall) -> tuple[set[int], list[str]]:
    """The positions that a recall asks for by turn or by message, and the names of those that do not exist."""
    named_positions: set[int] = set()
    missing: list[str] = []
    for number in recall.turns:
        positions = range(0)
        if 0 <= number <= log.turn_count:
            turn = log.turn(number)
            positions = range(turn.start, min(turn.stop, length))
        named_positions.update(_worth_recalling(log, positions))
        if not positions:
            missing.append(f"turn {number}")
    for position in recall.messages:
        if 0 <= position < length:
            named_positions.add(position)
        else:
            missing.append(f"message {position}")
    return named_positions, missing


def _by_content(log: Log, length: int, recall: Recall) -> set[int]:
    """The positions of the last messages that a recall asks for, and of those that hold one of its keywords."""
    newest_first = _worth_recalling(log, range(length - 1, -1, -1))
    fitting = set(islice(newest_first, recall.last_n or 0))
    words = [word.casefold() for word in recall.keywords]
    if words:
        for position in _worth_recalling(log, range(length)):
            text = log[position].content.casefold()
            if any(word in text for word in words):
                fitting.add(position)
    return fitting


def _worth_recalling(log: Log, positions: Iterable[int]) -> Iterator[int]:
    """The ``positions`` without those of the leading system messages, which are in every request already, and of the
    model's own recalls."""
    for position in positions:
        if position >= log.system_stop and not log[position].is_recall_exchange:
            yield position
