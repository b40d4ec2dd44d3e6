"""From the words of a command line to the settings that a sweep tries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memviz.cli.settings import fitting, pair, parameters_of, split, value_of

if TYPE_CHECKING:
    from memviz.strategies.base import Strategy
    from memviz.strategies.parameters import Parameter

_RANGE = re.compile(
    r"\s*(?P<low>\d{1,15})\.\.(?P<high>\d{1,15})(?:/(?P<steps>\d{1,15}))?\s*"
)
MAX_STEPS = 100


def settings_to_try(
    named: Sequence[str],
    for_all: Sequence[str],
    largest: Mapping[str, int],
    recorded: Sequence[Strategy] | None = None,
) -> tuple[Strategy, ...]:
    """All settings of ``--strategy NAME`` or ``NAME:PARAMETER=VALUES,...`` with what ``--set`` says, none twice.

    VALUES are ``2,4,8`` or ``500..4000/8`` (8 round numbers from 500 to 4000, evenly by ratio). A parameter of which
    nothing is said has its suggested values, none larger than the ``largest`` conversation by unit. Without
    ``named`` the strategies that the dashboard tries first. Where a recording plays the summaries, ``recorded`` are the
    settings that it holds: of a strategy that summarizes, and of whose parameters nothing is said, those are tried, and
    no strategy of which there are none unless it is ``named``. Raises :class:`memviz.ParameterError`, also for a
    parameter that none of them has, and :class:`memviz.UnknownStrategyError`.
    """
    from memviz.tuning.grid import settings, suggested, tried_at_first

    common = [pair(text, "--set") for text in for_all]
    chosen = [split(text) for text in named or tried_at_first()]
    known = {name for id, _ in chosen for name in parameters_of(id)}
    found: dict[Strategy, None] = {}
    for id, own in chosen:
        declared, values = parameters_of(id), dict(suggested(id, largest=largest))
        said = [*fitting(id, common, known), *own]
        played = [one for one in recorded or () if one.id == id]
        if played and not said:
            found |= dict.fromkeys(played)
            continue
        if recorded is not None and not said and not named and summarizes(id):
            continue
        for name, text in said:
            values[name] = tuple(_values(name, declared.get(name), text, id))
        found |= dict.fromkeys(settings({id: values}))
    return tuple(found)


def summarizes(id: str) -> bool:
    """Whether a strategy has anything written by a summarizer, as it is at first."""
    from memviz.strategies import strategy

    return strategy(id).writes_notes


def _values(
    name: str, parameter: Parameter | None, text: str, id: str
) -> Iterator[Any]:
    if parameter is None or not (
        parameter.is_number or parameter.kind is bool or parameter.choices
    ):
        yield value_of(parameter, text)  # a text is one value, whatever is in it
        return
    for part in text.split(","):
        matched = _RANGE.fullmatch(part) if parameter.is_number else None
        yield from (
            _spread(name, part, matched, id)
            if matched
            else (value_of(parameter, part),)
        )


def _spread(name: str, text: str, matched: re.Match[str], id: str) -> tuple[int, ...]:
    from memviz.core.errors import ParameterError
    from memviz.tuning.axes import DEFAULT_STEPS, spread

    low, high, steps = (
        int(matched["low"]),
        int(matched["high"]),
        int(matched["steps"] or DEFAULT_STEPS),
    )
    if not 1 <= low <= high or not 2 <= steps <= MAX_STEPS:
        allowed = f"LOW..HIGH/STEPS with LOW from 1 to HIGH and 2 to {MAX_STEPS} steps, such as 500..4000/8"
        raise ParameterError(name, text, allowed, id)
    return spread(low, high, steps)
