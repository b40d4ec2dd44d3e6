"""The axis of tokens of a chart of requests, in tokens or in percent of a window, and one
setting of several that share the axis of turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any, NamedTuple

from memviz.core.translation import _
from memviz.dashboard.charts.grammar import TOKENS_AXIS, Part
from memviz.dashboard.charts.setting_run import SettingRun
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
        return _("% of {name} ({tokens:,})", name=self.name, tokens=self.tokens)

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
"""A setting is far larger if its largest request is more than so many times that of the
next smaller one."""
HEADROOM_SHARE = 0.04
"""Of the axis, what stays free above the highest point."""


def far_larger(settings: Sequence[SettingRun]) -> frozenset[int]:
    """Return the numbers of the settings whose requests are far larger than the others':
    a magnified picture leaves out how high they go. None where all are of one size."""
    peaks = {}
    for number, one in enumerate(settings):
        if one.run.columns.largest:
            peaks[number] = one.run.columns.largest
    order = sorted(peaks, key=peaks.__getitem__)
    for at in range(len(order) - 1, 0, -1):
        if peaks[order[at]] > TIMES_LARGER * peaks[order[at - 1]]:
            return frozenset(order[at:])
    return frozenset()


def token_axis(top_tokens: float, window: Window | None = None) -> Part:
    """Return the y axis, from 0 to a little above ``top_tokens``: one scale for all
    settings, because how much their requests differ in size is what the chart shows.
    ``window``: the tokens are given as percent of it."""
    axis = {
        **TOKENS_AXIS,
        "title": {"text": window.title if window else _("tokens sent")},
        "range": [0, top_tokens * (1 + HEADROOM_SHARE)],
    }
    if window is not None:
        axis |= percent_ticks(window, round(top_tokens) or 1)
    return axis


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
    def group(self) -> Part:
        """The properties of a trace that say which line it belongs to."""
        return {"legendgroup": str(self.number)}

    def id_of(self, request: int) -> str:
        """The id of the point of a request."""
        return f"{self.number}:{request_id(self.setting.run, request)}"
