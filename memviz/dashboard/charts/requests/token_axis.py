"""The axis of tokens of a chart of requests, in tokens or in percent of a window."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any, NamedTuple

from memviz.core.translation import _
from memviz.dashboard.charts.grammar import TOKENS_AXIS, Part
from memviz.dashboard.charts.palette import SettingRun

MOST_TICKS = 6
_FIRST_DIGITS = (1.0, 2.0, 2.5, 5.0, 10.0)
TIMES_LARGER = 3
"""A setting is far larger if its largest request is more than so many times that of the
next smaller one."""
HEADROOM_SHARE = 0.04
"""The part of the axis that stays free above the highest point."""


class Window(NamedTuple):
    """The size that percent are of, and its name, such as ``gpt-4o's window``."""

    tokens: int
    name: str

    @property
    def title(self) -> str:
        """The title of the axis."""
        return _("% of {name} ({tokens:,})", name=self.name, tokens=self.tokens)

    def share(self, tokens: int) -> str:
        """Return ``12.3%`` for a part of the window."""
        return percent_text(100 * tokens / self.tokens)


def percent_ticks(window: Window, largest_tokens: int) -> dict[str, Any]:
    """Return ticks at round shares of the window, from 0 to beyond ``largest_tokens``, as properties of an axis of
    tokens."""
    step = _step(100 * largest_tokens / window.tokens)
    shares = [step * number for number in range(MOST_TICKS + 3)]
    return {
        "tickmode": "array",
        "tickvals": [share * window.tokens / 100 for share in shares],
        "ticktext": [percent_text(share) for share in shares],
    }


def _step(largest_percent: float) -> float:
    """Return the round step with which few ticks reach the largest share: 25 for 120%."""
    least = max(largest_percent, 1e-6) / MOST_TICKS
    unit = 10.0 ** floor(log10(least))
    for digit in _FIRST_DIGITS:
        if digit * unit >= least * (1 - 1e-9):
            break
    return digit * unit


def percent_text(percent: float) -> str:
    """Return a share with three digits that are not zero, and two of one below 1: ``0.25%``, ``12.5%``, ``1,500%``."""
    if percent <= 0:
        return "0%"
    size = floor(log10(percent))
    digits = max(0, (2 if size >= 0 else 1) - size)
    text = f"{percent:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text}%"


def find_far_larger(settings: Sequence[SettingRun]) -> frozenset[int]:
    """Return the numbers of the settings whose requests are far larger than the others':
    a magnified picture leaves out how high they go. None where all are of one size."""
    peaks = {}
    for number, setting in enumerate(settings):
        if setting.run.columns.largest:
            peaks[number] = setting.run.columns.largest
    order = sorted(peaks, key=peaks.__getitem__)
    for rank in range(len(order) - 1, 0, -1):
        if peaks[order[rank]] > TIMES_LARGER * peaks[order[rank - 1]]:
            return frozenset(order[rank:])
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
