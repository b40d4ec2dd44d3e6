"""Two panels of one chart: settings whose requests grow far larger than the others' stand in a strip of their own
scale, so that the others, and what happens to them, keep their room."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any, NamedTuple

from memviz.dashboard.charts.grammar import TOKENS_AXIS, Part, note
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.charts.text import escaped
from memviz.dashboard.charts.turn_axis import request_id
from memviz.metrics.requests.request_axis import Places, RequestAxis, request_turns

MOST_TICKS = 6
_FIRST_DIGITS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Window(NamedTuple):
    """The size that percent are of, and its name, such as ``gpt-4o's window``."""

    tokens: int
    name: str

    @property
    def title(self) -> str:
        """The title of the axis."""
        return f"% of {self.name} ({self.tokens:,})"

    def share(self, tokens: int) -> str:
        """``12.3%``."""
        return percent_text(100 * tokens / self.tokens)


def percent_ticks(window: Window, largest_tokens: int) -> dict[str, Any]:
    """Ticks at round shares of the window, from 0 to beyond ``largest_tokens``, as properties of an axis of tokens."""
    step = _step(100 * largest_tokens / window.tokens)
    shares = [step * number for number in range(MOST_TICKS + 3)]
    return {
        "tickmode": "array",
        "tickvals": [share * window.tokens / 100 for share in shares],
        "ticktext": [percent_text(share) for share in shares],
    }


def _step(largest_percent: float) -> float:
    """The round step with which few ticks reach the largest share."""
    least = max(largest_percent, 1e-6) / MOST_TICKS
    unit = 10.0 ** floor(log10(least))
    return next(
        digit * unit for digit in _FIRST_DIGITS if digit * unit >= least * (1 - 1e-9)
    )


def percent_text(percent: float) -> str:
    """A share with three digits that are not zero, and two of one below 1: ``0.25%``, ``12.5%``, ``1,500%``."""
    if percent <= 0:
        return "0%"
    size = floor(log10(percent))
    digits = max(0, (2 if size >= 0 else 1) - size)
    text = f"{percent:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


TIMES_LARGER = 3
"""A setting stands in the strip if its largest request is more than so many times the next smaller one's."""
MAIN_SHARE = 0.7
EVEN_SHARE = 0.47
NOTE_SHARE = 0.07
"""Of the height, from the bottom: where the main panel ends; where it ends if most of the lines stand in the strip; and
how much there is between it and the strip, for a note."""
NOTE_FROM = 0.93
"""Where the only panel ends if there is a note above it."""
END_LABEL_GAP = 0.3
"""Names of two lines stand apart if their ends differ by this share of the strip."""


@dataclass(frozen=True, eq=False)
class Panels:
    """The settings of a chart by the panel that each stands in."""

    settings: Sequence[SettingRun]
    strip: frozenset[int]
    """The numbers of the settings that stand in the strip; none where all are of one size."""

    @classmethod
    def of(cls, settings: Sequence[SettingRun]) -> Panels:
        """The panels of ``settings``. Hidden ones do not count."""
        peaks = {}
        for number, one in enumerate(settings):
            if one.shown and one.run.columns.largest:
                peaks[number] = one.run.columns.largest
        order = sorted(peaks, key=peaks.__getitem__)
        for at in range(len(order) - 1, 0, -1):
            if peaks[order[at]] > TIMES_LARGER * peaks[order[at - 1]]:
                return cls(settings, frozenset(order[at:]))
        return cls(settings, frozenset())

    @property
    def rows(self) -> tuple[str, ...]:
        """The y axes that there are."""
        return ("y", "y2") if self.strip else ("y",)

    def row_of(self, number: int) -> str:
        """The y axis of setting ``number``."""
        return "y2" if number in self.strip else "y"

    def largest(self, row: str, *, shown_only: bool = False) -> int:
        """The largest request of a panel; 0 where it has none."""
        sizes = [
            one.run.columns.largest
            for number, one in enumerate(self.settings)
            if self.row_of(number) == row and (one.shown or not shown_only)
        ]
        return max(sizes, default=0)

    def main_top(self, *, has_note: bool) -> float:
        """Return the upper end of the main panel, as a share of the height. A strip of most lines is as high as the
        panel: their shapes could not be seen in less."""
        if not self.strip:
            return NOTE_FROM if has_note else 1
        lines = sum(one.shown for one in self.settings)
        return EVEN_SHARE if len(self.strip) > lines / 2 else MAIN_SHARE

    def placed(self, trace: Part, named: Container[int]) -> Part:
        """The trace in the panel of its setting. The legend has no place for a line that is named at its end."""
        number = int(trace["legendgroup"])
        if number not in self.strip:
            return trace
        trace = {**trace, "yaxis": "y2"}
        if number in named:
            trace["showlegend"] = False
        return trace


def y_axes(
    panels: Panels, *, has_note: bool = False, window: Window | None = None
) -> Part:
    """Return the y axes for the layout. Each begins at 0. ``has_note``: a line of words stands above the main panel.
    ``window``: the tokens are given as percent of it."""
    top = panels.main_top(has_note=has_note)
    title = window.title if window else "tokens sent"
    axes: Part = {
        "yaxis": {**TOKENS_AXIS, "title": {"text": title}, "domain": [0, top]}
    }
    if panels.strip:
        axes["yaxis2"] = {
            **TOKENS_AXIS,
            "title": {"text": "larger scale"},
            "domain": [top + NOTE_SHARE, 1],
            "nticks": 3,
            "anchor": "x",
        }
    if window is not None:
        main = panels.largest("y", shown_only=True) or 1
        axes["yaxis"] |= percent_ticks(window, main)
        if panels.strip:
            # The strip has room for two ticks: a step for a picture three times as high.
            above = panels.largest("y2", shown_only=True)
            axes["yaxis2"] |= percent_ticks(window, 3 * above)
    return axes


def strip_names(panels: Panels, axis: RequestAxis) -> dict[int, Part]:
    """Return notes that name the lines of the strip at their ends, with their last value, by the setting's number. Of
    two that end near to each other only the larger one is named."""
    ends = {number: panels.settings[number].run.requests[-1] for number in panels.strip}
    least_gap = END_LABEL_GAP * panels.largest("y2")
    named: dict[int, Part] = {}
    for number in sorted(panels.strip, key=lambda number: -ends[number].total_tokens):
        tokens = ends[number].total_tokens
        gaps = [abs(tokens - ends[other].total_tokens) for other in named]
        if min(gaps, default=least_gap) >= least_gap:
            words = f"{escaped(panels.settings[number].label)} <b>{tokens:,}</b>"
            place = axis.last(ends[number].turn)
            named[number] = note(words, place, tokens, yref="y2", xanchor="right")
    return named


@dataclass(frozen=True, eq=False)
class PlacedSetting:
    """One setting of several on a shared axis."""

    setting: SettingRun
    number: int
    """The number of its line, which groups all that belongs to it in the legend."""
    axis: RequestAxis

    @property
    def places(self) -> Places:
        """The place of every request."""
        return self.axis.places(request_turns(self.setting.run))

    @property
    def visible(self) -> Part:
        """The properties of a trace that is seen, or hidden, with the line."""
        shown = True if self.setting.shown else "legendonly"
        return {"legendgroup": str(self.number), "visible": shown}

    @property
    def beside_its_line(self) -> Part:
        """The same for what the legend does not name."""
        return {**self.visible, "showlegend": False}

    def id_of(self, request: int) -> str:
        """The id of the point of a request."""
        return f"{self.number}:{request_id(self.setting.run, request)}"
