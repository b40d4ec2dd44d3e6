"""A measure as a value: its words and unit, how it is taken, and the spot where it is."""

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from memviz.dashboard.lessons.lesson import Point
from memviz.dashboard.lessons.playing import Played
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.cost.cost import Cost
from memviz.metrics.retention.knowledge import Retention

Value = float | bool | str


class Kind(Enum):
    """The kinds of value that measures give."""

    NUMBER = "number"
    YES_OR_NO = "yes or no"
    WORD = "word"
    SETTING = "setting"


class Spot(NamedTuple):
    """A point of runs that were played, with what stands there."""

    played: Played
    point: Point

    @property
    def run(self) -> Run:
        """The run that something is measured in."""
        return self.played.run(self.point)

    @property
    def number(self) -> int:
        """The number (0-based) of the request. Raises :class:`memviz.LessonError`."""
        return self.played.number(self.point)

    @property
    def record(self) -> TurnRecord:
        """The request. Raises :class:`memviz.LessonError`."""
        return self.played.record(self.point)

    @property
    def retention(self) -> Retention:
        """Return what the requests of the run retain of the facts."""
        return self.played.retention(self.point)

    @property
    def cost(self) -> Cost:
        """The costs of the run, on the terms of the point."""
        return self.played.cost(self.point)

    @property
    def fact(self) -> int:
        """The place of the fact. Raises :class:`memviz.LessonError`."""
        return self.played.fact(self.point.fact)


Taken = Callable[[Spot], Value]


class Measure(NamedTuple):
    """A measure. ``words`` say what is measured, in a sentence "At turn 13 of …, {words} …". ``unit`` is ``tokens``,
    ``dollars``, ``percent`` or empty; ``needs`` are the fields of a point that it cannot do without."""

    words: str
    measured: Taken
    unit: str = ""
    kind: Kind = Kind.NUMBER
    needs: tuple[str, ...] = ()

    def take(self, played: Played, point: Point) -> Value:
        """Measure at a point of runs. Raises :class:`memviz.LessonError` where there is nothing to measure."""
        return self.measured(Spot(played, point))
