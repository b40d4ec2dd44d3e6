"""The importance of messages: points for what they hold, by marks that are seen without understanding them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memviz.core.messages import Message
from memviz.core.shared_growth import SharedGrowth
from memviz.core.word_index import is_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RULE_POINTS = 4
NUMBER_POINTS = 2
NAME_POINTS = 1
ANSWER_POINTS = 1
USER_POINTS = 1
MOST_ALIKE = 3
"""The most numbers, and the most names, of a message that count: a long table is not worth
more than what was decided."""
LEAST_CHARACTERS = 100
"""Points are divided by the length, but shorter messages count as long as this."""

_PARTS_OF_RULES = (
    *("never", "always", "must", "don", "do not", "from now on"),
    *("不要", "永远", "一律", "从不", "绝不", "只能", "必须", "不能", "以后都"),
)
"""Every rule holds one of these, in small letters. They are sought much sooner than the pattern."""
# "never", "from now on", 不要
_RULE = re.compile(
    r"\b(?:never|always|must|mustn['’]t|don['’]t|do not|from now on)\b"
    r"|不要|永远|一律|从不|绝不|只能|必须|不能|以后都",
    re.IGNORECASE,
)
# "3", "3,600", "12/05/1990". A pattern that begins with one digit is looked for twice as fast as with several.
_NUMBER = re.compile(r"\d\d*(?:[.,:/]\d+)*")
# the "Oslo" of "in Oslo", but not the first word of a sentence. Looking behind last is quicker.
_NAME = re.compile(r"[A-Z](?<=[a-z0-9,;:] .)[\w'’-]+")
_CHINESE_NUMBER = re.compile(r"[零一二两三四五六七八九十百千万亿]{2,}")
_QUOTED_NAME = re.compile(r"[“《「][^”》」]{1,12}[”》」]")
_QUESTION = ("?", "？")


class Importance(NamedTuple):
    """The marks of a message that it has points for."""

    rules: int
    numbers: int
    names: int
    answers: int
    """1 for what the assistant says right behind a question of the user."""
    users: int
    """1 for what the user says and is no question."""

    @property
    def points(self) -> int:
        """All points."""
        return (
            RULE_POINTS * self.rules
            + NUMBER_POINTS * min(self.numbers, MOST_ALIKE)
            + NAME_POINTS * min(self.names, MOST_ALIKE)
            + ANSWER_POINTS * self.answers
            + USER_POINTS * self.users
        )


def importance_of(message: Message, before: Message | None) -> Importance:
    """Return the importance of a message, which follows ``before``."""
    text = message.content
    is_asking = text.rstrip().endswith(_QUESTION)
    by_user = message.role == "user"
    numbers = set(_NUMBER.findall(text))
    names = set(_NAME.findall(text))
    if not text.isascii():
        numbers.update(_CHINESE_NUMBER.findall(text))
        names.update(_QUOTED_NAME.findall(text))
    # What the assistant says right behind a question of the user answers it.
    is_answer = False
    if before is not None and not by_user and before.role == "user":
        is_answer = before.content.rstrip().endswith(_QUESTION)
    return Importance(
        rules=int(by_user and _has_rule(text)),
        numbers=len(numbers),
        names=len(names),
        answers=int(is_answer),
        users=int(by_user and bool(text.strip()) and not is_asking),
    )


def _has_rule(text: str) -> bool:
    small = text.casefold()
    if not any(part in small for part in _PARTS_OF_RULES):
        return False
    return _RULE.search(text) is not None


@dataclass(eq=False, repr=False)
class ImportanceIndex(SharedGrowth):
    """The messages of a log by their scores, append-only: their points divided by their length in hundreds of
    characters. A call of a tool and its result cannot be kept one without the other, and have 0."""

    _scores: array[float] = field(default_factory=lambda: array("d"))
    _ranking: NDArray[np.int64] | None = None
    """The positions of all messages with a score, the best first; made when somebody asks for it."""

    def extend(self, messages: Sequence[Message]) -> None:
        """Read the messages that were not read yet."""
        if len(self._scores) >= len(messages):
            return
        with self._extending:  # two threads at once would read messages twice
            self._ranking = (
                None  # before: who finds all messages read may rank them at once
            )
            for position in range(len(self._scores), len(messages)):
                message = messages[position]
                before = messages[position - 1] if position else None
                score = 0.0
                if is_text(message):
                    length = max(LEAST_CHARACTERS, len(message.content))
                    points = importance_of(message, before).points
                    score = 100 * points / length
                self._scores.append(score)

    def best(self, start: int, stop: int) -> NDArray[np.int64]:
        """The positions of the messages at ``[start, stop)`` with any points, the best first and of equals the later
        one."""
        ranking = self._ranking
        if ranking is None:
            with self._extending:
                ranking = self._rank()
                self._ranking = ranking
        return ranking[(ranking >= start) & (ranking < stop)]

    def _rank(self) -> NDArray[np.int64]:
        import numpy as np  # only a search waits for it

        scores = np.array(self._scores)
        positions = scores.nonzero()[0]
        # A stable order leaves the later one of equals behind, and the best is last.
        order = scores[positions].argsort(kind="stable")
        return positions[order[::-1]]
