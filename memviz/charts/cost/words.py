"""What a point on the lines of cost says: what the turn cost, and for what."""

from __future__ import annotations

from memviz.charts.cost.setting_cost import SettingCost, View
from memviz.charts.text import escaped
from memviz.charts.thinning import Texts
from memviz.metrics.cost.parts import Part
from memviz.text.wording import dollars

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


def turn_words(one: SettingCost) -> Texts[int]:
    """A tooltip for each turn, in order."""
    each, so_far, uncached = one.amounts(View.EACH_TURN), one.amounts(View.SO_FAR), one.uncached(View.EACH_TURN)
    turns, has_hits = one.cost.turns.tolist(), bool(one.cost.cached_tokens.any())
    amounts = None
    if each is not None and so_far is not None and uncached is not None:
        amounts = (each[0] + each[1], so_far[0] + so_far[1], uncached)

    def words(row: int) -> str:
        head, parts = f"<b>{escaped(one.label)}</b><br>turn {turns[row]:,} cost", _parts(one, row)
        if amounts is None:
            return f"{head} an unknown amount:{parts}"
        usd, total_usd, uncached_usd = (float(column[row]) for column in amounts)
        otherwise = f"<br>without the cache: {dollars(uncached_usd)}" if has_hits else ""
        return f"{head} <b>{dollars(usd)}</b>, all turns so far {dollars(total_usd)}:{parts}{otherwise}"

    return Texts(range(len(turns)), words)


def _parts(one: SettingCost, row: int) -> str:
    """What a turn was paid for, a line a part."""
    told = ""
    for part, words in _WORDS.items():
        number, usd = int(one.parts.tokens[part][row]), one.parts.usd[part]
        if number:
            told += f"<br>{number:,} tokens {words}: {usd_words(None if usd is None else float(usd[row]))}"
    return told
