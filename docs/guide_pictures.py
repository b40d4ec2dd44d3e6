"""The pictures of the field guide as SVG: two bars, what was said and what was sent, with their tokens and a legend."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from memviz.dashboard.charts.requests.said_and_sent import (
    COLORS,
    FUNNEL_OPACITY,
    SAID,
    SENT,
    TITLES,
    opacity_of,
)
from memviz.dashboard.words.requests import picture_words
from memviz.metrics.requests.message_text import (
    SaidAndSent,
    Stretch,
)

PICTURE_WIDTH = 760
BARS_LEFT = 104
BAR_TOPS = (8, 72)
BAR_HEIGHT = 40
LEGEND_TOP = 140
LEGEND_ROW = 22
LETTER_WIDTH = 7.2
SWATCH = 14
PICTURE_STYLE = "text{font:13px system-ui,sans-serif;fill:#1d2630}@media(prefers-color-scheme:dark){text{fill:#e6ebf0}}"


def picture_svg(picture: SaidAndSent) -> str:
    """Return the two bars with their tokens, and a legend."""
    most = max(picture.said_tokens, picture.record.total_tokens)
    scale = (PICTURE_WIDTH - BARS_LEFT - 10) / most
    legend, bottom = _legend(picture)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PICTURE_WIDTH} {bottom}" role="img">',
        f"<title>{escape(picture_words(picture))}</title>",
        f"<style>{PICTURE_STYLE}</style>",
        *_funnel(picture, scale),
        *_row(picture, SAID, picture.said, BAR_TOPS[0], scale),
        *_row(picture, SENT, picture.sent, BAR_TOPS[1], scale),
        *legend,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _row(
    picture: SaidAndSent,
    title: str,
    stretches: tuple[Stretch, ...],
    top: int,
    scale: float,
) -> Iterator[str]:
    tokens = sum(stretch.tokens for stretch in stretches)
    yield f'<text x="0" y="{top + 18}">{title}</text><text x="0" y="{top + 35}">{tokens:,} tokens</text>'
    for stretch in stretches:
        gap = 1 if stretch.position is not None and stretch.tokens * scale > 2 else 0
        yield (
            f'<rect x="{BARS_LEFT + stretch.start * scale:.1f}" y="{top}" width="{stretch.tokens * scale - gap:.1f}" '
            f'height="{BAR_HEIGHT}" fill="{COLORS[stretch.looks]}" opacity="{opacity_of(picture, stretch):g}"/>'
        )


def _funnel(picture: SaidAndSent, scale: float) -> Iterator[str]:
    """From what was summarized to its summary."""
    if picture.folded is not None:
        said, sent = picture.folded
        x0, x1, x2, x3 = (
            f"{BARS_LEFT + tokens * scale:.1f}"
            for tokens in (said.start, said.stop, sent.stop, sent.start)
        )
        top = BAR_TOPS[0] + BAR_HEIGHT
        bottom = BAR_TOPS[1]
        points = f"{x0},{top} {x1},{top} {x2},{bottom} {x3},{bottom}"
        yield f'<polygon points="{points}" fill="{COLORS["summary"]}" opacity="{FUNNEL_OPACITY}"/>'


def _legend(picture: SaidAndSent) -> tuple[list[str], int]:
    """Its lines, and where it ends."""
    occurring = {stretch.looks for stretch in (*picture.said, *picture.sent)}
    lines = []
    x = 0.0
    y = LEGEND_TOP
    for looks in filter(occurring.__contains__, COLORS):
        width = SWATCH + 6 + len(TITLES[looks]) * LETTER_WIDTH + 18
        if x + width > PICTURE_WIDTH:
            x = 0.0
            y = y + LEGEND_ROW
        lines.append(
            f'<rect x="{x:.1f}" y="{y - 12}" width="{SWATCH}" height="{SWATCH}" rx="3" fill="{COLORS[looks]}"/>'
            f'<text x="{x + SWATCH + 6:.1f}" y="{y}">{TITLES[looks]}</text>'
        )
        x += width
    return lines, y + 12
