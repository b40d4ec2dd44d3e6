"""Two panels of one chart: settings whose requests grow far larger than the others' stand in a strip of their own
scale, so that the others, and what happens to them, keep their room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memviz.charts.requests.window_share import Window, percent_ticks
from memviz.charts.text import escaped

if TYPE_CHECKING:
    from memviz.charts.setting_run import SettingRun
    from memviz.metrics.requests.request_axis import RequestAxis

TIMES_LARGER = 3
"""A setting stands in the strip if its largest request is more than so many times the next smaller one's."""
MAIN_SHARE, EVEN_SHARE, NOTE_SHARE = 0.7, 0.47, 0.07
"""Of the height, from the bottom: where the main panel ends; where it ends if most of the lines stand in the strip; and
how much there is between it and the strip, for a note."""
NOTE_FROM = 0.93
"""Where the only panel ends if there is a note above it."""
FONT_PIXELS = 13
END_LABEL_GAP = 0.3
"""Names of two lines stand apart if their ends differ by this share of the strip."""


def strip_of(settings: Sequence[SettingRun]) -> frozenset[int]:
    """The numbers of the settings that stand in the strip; none where all are of one size. Hidden ones do not count."""
    peaks = {
        number: peak
        for number, one in enumerate(settings)
        if one.shown and (peak := _peak(one))
    }
    order = sorted(peaks, key=peaks.__getitem__)
    for at in range(len(order) - 1, 0, -1):
        if peaks[order[at]] > TIMES_LARGER * peaks[order[at - 1]]:
            return frozenset(order[at:])
    return frozenset()


def _peak(setting: SettingRun) -> int:
    return setting.run.columns.largest


def in_strip(
    trace: Mapping[str, Any], strip: frozenset[int], named: Mapping[int, object]
) -> dict[str, Any]:
    """What a trace says besides, if its setting stands in the strip. The legend has no place for a line that is named
    at its end."""
    number = int(trace["legendgroup"])
    if number not in strip:
        return {}
    return {"yaxis": "y2", **({"showlegend": False} if number in named else {})}


def main_top(
    settings: Sequence[SettingRun], strip: frozenset[int], *, has_note: bool
) -> float:
    """Where the main panel ends, of the height from the bottom. A strip of most lines is as high as the panel: their
    shapes could not be seen in less."""
    if not strip:
        return NOTE_FROM if has_note else 1
    lines = sum(one.shown for one in settings)
    return EVEN_SHARE if len(strip) > lines / 2 else MAIN_SHARE


def y_axes(
    settings: Sequence[SettingRun],
    strip: frozenset[int],
    *,
    has_note: bool = False,
    window: Window | None = None,
) -> dict[str, Any]:
    """The y axes for the layout. Each begins at 0. ``has_note``: a line of words stands above the main panel.
    ``window``: the tokens are given as percent of it."""
    shared = {
        "automargin": False,
        "rangemode": "tozero",
        "tickformat": ",d",
        "exponentformat": "none",
        "tickfont": {"size": FONT_PIXELS},
    }
    main = {
        **shared,
        "title": {
            "text": window.title if window else "tokens sent",
            "font": {"size": FONT_PIXELS},
        },
    }
    main["domain"] = [0, (top := main_top(settings, strip, has_note=has_note))]
    ticks = {} if window is None else _percent_ticks(settings, strip, window)
    if not strip:
        return {"yaxis": {**main, **ticks.get("yaxis", {})}}
    above = {
        **shared,
        "domain": [top + NOTE_SHARE, 1],
        "nticks": 3,
        "anchor": "x",
        "title": {"text": "larger scale", "font": {"size": FONT_PIXELS}},
    }
    axes = {"yaxis": main, "yaxis2": above}
    return (
        axes
        if window is None
        else {name: {**axis, **ticks[name]} for name, axis in axes.items()}
    )


def _percent_ticks(
    settings: Sequence[SettingRun], strip: frozenset[int], window: Window
) -> dict[str, dict[str, Any]]:
    """Ticks of both axes in percent of the window; the strip has room for two."""
    peaks = [
        (number in strip, _peak(one))
        for number, one in enumerate(settings)
        if one.shown
    ]
    main, above = (
        max((peak for place, peak in peaks if place is where), default=1)
        for where in (False, True)
    )
    few = percent_ticks(window, 3 * above)  # a step for a picture three times as high
    return {"yaxis": percent_ticks(window, main), "yaxis2": few}


def strip_names(
    settings: Sequence[SettingRun], strip: frozenset[int], axis: RequestAxis
) -> dict[int, dict[str, Any]]:
    """Annotations that name the lines of the strip at their ends, with their last value, by the setting's number. Of
    two that end near to each other only the larger one is named."""
    ends = {number: settings[number].run.requests[-1] for number in strip}
    order = sorted(strip, key=lambda number: -ends[number].total_tokens)
    top = max((_peak(settings[number]) for number in strip), default=0)
    named: dict[int, dict[str, Any]] = {}
    for number in order:
        end = ends[number]
        if all(
            abs(end.total_tokens - ends[other].total_tokens) >= END_LABEL_GAP * top
            for other in named
        ):
            named[number] = {
                "text": f"{escaped(settings[number].label)} <b>{end.total_tokens:,}</b>",
                "showarrow": False,
                "x": axis.last(end.turn),
                "y": end.total_tokens,
                "yref": "y2",
                "xanchor": "right",
                "yanchor": "bottom",
                "font": {"size": FONT_PIXELS},
            }
    return named
