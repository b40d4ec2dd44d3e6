"""Tokens of requests as percent of a context window. The picture stays the same: only what stands at its axis, and in
its tooltips, is counted in percent."""

from __future__ import annotations

from math import floor, log10
from typing import Any, NamedTuple

MOST_TICKS = 6
_FIRST_DIGITS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Window(NamedTuple):
    """What percent are of: so many ``tokens``, and what that is in words, such as ``gpt-4o's window``."""

    tokens: int
    name: str

    @property
    def title(self) -> str:
        """What the axis counts."""
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
