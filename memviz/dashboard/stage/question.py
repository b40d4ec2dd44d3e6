"""A question to whoever watches the stage, asked before a step is shown, and what one may be made of."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from memviz.core.translation import _, noop
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, request_turns
from memviz.strategies.base import Strategy

Kind = Literal["summarizes", "stays", "knows", "cheapest"]
KINDS: tuple[Kind, ...] = get_args(Kind)
YES_OR_NO = (noop("Yes"), noop("No"))


@dataclass(frozen=True, slots=True)
class Question:
    """A prediction that is asked for. All texts are plain text."""

    kind: Kind
    step: int
    """The place (from 0) of a request on the axis of all runs, which is not shown before the answer is given."""
    setting: int | None
    """The place of the setting it is about among all; ``None``: it is about all of them."""
    text: str
    choices: tuple[str, ...]
    answer: int
    """The number of the right one of the choices."""
    reason: str
    """Says why, in the numbers of the run."""

    def as_data(self) -> dict[str, Any]:
        """The question as JSON, as the stage takes it."""
        return {
            "step": self.step,
            "setting": self.setting,
            "text": self.text,
            "choices": [_(choice) for choice in self.choices],
            "answer": self.answer,
            "reason": self.reason,
        }


class Candidate(NamedTuple):
    """A question that could be asked."""

    step: int
    setting: int | None
    keys: frozenset[Hashable]
    """What it is about: of two that share a key only one is asked."""
    side: bool | None
    """Whether the answer is yes, as far as that is known before the question is put together: so no answer wins by
    itself."""
    interest: float
    """Of candidates alike the more interesting one is taken."""
    question: Callable[[], Question | None]
    """Puts it together; ``None`` where it turns out that it cannot be asked."""


@dataclass(frozen=True, eq=False)
class StagedRun:
    """One run as a setting of the stage: its ``number`` among them, its ``label``, the ``axis`` of all, and which
    ``steps`` are shown."""

    run: Run
    label: str
    number: int
    axis: RequestAxis
    steps: range

    @cached_property
    def _steps(self) -> NDArray[np.int64]:
        return self.axis.places(request_turns(self.run)) - 1

    @property
    def requests(self) -> range:
        """The numbers (from 0) of the requests that are shown and have one before them."""
        first, stop = np.searchsorted(
            self._steps, [self.steps.start, self.steps.stop]
        ).tolist()
        return range(max(1, first), stop)

    def step(self, request: int) -> int:
        """The step at which a request (number from 0) is shown."""
        return int(self._steps[request])

    def request_name(self, request: int) -> str:
        """The request as people name it: "turn 13"."""
        return self.run.requests[request].name

    def strategy_at(self, request: int) -> Strategy:
        """The strategy that the request was made under."""
        return self.run.strategy_at(self.run.requests.turn_at(request))

    def changed(self) -> Iterator[int]:
        """The numbers of the requests, of those shown, that a compaction changed first."""
        shown = self.requests
        for request, made in self.run.requests.compactions():
            if request in shown and any(one.changes_memory for one in made):
                yield request
