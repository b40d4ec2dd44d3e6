"""What stands beside the fate maps as HTML of our own: the legend above them and the key numbers below each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import streamlit as st

from memviz.charts.palette import FAILURE_COLOR, STEP_COLORS, STEP_TITLES, SUMMARIZATION_LINE
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.context import Fate
from memviz.metrics.memory_map.fate_map import FateShares, fate_map
from memviz.metrics.memory_map.steps import code_of
from memviz.ui.controls.legend import glyph, legend_item, swatch

LEGEND_ORDER = (7, 2, 3, 4, 5, 6, 1)
"""Codes from what is sent whole to what is not sent at all."""
BAR_CODES = (code_of(Fate.VERBATIM), code_of(Fate.RECALLED), code_of(Fate.SUMMARIZED, 1), code_of(Fate.DROPPED))
ROW_STYLE = "display:flex;flex-wrap:wrap;gap:0.3rem 1.1rem;font-size:0.9rem"
BAR_STYLE = "display:flex;height:0.4rem;border-radius:0.2rem;overflow:hidden;margin-bottom:0.5rem"


def legend(settings: Sequence[SettingRun]) -> None:
    """What the colours mean; only those that occur."""
    order = sorted({code for setting in settings for code in fate_map(setting.run).present}, key=LEGEND_ORDER.index)
    items = [legend_item(swatch(STEP_COLORS[code]), STEP_TITLES[code]) for code in order]
    compactions = [compaction for setting in settings for compaction in setting.run.compactions]
    if any(compaction.summary is not None for compaction in compactions):
        items.append(legend_item(glyph("◆", SUMMARIZATION_LINE), "A summarization"))
    if any(compaction.error is not None for compaction in compactions):
        items.append(legend_item(glyph("✖", FAILURE_COLOR), "A summarization that failed"))
    st.html(f'<div class="memviz-fates" style="{ROW_STYLE}">{"".join(items)}</div>')


def key_numbers(setting: SettingRun) -> None:
    """What became of all messages at the last request, under a map."""
    shares = fate_map(setting.run).shares(-1)
    numbers = "".join(_number(*number) for number in _numbers(shares))
    bar = "".join(
        f'<span style="width:{count / shares.messages:.4%};background:{STEP_COLORS[code]}"></span>'
        for code, count in zip(BAR_CODES, shares[1:5], strict=True) if count
    )  # fmt: skip
    parts = f'<div style="{BAR_STYLE}">{bar}</div><div style="{ROW_STYLE}">{numbers}</div>'
    st.html(f'<div class="memviz-shares">{parts}</div>')


def _number(label: str, value: str, help_text: str) -> str:
    number = f'<b style="display:block;font-size:1.25rem;font-weight:600">{escape(value)}</b>'
    return f'<span title="{escape(help_text)}">{number}<small style="opacity:0.75">{label}</small></span>'


def _numbers(shares: FateShares) -> Iterator[tuple[str, str, str]]:
    """Label, value and help of each."""
    for label, count, help_text in (
        ("word for word", shares.verbatim, "sent as they are with the last request, the newest input included"),
        ("recalled", shares.recalled, "brought back for the last request"),
        ("replaced by a summary", shares.summarized, "in the last request only a summary stands for them"),
        ("dropped", shares.dropped, "nothing of them is in the last request"),
    ):
        if count or label != "recalled":
            yield label, percent(count, shares.messages), f"{count:,} of {shares.messages:,} messages: {help_text}"
    if shares.summarized:
        often = f"{shares.mean_generation:.1f} ×"
        yield "each, on average", often, "how many summarizations their content has been through, on average"


def percent(part: int, whole: int) -> str:
    """A share that is never rounded to nothing or to all."""
    share = f"{part / whole:.0%}" if whole else "0%"
    if share == "0%" and part:
        return "<1%"
    return ">99%" if share == "100%" and part < whole else share
