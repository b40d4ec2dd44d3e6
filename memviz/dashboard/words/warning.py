"""One warning about a run, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from memviz.core.text.wording import counted, turn_list
from memviz.core.translation import _
from memviz.metrics.health import Severity

_TURNS_NAMED = 4


class Told(NamedTuple):
    """The words of a warning, see :class:`HealthWarning`."""

    title: str
    numbers: str
    why: str
    remedy: str


@dataclass(frozen=True, slots=True)
class HealthWarning:
    """Something in a run that costs money, detail or a refused request, in words."""

    kind: str
    """Stable, and the same in every language of a page."""
    title: str
    numbers: str
    """A sentence with what was counted."""
    why: str
    """What is bad about it."""
    remedy: str
    """What to change."""
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
                turns=counted(len(turns), "turn"),
                first=turns[0],
                last=turns[-1],
            )
        return turn_list(turns) if turns else ""
