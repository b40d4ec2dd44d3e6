"""The picture of a strategy at work, as small as a line of text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from memviz.dashboard.charts.requests.said_and_sent import COLORS
from memviz.metrics.requests.said_and_sent import SaidAndSent, Stretch


def mini_picture(picture: SaidAndSent) -> str:
    """All that was said above what was sent, on one scale, as HTML."""
    most = max(picture.said_tokens, picture.record.total_tokens)
    rows = "".join(
        f"<div>{_row(stretches, most)}</div>"
        for stretches in (picture.said, picture.sent)
    )
    return f'<div class="memviz-mini" role="img" aria-label="{escape(picture.sentence)}">{rows}</div>'


def _row(stretches: Sequence[Stretch], most: int) -> str:
    """Neighbours that look alike are one piece."""
    tokens = (
        (looks, sum(one.tokens for one in alike))
        for looks, alike in groupby(stretches, lambda one: one.looks)
    )
    return "".join(
        f'<span style="width:{count / most:.2%};background:{COLORS[looks]}"></span>'
        for looks, count in tokens
    )
