"""One warning about a run, and breaches of its books, in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from memviz.core.text.wording import (
    RequestPlace,
    counted,
    message_number,
    request_range,
    turn_list,
)
from memviz.core.translation import _, noop
from memviz.engine.run import Run
from memviz.metrics.health import Severity
from memviz.metrics.verify import Breach, BreachKind

_TURNS_NAMED = 4
_MESSAGES: dict[BreachKind, str] = {
    "no_fate": noop(
        "{place}: message {number:,} is neither sent nor summarized nor dropped, or is so before it was said."
    ),
    "unsaid": noop("{place}: message {number:,} is sent before it was said."),
    "sent_twice": noop("{place}: message {number:,} is sent twice."),
    "no_rule": noop(
        "{place}: message {number:,} is left out, and the rule of {label} sends it."
    ),
    "no_reason": noop(
        "{place}: what is sent changed after message {number:,}, and no reason is on record."
    ),
    "no_call": noop(
        "{place}: message {number:,} is a tool's result whose call is not sent; a provider refuses it."
    ),
}
_VERSIONS: dict[BreachKind, str] = {
    "unsaid": noop("{place}: version {version:,} of the summary is not written yet."),
    "sent_twice": noop("{place}: version {version:,} of the summary is sent twice."),
}
_COUNTS: dict[BreachKind, str] = {
    "miscounted": noop(
        "{place}: {on_record:,} tokens are on record, and its messages have {counted:,}."
    ),
    "usage": noop(
        "{place}: the log has {on_record:,} tokens on record, and {counted:,} are counted."
    ),
}


class WarningWords(NamedTuple):
    """The words of a warning, see :class:`HealthWarning`; in a table its texts, with braces for their values."""

    title: str
    numbers: str
    why: str
    remedy: str = ""

    def say(self, **values: object) -> WarningWords:
        """Return all four texts in the language of their reader, with these values in their braces."""
        return WarningWords(*[_(text, **values) for text in self])


@dataclass(frozen=True, slots=True)
class HealthWarning:
    """Something in a run that costs money, detail or a refused request, in words."""

    kind: str
    """Stable, and the same in every language of a page."""
    title: str
    numbers: str
    """A sentence with what was counted."""
    why: str
    """The harm that it does."""
    remedy: str
    """The change that helps."""
    turns: tuple[int, ...] = ()
    """The turns concerned, in order, each once."""
    severity: Severity = "caution"
    """See :attr:`memviz.metrics.health.finding.HealthFinding.severity`."""

    @property
    def turns_in_words(self) -> str:
        """The turns by number if they are few, else their range; empty if it concerns no turn."""
        turns = self.turns
        if len(turns) > _TURNS_NAMED:
            return _(
                "{turns} from {first:,} to {last:,}",
                turns=counted(turns, "turn"),
                first=turns[0],
                last=turns[-1],
            )
        return turn_list(turns) if turns else ""


def breach_words(run: Run, breach: Breach, last: Breach | None = None) -> str:
    """Return one breach of ``run`` as a sentence, its place first; with ``last`` the same breach of all requests up to
    that one, with the tokens of the first."""
    places = [_place(run, end) for end in (breach, last or breach)]
    place = request_range(places[0], places[1])
    place = place[:1].upper() + place[1:]
    if breach.position is not None:
        return _(
            _MESSAGES[breach.kind],
            place=place,
            number=message_number(breach.position),
            label=run.strategy_at(breach.turn).label,
        )
    if breach.version is not None:
        return _(_VERSIONS[breach.kind], place=place, version=breach.version)
    if last is not None and last != breach:
        place = _("{place}, with the numbers of the first", place=place)
    return _(
        _COUNTS[breach.kind],
        place=place,
        on_record=breach.on_record,
        counted=breach.counted,
    )


def unseen_words(tokens: int) -> str:
    """Return what ``tokens`` on record that nobody can count mean for the books."""
    return _(
        "The log lacks the system prompt or the schemas of tools: for every request it has at least {tokens:,} tokens "
        "more on record than its messages have. They are taken as counted, so what requests differ by is compared.",
        tokens=tokens,
    )


def _place(run: Run, breach: Breach) -> RequestPlace:
    """Return turn, call and number of calls of the request that the breach is at."""
    if not breach.call:
        return breach.turn, breach.call, 1  # it concerns the turn as a whole
    calls = run.columns.turns.tolist().count(breach.turn)
    return breach.turn, breach.call, calls


def breach_lines(run: Run, breaches: Iterable[Breach]) -> list[str]:
    """Return breaches as sentences: one for what is wrong in the same way in requests that follow each other."""
    number_of = {}
    for number, record in enumerate(run.requests):
        number_of[record.turn, record.call] = number
    stretches: list[list[Breach]] = []
    last_stretches: dict[object, list[Breach]] = {}
    """The newest stretch of breaches of each kind, about each message or version."""
    for breach in breaches:
        number = number_of.get((breach.turn, breach.call), 0)
        subject = (breach.kind, breach.position, breach.version)
        stretch = last_stretches.get(subject)
        goes_on = False
        if stretch is not None:
            last = stretch[-1]
            goes_on = number_of.get((last.turn, last.call)) == number - 1
        if stretch is None or not goes_on:
            stretch = []
            stretches.append(stretch)
            last_stretches[subject] = stretch
        stretch.append(breach)
    return [breach_words(run, stretch[0], stretch[-1]) for stretch in stretches]
