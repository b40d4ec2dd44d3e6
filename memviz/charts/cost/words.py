"""What a point on the lines of cost says: what the turn cost, and for what."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from memviz.charts.cost.setting_cost import SettingCost, View
from memviz.charts.text import escaped
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


def turn_words(one: SettingCost) -> Iterator[str]:
    """A tooltip for each turn, in order."""
    each, so_far, uncached = one.amounts(View.EACH_TURN), one.amounts(View.SO_FAR), one.uncached(View.EACH_TURN)
    turns, told, head = one.cost.turns.tolist(), _parts(one), f"<b>{escaped(one.label)}</b><br>turn "
    if each is None or so_far is None or uncached is None:
        yield from (f"{head}{turn:,} cost an unknown amount:{parts}" for turn, parts in zip(turns, told, strict=True))
        return
    amounts = np.stack([sum(each), sum(so_far), uncached], axis=1).tolist()
    has_hits = bool(one.cost.cached_tokens.any())
    for turn, parts, (usd, total_usd, uncached_usd) in zip(turns, told, amounts, strict=True):
        otherwise = f"<br>without the cache: {dollars(uncached_usd)}" if has_hits else ""
        yield f"{head}{turn:,} cost <b>{dollars(usd)}</b>, all turns so far {dollars(total_usd)}:{parts}{otherwise}"


def _parts(one: SettingCost) -> list[str]:
    """What each turn was paid for, a line a part."""
    told = [""] * len(one.cost.turns)
    for part, words in _WORDS.items():
        tokens, usd = one.parts.tokens[part].tolist(), one.parts.usd[part]
        amounts = [None] * len(tokens) if usd is None else usd.tolist()
        for row, number in enumerate(tokens):
            if number:
                told[row] += f"<br>{number:,} tokens {words}: {usd_words(amounts[row])}"
    return told
