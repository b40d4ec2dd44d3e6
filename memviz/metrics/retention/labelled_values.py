"""Values that a sentence names as what they are: "the door code is 7742", "allergic to wool", "my dentist is Okafor".

Such a value is a fact though nobody uses it again, and needs no shape of its own: a label beside it says what it is.
Labels are known in English and German, those of codes and allergies also in French and Spanish; Chinese has
:mod:`memviz.metrics.retention.chinese_values`. The kinds stand in the modules ``*_kinds``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memviz.metrics.retention.code_kinds import CODES, EMAILS, PHONES
from memviz.metrics.retention.count_kinds import CLOCK, COUNTS, PLAIN_NUMBERS
from memviz.metrics.retention.labelled_kinds import TRIGGER_CHARS, Kind, Labelled
from memviz.metrics.retention.option_kinds import OPTIONS, TITLES
from memviz.metrics.retention.people_kinds import PEOPLE
from memviz.metrics.retention.software_kinds import SOFTWARE_NAMES
from memviz.metrics.retention.taste_kinds import TASTES
from memviz.metrics.retention.time_place_kinds import DAYS, GROUPS, TIMES_AND_PLACES


class _Kinds:
    """Kinds that are searched for together, in order: what says more about a value comes first, because of two that
    overlap the first counts."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds
        self.numbers_of: dict[str, list[int]] = {}
        """The kinds that each trigger announces: a sentence has the words of few of them."""
        for number, kind in enumerate(kinds):
            for trigger in kind.triggers:
                self.numbers_of.setdefault(trigger, []).append(number)

    def announced_by(self, begun: set[str]) -> Iterator[Kind]:
        """The kinds with a trigger in ``begun``."""
        numbers = {
            number
            for trigger in begun & self.numbers_of.keys()
            for number in self.numbers_of[trigger]
        }
        return (self.kinds[number] for number in sorted(numbers))


_REACHABLE = _Kinds(*PHONES, *EMAILS)
_KINDS = _Kinds(
    *PHONES,
    *EMAILS,
    *CODES,
    *SOFTWARE_NAMES,
    *TASTES,
    *PEOPLE,
    *TIMES_AND_PLACES,
    *DAYS,
    *GROUPS,
    *TITLES,
)
_DETAILS = _Kinds(*COUNTS, *CLOCK, *OPTIONS, *PLAIN_NUMBERS)
_KINDS_OF_BOTH = _Kinds(*(kind for kind in _KINDS.kinds if not kind.of_user))
_LETTERS, _DIGIT = re.compile(r"[^\W\d_]+"), re.compile(r"\d")
_MARKS = frozenset('@/._#$€£"“')
_CAPITAL = re.compile(r"[\w,] [A-Z\u00c0-\u00de]")


def labelled_in(sentence: str, of_user: bool) -> Iterator[Labelled]:
    """The labelled values of ``sentence``, said by the user or the assistant. Of two that overlap the first counts."""
    return _found(_KINDS if of_user else _KINDS_OF_BOTH, sentence, of_user)


def user_details_in(sentence: str) -> Iterator[Labelled]:
    """The details of a user's ``sentence``: counts, times, what is ruled out, what things are. Of two that overlap the
    first counts."""
    return _found(_DETAILS, sentence, True)


def reachable_in(sentence: str) -> Iterator[Labelled]:
    """The telephone numbers and addresses of a user's ``sentence``. They hold though it begins with an "if"."""
    return _found(_REACHABLE, sentence, True)


def _found(kinds: _Kinds, sentence: str, of_user: bool) -> Iterator[Labelled]:
    has_digit, has_capital = _DIGIT.search(sentence), _CAPITAL.search(sentence)
    marks = _MARKS.intersection(sentence)
    if not (of_user or has_digit or has_capital or marks):
        return  # every value that an assistant states has a digit, a mark or a capital letter
    begun = {word[:TRIGGER_CHARS] for word in _LETTERS.findall(sentence.lower())}
    begun.update("0" * bool(has_digit) + "A" * bool(has_capital), marks)
    for kind in kinds.announced_by(begun):
        for match in kind.pattern.finditer(sentence):
            if kind.is_value(match["value"]):
                yield Labelled(
                    kind.category,
                    *match.span("value"),
                    kind.weight,
                    kind.hint_of(match),
                )
