"""The x axis of charts that go by request, and what the points on it are called.

Where each turn took one call of the model it is the axis of the turns. In a conversation with tools every call is a
step of its own: the numbers stand at the last call of their turn, small ticks show the steps, and thin lines part the
turns.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from memviz.dashboard.charts.palette import PART_COLORS, faded, turn_ticks
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, Turns, calls_of

MOST_TURNS_PARTED = 30
MOST_STEPS_TICKED = 60
"""More lines between turns would cover the picture, and more small ticks would run together."""
FEW_TURNS = 3
MOST_CALLS_NUMBERED = 6
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
_PARTING = {"layer": "below", "line": {"width": 1, "color": PARTING_COLOR}}
# Ticks point into the picture: outside they would push the numbers onto the title of the axis.
_TURN_TICKS = {
    "tickmode": "array",
    "tickangle": 0,
    "ticks": "inside",
    "ticklen": 6,
    "showgrid": False,
}
_STEP_TICKS = {
    "ticks": "inside",
    "ticklen": 3,
    "tickcolor": PARTING_COLOR,
    "tick0": 0,
    "dtick": 1,
}
Named = tuple[int, str]
"""A place and the words of its tick."""


def request_id(run: Run, number: int) -> str:
    """Return how the point of request ``number`` (0-based) says what it is: ``"3"`` is the last request of turn 3,
    ``"3:1"`` an earlier call of it."""
    record = run.requests[number]
    after = number + 1
    if after < len(run.requests) and run.requests.turn_at(after) == record.turn:
        return f"{record.turn}:{record.call}"
    return f"{record.turn}"


def request_ids(turns: Turns) -> list[str]:
    """Return :func:`request_id` of every request of a run, given the turn of each."""
    numbers = np.asarray(turns, dtype=np.int64).tolist()
    calls = calls_of(turns).tolist()
    found = []
    for at, turn in enumerate(numbers):
        is_last = at + 1 == len(numbers) or numbers[at + 1] != turn
        found.append(f"{turn}" if is_last else f"{turn}:{calls[at]}")
    return found


def last_place(axis: RequestAxis) -> int:
    """Return the place of the last request of all; 1 where there is none."""
    return max(1, int(axis.lasts[-1]))


def all_places(axis: RequestAxis) -> range:
    """Return the places of all requests."""
    return range(1, last_place(axis) + 1)


def places_of(axis: RequestAxis, turns: range) -> range:
    """Return the places of all requests of ``turns``."""
    return range(axis.last(turns.start - 1) + 1, axis.last(turns.stop - 1) + 1)


def axis_title(axis: RequestAxis, words: str = "turn", step: str = "step") -> str:
    """Return what the axis shows; ``words`` say it where a ``step`` is a turn."""
    if axis.is_by_turn:
        return words
    return f"{words} (each {step} is one call of the model)"


def turns_axis(
    axis: RequestAxis, shown: range | None = None, **more: Any
) -> dict[str, Any]:
    """Return the x axis of a chart. ``shown`` are the places that are in the picture, by default all."""
    places = all_places(axis) if shown is None else shown
    return {
        "automargin": False,
        "title": {"text": axis_title(axis), "standoff": TITLE_STANDOFF},
        "range": [places.start - 0.6, places.stop - 0.2],
        **axis_ticks(axis, places),
        **more,
    }


def axis_ticks(
    axis: RequestAxis, shown: range | None = None, most: int = 12
) -> dict[str, Any]:
    """Return ticks for the axis: turns, at most so many where they cannot thin out by themselves. ``shown`` are the
    places that are in the picture."""
    places = all_places(axis) if shown is None else shown
    ticks = axis.ticks(most, places)
    if ticks is None:
        return turn_ticks(len(places))
    named = list(zip(*ticks, strict=True))
    least_gap = LEAST_GAP_SHARE
    if len(named) <= FEW_TURNS:
        with_calls = _with_calls(axis, places, min(MOST_CALLS_NUMBERED, most - 1))
        if with_calls:
            named = with_calls
            least_gap = max(LEAST_GAP_OF_WORDS, 1 / most)
    named = _apart(named, len(places) * least_gap)
    ticks_of_turns = {
        **_TURN_TICKS,
        "tickvals": [place for place, _ in named],
        "ticktext": [text for _, text in named],
    }
    if len(places) <= MOST_STEPS_TICKED:
        ticks_of_turns["minor"] = _STEP_TICKS
    return ticks_of_turns


def _with_calls(axis: RequestAxis, places: range, most: int) -> list[Named]:
    """Return where turns begin, the longest first, and then at most so many of their calls: of few long turns the ends
    alone would say little. Empty where all turns are short."""
    step = next(size for size in CALL_STEPS if len(places) / size <= most)
    lengths = {}
    calls: list[Named] = []
    for turn in range(axis.turn_at(places.start), axis.turn_at(places.stop - 1) + 1):
        begin = axis.last(turn - 1)
        lengths[turn] = axis.last(turn) - begin
        for call in range(step, lengths[turn] + 1, step):
            calls.append((begin + call, f"call {call:,}"))
    if not calls:
        return []
    begins = []
    for turn in sorted(lengths, key=lambda turn: -lengths[turn]):
        begins.append((axis.last(turn - 1) + 1, f"turn {turn:,}"))
    return [named for named in (*begins, *calls) if named[0] in places]


def _apart(named: Sequence[Named], least: float) -> list[Named]:
    """Return them from left to right, without those that would run into one that comes before them in ``named``."""
    found: list[Named] = []
    for place, text in named:
        if all(abs(place - other) >= least for other, _ in found):
            found.append((place, text))
    return sorted(found)


def turn_partings(
    axis: RequestAxis, shown: range | None = None, rows: Sequence[str] = ("y",)
) -> list[dict[str, Any]]:
    """Return shapes for the layout: a thin line between any two turns where turns have several calls and are not too
    many, over each of the y axes ``rows``."""
    places = all_places(axis) if shown is None else shown
    is_inside = (axis.lasts >= places.start) & (axis.lasts < places.stop - 1)
    ends = axis.lasts[is_inside].tolist()
    if axis.is_by_turn or len(ends) > MOST_TURNS_PARTED:
        return []
    lines = []
    for end in ends:
        x = end + 0.5
        for row in rows:
            place = {"x0": x, "x1": x, "yref": f"{row} domain", "y0": 0, "y1": 1}
            lines.append({"type": "line", **place, **_PARTING})
    return lines


def parted(axis: RequestAxis) -> dict[str, Any]:
    """Return the same for a layout without other shapes."""
    lines = turn_partings(axis)
    return {"shapes": lines} if lines else {}
