"""The x axis of charts that go by request, and what the points on it are called.

Where each turn took one call of the model it is the axis of the turns. In a conversation with tools every call is a
step of its own: the numbers stand at the last call of their turn, small ticks show the steps, and thin lines part the
turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memviz.charts.palette import PART_COLORS, faded, turn_ticks
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, Turns, calls_of

MOST_TURNS_PARTED, MOST_STEPS_TICKED = 30, 60
"""More lines between turns would cover the picture, and more small ticks would run together."""
FEW_TURNS, MOST_CALLS_NUMBERED = 3, 6
"""Of so few turns the calls between their ends are numbered too, so many of them."""
LEAST_GAP_SHARE = 0.05
"""Two numbers stand at least so far apart, of the picture's width."""
LEAST_GAP_OF_WORDS = 0.15
"""Two words, such as "call 40" and "turn 3", at least so far; in a small picture as far as there is room for each of
its numbers."""
CALL_STEPS = (2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 10**9)
TITLE_STANDOFF = 6
"""The title is close to its axis: further away, a legend of several lines would cover it."""
PARTING_COLOR = faded(PART_COLORS["system"], 0.3)


def request_id(run: Run, number: int) -> str:
    """How the point of request ``number`` (0-based) says what it is: ``"3"`` is the last request of turn 3, ``"3:1"``
    an earlier call of it."""
    record = run.requests[number]
    is_last = (
        number + 1 == len(run.requests) or run.requests[number + 1].turn != record.turn
    )
    return f"{record.turn}" if is_last else f"{record.turn}:{record.call}"


def request_ids(turns: Turns) -> list[str]:
    """:func:`request_id` of every request of a run, given the turn of each."""
    numbers = np.asarray(turns, dtype=np.int64)
    is_last = np.append(numbers[1:] != numbers[:-1], True)[: len(numbers)]
    rows = zip(
        numbers.tolist(), calls_of(numbers).tolist(), is_last.tolist(), strict=True
    )
    return [f"{turn}" if last else f"{turn}:{call}" for turn, call, last in rows]


def last_place(axis: RequestAxis) -> int:
    """The place of the last request of all; 1 where there is none."""
    return max(1, int(axis.lasts[-1]))


def places_of(axis: RequestAxis, turns: range) -> range:
    """The places of all requests of ``turns``."""
    return range(axis.last(turns.start - 1) + 1, axis.last(turns.stop - 1) + 1)


def axis_title(axis: RequestAxis, words: str = "turn", step: str = "step") -> str:
    """What the axis shows; ``words`` say it where a ``step`` is a turn."""
    return (
        words if axis.is_by_turn else f"{words} (each {step} is one call of the model)"
    )


def axis_ticks(
    axis: RequestAxis, shown: range | None = None, most: int = 12
) -> dict[str, Any]:
    """Ticks for the axis: turns, at most so many where they cannot thin out by themselves. ``shown`` are the places
    that are in the picture."""
    places = range(1, last_place(axis) + 1) if shown is None else shown
    ticks = axis.ticks(most, places)
    if ticks is None:
        return turn_ticks(len(places))
    named = list(zip(*ticks, strict=True))
    if len(named) <= FEW_TURNS and (
        words := _with_calls(axis, places, min(MOST_CALLS_NUMBERED, most - 1))
    ):
        named = _apart(words, len(places) * max(LEAST_GAP_OF_WORDS, 1 / most))
    else:
        named = _apart(named, len(places) * LEAST_GAP_SHARE)
    # Ticks point into the picture: outside they would push the numbers onto the title of the axis.
    steps = {
        "ticks": "inside",
        "ticklen": 3,
        "tickcolor": PARTING_COLOR,
        "tick0": 0,
        "dtick": 1,
    }
    return {
        "tickmode": "array",
        "tickvals": [place for place, _ in named],
        "ticktext": [text for _, text in named],
        "tickangle": 0,
        "ticks": "inside",
        "ticklen": 6,
        "showgrid": False,
        **({"minor": steps} if len(places) <= MOST_STEPS_TICKED else {}),
    }


def turns_axis(
    axis: RequestAxis, shown: range | None = None, **more: Any
) -> dict[str, Any]:
    """Return the x axis of a chart. ``shown`` are the places that are in the picture, by default all."""
    places = range(1, last_place(axis) + 1) if shown is None else shown
    return {
        "automargin": False,
        "title": {"text": axis_title(axis), "standoff": TITLE_STANDOFF},
        "range": [places.start - 0.6, places.stop - 0.2],
        **axis_ticks(axis, places),
        **more,
    }


def _with_calls(axis: RequestAxis, places: range, most: int) -> list[tuple[int, str]]:
    """Where turns begin, the longest first, and then at most so many of their calls: of few long turns the ends alone
    would say little. Empty where all turns are short."""
    step = next(size for size in CALL_STEPS if len(places) / size <= most)
    begins = np.concatenate([[0], axis.lasts[:-1]])
    turns = range(axis.turn_at(places.start), axis.turn_at(places.stop - 1) + 1)
    calls = [
        (place, f"call {place - begins[turn]:,}")
        for turn in turns
        for place in range(int(begins[turn]) + step, int(axis.lasts[turn]) + 1, step)
    ]
    longest = sorted(turns, key=lambda turn: int(begins[turn] - axis.lasts[turn]))
    found = (
        [*((int(begins[turn]) + 1, f"turn {turn:,}") for turn in longest), *calls]
        if calls
        else []
    )
    return [(place, text) for place, text in found if place in places]


def _apart(named: Sequence[tuple[int, str]], least: float) -> list[tuple[int, str]]:
    """Without those that would run into one that comes before them in ``named``, from left to right."""
    found: list[tuple[int, str]] = []
    for place, text in named:
        if all(abs(place - other) >= least for other, _ in found):
            found.append((place, text))
    return sorted(found)


def turn_partings(
    axis: RequestAxis, shown: range | None = None, rows: Sequence[str] = ("y",)
) -> list[dict[str, Any]]:
    """Shapes for the layout: a thin line between any two turns where turns have several calls and are not too many,
    over each of the y axes ``rows``."""
    places = range(1, last_place(axis) + 1) if shown is None else shown
    ends = axis.lasts[(axis.lasts >= places.start) & (axis.lasts < places.stop - 1)]
    if axis.is_by_turn or len(ends) > MOST_TURNS_PARTED:
        return []
    line = {"width": 1, "color": PARTING_COLOR}
    return [
        {
            "type": "line",
            "x0": end + 0.5,
            "x1": end + 0.5,
            "yref": f"{row} domain",
            "y0": 0,
            "y1": 1,
            "layer": "below",
            "line": line,
        }
        for end in ends.tolist()
        for row in rows
    ]


def parted(axis: RequestAxis, shown: range | None = None) -> dict[str, Any]:
    """The same for a layout without other shapes."""
    lines = turn_partings(axis, shown)
    return {"shapes": lines} if lines else {}
