"""What a point on the lines of cost says: what the request cost, and for what; and what each chart shows, in one
sentence for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.charts.cost.frame import Frame
from memviz.charts.cost.setting_cost import SettingCost, Unit, View
from memviz.charts.text import escaped
from memviz.charts.thinning import Texts
from memviz.metrics.cost.cost import Part
from memviz.metrics.requests.request_axis import request_names
from memviz.text.wording import counted, dollars, listed

UNKNOWN = "unknown"
_WORDS = {
    Part.CACHED: "read from the cache",
    Part.FRESH: "read fresh",
    Part.WRITTEN: "read and put into the cache",
    Part.OUTPUT: "written by the model",
    Part.SUMMARIZER_INPUT: "read by the summarizer",
    Part.SUMMARIZER_OUTPUT: "written by the summarizer",
}


def usd_words(usd: float | None) -> str:
    """An amount, or that it is not known: never a zero for what nobody knows."""
    return UNKNOWN if usd is None else dollars(usd)


def cost_finding(costs: Sequence[SettingCost]) -> str:
    """What the lines of cost come to."""
    known = [
        f"{one.label} costs {dollars(one.cost.total_usd)}"
        for one in costs
        if one.cost.total_usd is not None
    ]
    turns = max(
        (int(one.cost.turns[-1]) for one in costs if one.cost.turns.size), default=0
    )
    return (
        f"Over {counted(turns, 'turn')} {listed(known)}."
        if known
        else "No price is known, so tokens are drawn."
    )


def above_finding(frame: Frame, unit: Unit) -> str:
    """Which lines leave the picture, and how high they go; empty where all of them are seen whole."""
    peaks = [
        f"{line.name}, {dollars(line.peak) if unit is Unit.USD else counted(round(line.peak), 'token')}"
        for line in sorted(frame.above, key=lambda line: -line.peak)
    ]
    return f"Off the chart: {'; '.join(peaks)}." if peaks else ""


def cache_finding(costs: Sequence[SettingCost]) -> str:
    """Which share of the input each setting read from the cache."""
    return f"Input read from the prompt cache: {listed([f'{one.label} {one.cost.hit_rate:.0%}' for one in costs])}."


def requests_finding(costs: Sequence[SettingCost]) -> str:
    """The largest request of each setting."""
    largest = [
        f"{one.label} {int(one.cost.traffic.input_tokens.max(initial=0)):,}"
        for one in costs
    ]
    return f"Tokens of the largest request: {listed(largest)}."


def turn_words(one: SettingCost) -> Texts[int]:
    """A tooltip for each request, in order."""
    each, so_far, uncached = (
        one.amounts(View.EACH_STEP),
        one.amounts(View.SO_FAR),
        one.uncached(View.EACH_STEP),
    )
    names = request_names(one.cost.turns)
    so_far_words = (
        "all calls so far"
        if len(set(one.cost.turns.tolist())) < len(names)
        else "all turns so far"
    )
    has_hits = bool(one.cost.cached_tokens.any())
    amounts = None
    if each is not None and so_far is not None and uncached is not None:
        amounts = (each[0] + each[1], so_far[0] + so_far[1], uncached)

    def words(row: int) -> str:
        head, parts = (
            f"<b>{escaped(one.label)}</b><br>{names[row]} cost",
            _parts(one, row),
        )
        if amounts is None:
            return f"{head} an unknown amount:{parts}"
        usd, total_usd, uncached_usd = (float(column[row]) for column in amounts)
        otherwise = (
            f"<br>without the cache: {dollars(uncached_usd)}" if has_hits else ""
        )
        return f"{head} <b>{dollars(usd)}</b>, {so_far_words} {dollars(total_usd)}:{parts}{otherwise}"

    return Texts(range(len(names)), words)


def _parts(one: SettingCost, row: int) -> str:
    """What a request was paid for, a line a part."""
    told = ""
    for part, words in _WORDS.items():
        number, usd = int(one.parts.tokens[part][row]), one.parts.usd[part]
        if number:
            told += f"<br>{counted(number, 'token')} {words}: {usd_words(None if usd is None else float(usd[row]))}"
    return told
