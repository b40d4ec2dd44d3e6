"""Two panels of one chart: settings whose requests grow far larger than the others' stand in a strip of their own
scale, so that the others, and what happens to them, keep their room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memviz.charts.text import escaped

if TYPE_CHECKING:
    from memviz.charts.requests.tokens_per_turn import SettingRun
    from memviz.metrics.requests.request_axis import RequestAxis

TIMES_LARGER = 3
"""A setting stands in the strip if its largest request is more than so many times the next smaller one's."""
MAIN_SHARE, STRIP_FROM = 0.7, 0.77
"""Of the height, from the bottom: where the main panel ends, and where the strip begins. A note stands between."""
NOTE_FROM = 0.93
"""Where the only panel ends if there is a note above it."""
FONT_PIXELS = 13
END_LABEL_GAP = 0.3
"""Names of two lines stand apart if their ends differ by this share of the strip."""


def strip_of(settings: Sequence[SettingRun]) -> frozenset[int]:
    """The numbers of the settings that stand in the strip; none where all are of one size. Hidden ones do not count."""
    peaks = {number: peak for number, one in enumerate(settings) if one.shown and (peak := _peak(one))}
    order = sorted(peaks, key=peaks.__getitem__)
    for at in range(len(order) - 1, 0, -1):
        if peaks[order[at]] > TIMES_LARGER * peaks[order[at - 1]]:
            return frozenset(order[at:])
    return frozenset()


def _peak(setting: SettingRun) -> int:
    return max((record.total_tokens for record in setting.run.requests), default=0)


def in_strip(trace: Mapping[str, Any], strip: frozenset[int], named: Mapping[int, object]) -> dict[str, Any]:
    """What a trace says besides, if its setting stands in the strip. The legend has no place for a line that is named
    at its end."""
    number = int(trace["legendgroup"])
    if number not in strip:
        return {}
    return {"yaxis": "y2", **({"showlegend": False} if number in named else {})}


def main_top(strip: frozenset[int], *, has_note: bool) -> float:
    """Where the main panel ends, of the height from the bottom."""
    return MAIN_SHARE if strip else NOTE_FROM if has_note else 1


def y_axes(strip: frozenset[int], *, has_note: bool = False) -> dict[str, Any]:
    """The y axes for the layout. Each begins at 0. ``has_note``: a line of words stands above the main panel."""
    shared = {"automargin": False, "rangemode": "tozero", "tickformat": ",d", "exponentformat": "none",
              "tickfont": {"size": FONT_PIXELS}}  # fmt: skip
    main = {**shared, "title": {"text": "tokens sent", "font": {"size": FONT_PIXELS}}}
    main["domain"] = [0, main_top(strip, has_note=has_note)]
    if not strip:
        return {"yaxis": main}
    above = {**shared, "domain": [STRIP_FROM, 1], "nticks": 3, "anchor": "x",
             "title": {"text": "larger scale", "font": {"size": FONT_PIXELS}}}  # fmt: skip
    return {"yaxis": main, "yaxis2": above}


def strip_names(settings: Sequence[SettingRun], strip: frozenset[int], axis: RequestAxis) -> dict[int, dict[str, Any]]:
    """Annotations that name the lines of the strip at their ends, with their last value, by the setting's number. Of
    two that end near to each other only the larger one is named."""
    ends = {number: settings[number].run.requests[-1] for number in strip}
    order = sorted(strip, key=lambda number: -ends[number].total_tokens)
    top = max((_peak(settings[number]) for number in strip), default=0)
    named: dict[int, dict[str, Any]] = {}
    for number in order:
        end = ends[number]
        if all(abs(end.total_tokens - ends[other].total_tokens) >= END_LABEL_GAP * top for other in named):
            named[number] = {
                "text": f"{escaped(settings[number].label)} <b>{end.total_tokens:,}</b>", "showarrow": False,
                "x": axis.last(end.turn), "y": end.total_tokens, "yref": "y2", "xanchor": "right", "yanchor": "bottom",
                "font": {"size": FONT_PIXELS},
            }  # fmt: skip
    return named
