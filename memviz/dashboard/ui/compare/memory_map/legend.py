"""What stands beside the fate maps as HTML of our own: the legend above them and the key numbers below each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

import streamlit as st

from memviz.core.context import Fate
from memviz.core.text.wording import share_of
from memviz.dashboard.charts.palette import (
    STEP_COLORS,
    STEP_TITLES,
    SUMMARIZATION_GLYPH,
)
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.charts.summaries.marks import marks_of
from memviz.dashboard.ui.controls.message_html import glyph, legend_item, swatch
from memviz.metrics.memory_map.fate_map import FateMap, fate_map
from memviz.metrics.memory_map.steps import STEPS, code_of

FATE_ORDER = (
    Fate.VERBATIM,
    Fate.SHORTENED,
    Fate.CLEARED,
    Fate.SUMMARIZED,
    Fate.RECALLED,
    Fate.DROPPED,
)
LEGEND_ORDER = [
    code for fate in FATE_ORDER for code, step in enumerate(STEPS) if step.fate is fate
]
"""Codes from what is sent whole to what is not sent at all."""
ROW_STYLE = "display:flex;flex-wrap:wrap;gap:0.2rem 0.8rem;font-size:0.875rem"
HOW_OFTEN_STYLE = "display:inline-flex;flex-wrap:wrap;align-items:center;gap:0.4rem"
BAR_STYLE = "display:flex;height:0.4rem;border-radius:0.2rem;overflow:hidden;margin-bottom:0.5rem"


def legend(settings: Sequence[SettingRun]) -> None:
    """What the colours mean; only those that occur."""
    order = sorted(
        {code for setting in settings for code in fate_map(setting.run).present},
        key=LEGEND_ORDER.index,
    )
    summarized = [code for code in order if STEPS[code].fate is Fate.SUMMARIZED]
    items = []
    for code in order:
        if len(summarized) < 2 or code not in summarized:
            items.append(legend_item(swatch(STEP_COLORS[code]), STEP_TITLES[code]))
        elif code == summarized[0]:
            items.append(_how_often(summarized))
    compactions = [
        compaction for setting in settings for compaction in setting.run.compactions
    ]
    for mark in marks_of(compactions):
        color = SUMMARIZATION_GLYPH if mark.symbol == "diamond" else mark.color
        items.append(legend_item(glyph(mark.character, color), mark.name))
    st.html(f'<div class="memviz-fates" style="{ROW_STYLE}">{"".join(items)}</div>')


def _how_often(codes: Sequence[int]) -> str:
    """One entry for all violets, side by side from the strongest to the faintest: a row has room for it."""
    words = [*map(_times_words, codes[:-1]), f"{_times_words(codes[-1])} times"]
    items = (
        legend_item(swatch(STEP_COLORS[code]), often)
        for code, often in zip(codes, words, strict=True)
    )
    return f'<span style="{HOW_OFTEN_STYLE}">Summarized {"".join(items)}</span>'


def _times_words(code: int) -> str:
    first = STEPS[code].generation
    if code + 1 == len(STEPS) or STEPS[code + 1].fate is not Fate.SUMMARIZED:
        return f"{first} or more"
    last = STEPS[code + 1].generation - 1
    return f"{first}-{last}" if last > first else "once" if first == 1 else f"{first}"


def key_numbers(setting: SettingRun) -> None:
    """What became of all messages at the last request, under a map: a bar, and a share beside each colour."""
    fates = fate_map(setting.run)
    messages = fates.shares(-1).messages
    numbers = [number for number in _numbers(fates) if number.held]
    bar = "".join(
        f'<span style="width:{number.held / messages:.4%};background:{STEP_COLORS[number.code]}"></span>'
        for number in numbers
    )
    items = "".join(_item(number, messages) for number in numbers)
    parts = (
        f'<div style="{BAR_STYLE}">{bar}</div><div style="{ROW_STYLE}">{items}</div>'
    )
    st.html(f'<div class="memviz-shares">{parts}</div>')


def _often(mean: float) -> str:
    return (
        "once"
        if f"{mean:.1f}" == "1.0"
        else f"{mean:.1f}".removesuffix(".0") + " times"
    )


class _Number(NamedTuple):
    code: int
    held: int
    words: str
    more: str = ""


def _numbers(fates: FateMap) -> Iterator[_Number]:
    """What became of the messages at the last request, in the order of the bar."""
    often = f", {_often(fates.shares(-1).mean_generation)} on average"
    words = {
        Fate.VERBATIM: "sent word for word, the newest input included",
        Fate.RECALLED: "brought back for it",
        Fate.SHORTENED: "shortened: a part of each is in it",
        Fate.CLEARED: "sent as placeholders: that they were there is in it, and nothing that they said",
        Fate.SUMMARIZED: f"replaced by a summary{often}",
        Fate.DROPPED: "dropped: nothing of them is in it",
    }
    for fate, said in words.items():
        more = often if fate is Fate.SUMMARIZED else ""
        yield _Number(code_of(fate, 1), int(fates.counts[-1, fate]), said, more)


def _item(number: _Number, messages: int) -> str:
    """The colour with the share, and how often a summarized message was summarized; what they mean is said to the
    pointer and to a screen reader."""
    words = escape(
        f"{share_of(number.held, messages, 'message')} at the last request: {number.words}"
    )
    share = legend_item(
        swatch(STEP_COLORS[number.code]),
        f"{percent(number.held, messages)}{number.more}",
    )
    return f'<span title="{words}" role="img" aria-label="{words}">{share}</span>'


def percent(part: int, whole: int) -> str:
    """A share that is never rounded to nothing or to all."""
    share = f"{part / whole:.0%}" if whole else "0%"
    if share == "0%" and part:
        return "<1%"
    return ">99%" if share == "100%" and part < whole else share
