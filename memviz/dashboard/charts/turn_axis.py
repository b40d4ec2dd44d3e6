"""The x axis of charts with one point for each request, and the names of these points.

Where each turn took one call of the model, the axis shows turns. In a conversation with
tools every call is a step of its own: the number of a turn stands at its last call, small
ticks show the steps, and thin lines part the turns.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from memviz.core.translation import _
from memviz.dashboard.charts.grammar import GREY, rule_down, stroke
from memviz.dashboard.charts.palette import fade_color, turn_ticks
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import (
    RequestAxis,
    Turns,
    count_calls_in_turns,
    count_calls_so_far,
    find_place_at,
    list_request_turns,
)

MOST_TURNS_PARTED = 30
"""With more turns, the lines between them would cover the picture."""
MOST_STEPS_TICKED = 60
"""With more steps, their small ticks would run together."""
FEW_TURNS = 3
"""Up to this number of turns, calls within them are numbered too."""
MOST_CALLS_NUMBERED = 6
"""Number of calls that are numbered at most, where there are few turns."""
LEAST_GAP_SHARE = 0.05
"""Smallest distance of two numbers, as a share of the picture's width."""
LEAST_GAP_OF_WORDS = 0.15
"""Smallest distance of two words, such as "call 40" and "turn 3". In a small picture it is
one n-th of the width, where n is the most ticks that fit."""
CALL_STEPS = (2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 10**9)
"""Distances in calls at which calls may be numbered."""
TITLE_STANDOFF = 6
"""Pixels between axis and title. With more, a legend of several lines would cover it."""
PARTING_COLOR = fade_color(GREY, 0.3)
_PARTING = stroke(1, color=PARTING_COLOR)
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
Tick = tuple[int, str]
"""A place on the axis and the text that stands there: ``(12, "turn 3")``."""


def request_id(run: Run, number: int) -> str:
    """Return the name of the point of request ``number`` (from 0).

    The last request of turn 3 is ``"3"``; its first call, if there are several, ``"3:1"``.
    """
    turn, call, calls = find_place_at(list_request_turns(run), number)
    return f"{turn}" if call == calls else f"{turn}:{call}"


def request_ids(turns: Turns) -> list[str]:
    """Return the :func:`request_id` of each request of a run, given the turn of each."""
    columns = (
        np.asarray(turns),
        count_calls_so_far(turns),
        count_calls_in_turns(turns),
    )
    ids = []
    for turn, call, calls in np.stack(columns, axis=1).tolist():
        ids.append(f"{turn}" if call == calls else f"{turn}:{call}")
    return ids


def last_place(axis: RequestAxis) -> int:
    """Return the place of the last request; 1 where there is none."""
    return max(1, int(axis.lasts[-1]))


def all_places(axis: RequestAxis) -> range:
    """Return the places of all requests."""
    return range(1, last_place(axis) + 1)


def places_of(axis: RequestAxis, turns: range) -> range:
    """Return the places of all requests of ``turns``."""
    last_before = axis.last(turns.start - 1)
    last = axis.last(turns.stop - 1)
    return range(last_before + 1, last + 1)


def axis_title(axis: RequestAxis, words: str = "", step: str = "") -> str:
    """Return the title of the axis: ``words`` (default: turn), and a note where a ``step`` is one call."""
    words = words or _("turn")
    if axis.is_by_turn:
        return words
    return _(
        "{words} (each {step} is one call of the model)",
        words=words,
        step=step or _("step"),
    )


def turns_axis(
    axis: RequestAxis, shown: range | None = None, **more: Any
) -> dict[str, Any]:
    """Return the x axis of a chart.

    ``shown`` are the places in the picture, by default all; ``more`` are further settings
    of Plotly's axis.
    """
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
    """Return the settings of the axis for its ticks.

    - Each turn is one request: Plotly numbers the turns and thins the numbers out.
    - Otherwise ``most`` turns at most are numbered, each at its last call.
    - Of few turns, the first call of a turn is named, and calls within it: "turn 2",
      "call 20", "call 40".

    ``shown`` are the places in the picture, by default all.
    """
    places = all_places(axis) if shown is None else shown
    numbered_turns = axis.ticks(most, places)
    if numbered_turns is None:
        return turn_ticks(len(places))
    ticks = list(zip(*numbered_turns, strict=True))
    least_gap = LEAST_GAP_SHARE
    if len(ticks) <= FEW_TURNS:
        most_calls = min(MOST_CALLS_NUMBERED, most - 1)
        turns_and_calls = _name_turns_and_calls(axis, places, most_calls)
        if turns_and_calls:
            ticks = turns_and_calls
            least_gap = max(LEAST_GAP_OF_WORDS, 1 / most)
    ticks = _drop_crowded(ticks, len(places) * least_gap)
    ticks_of_turns = {
        **_TURN_TICKS,
        "tickvals": [place for place, _ in ticks],
        "ticktext": [text for _, text in ticks],
    }
    if len(places) <= MOST_STEPS_TICKED:
        ticks_of_turns["minor"] = _STEP_TICKS
    return ticks_of_turns


def _name_turns_and_calls(axis: RequestAxis, places: range, most: int) -> list[Tick]:
    """Return ticks at the first calls of turns, the longest turn first, and then at up to
    ``most`` calls within them. Empty where all turns are short."""
    step = next(size for size in CALL_STEPS if len(places) / size <= most)
    turns = range(axis.turn_at(places.start), axis.turn_at(places.stop - 1) + 1)
    ticks_by_length = []
    call_ticks = []
    for turn in turns:
        before = axis.last(turn - 1)
        calls = axis.last(turn) - before
        # The negative number sorts the longest turn to the front: where ticks are crowded, its name stays.
        ticks_by_length.append((-calls, before + 1, _("turn {turn:,}", turn=turn)))
        for call in range(step, calls + 1, step):
            call_ticks.append((before + call, _("call {call:,}", call=call)))
    if not call_ticks:
        return []
    named_turns = [(place, text) for _calls, place, text in sorted(ticks_by_length)]
    return [tick for tick in (*named_turns, *call_ticks) if tick[0] in places]


def _drop_crowded(ticks: Sequence[Tick], least_gap: float) -> list[Tick]:
    """Return the ticks from left to right, without those nearer than ``least_gap`` to one
    that comes before them in ``ticks``."""
    ticks_with_room: list[Tick] = []
    for place, text in ticks:
        if all(abs(place - other) >= least_gap for other, _ in ticks_with_room):
            ticks_with_room.append((place, text))
    return sorted(ticks_with_room)


def turn_partings(
    axis: RequestAxis, shown: range | None = None, rows: Sequence[str] = ("y",)
) -> list[dict[str, Any]]:
    """Return shapes for the layout: thin lines between turns, over each y axis in ``rows``.

    None where each turn is one call, and where there are too many turns.
    """
    places = all_places(axis) if shown is None else shown
    is_inside = (axis.lasts >= places.start) & (axis.lasts < places.stop - 1)
    ends = axis.lasts[is_inside].tolist()
    if axis.is_by_turn or len(ends) > MOST_TURNS_PARTED:
        return []
    lines = []
    for end in ends:
        for row in rows:
            line = rule_down(end + 0.5, _PARTING, f"{row} domain", layer="below")
            lines.append(line)
    return lines


def parting_layout(axis: RequestAxis) -> dict[str, Any]:
    """Return the :func:`turn_partings` as a layout that has no other shapes."""
    lines = turn_partings(axis)
    return {"shapes": lines} if lines else {}
