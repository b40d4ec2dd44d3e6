"""How the places of a fact are coloured and called, and the sentences that charts say about them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from unicodedata import east_asian_width

import numpy as np

from memviz.charts.palette import PART_COLORS, faded
from memviz.charts.text import escaped
from memviz.metrics.requests.request_axis import request_names
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.text.wording import share_of

SHOWN = (Knowledge.VERBATIM, Knowledge.RECALLED, Knowledge.SUMMARY, Knowledge.SYSTEM, Knowledge.LOST)
"""The states of a fact that was stated, the best first; legends and stacks have this order."""
KNOWLEDGE_COLORS = {
    Knowledge.VERBATIM: PART_COLORS["history"],
    Knowledge.RECALLED: PART_COLORS["recalled"],
    Knowledge.SUMMARY: PART_COLORS["summary"],
    Knowledge.SYSTEM: PART_COLORS["system"],
    Knowledge.LOST: faded(PART_COLORS["system"], 0.2),
}
KNOWLEDGE_TITLES = {
    Knowledge.VERBATIM: "Word for word",
    Knowledge.RECALLED: "Recalled",
    Knowledge.SUMMARY: "In the summary",
    Knowledge.SYSTEM: "In the system prompt",
    Knowledge.LOST: "Lost",
}
STATE_WORDS = {
    Knowledge.VERBATIM: "word for word",
    Knowledge.RECALLED: "recalled",
    Knowledge.SUMMARY: "in the summary",
    Knowledge.SYSTEM: "in the system prompt",
    Knowledge.LOST: "lost",
}
_ALWAYS_SAID = (Knowledge.VERBATIM, Knowledge.SUMMARY)


def known_words(retention: Retention) -> list[str]:
    """What each request knew: ``turn 30: 14 of 19 facts known: 6 word for word, 8 in the summary; 5 lost``."""
    counts = np.stack([(retention.states == state).sum(axis=1) for state in Knowledge], axis=1).tolist()
    return [_words(name, row) for name, row in zip(request_names(retention.turns), counts, strict=True)]


def _words(request: str, counts: list[int]) -> str:
    """``counts`` are numbers of facts by state."""
    born = sum(counts) - counts[Knowledge.NOT_BORN]
    if not born:
        return f"{request}: no fact was stated yet"
    parts = [
        f"{counts[state]:,} {STATE_WORDS[state]}" for state in SHOWN[:-1] if counts[state] or state in _ALWAYS_SAID
    ]
    return (
        f"{request}: {share_of(born - counts[Knowledge.LOST], born, 'fact')} known: "
        f"{', '.join(parts)}; {counts[Knowledge.LOST]:,} lost"
    )


def fact_label(answers: tuple[str, ...], question: str, chars: int) -> str:
    """A fact on one short line, its answer first and then the question, if there is one, escaped for Plotly. A wide
    character takes the room of two."""
    text = " ".join((f"{answers[0] if answers else '?'}" + f" · {question}" * bool(question)).split())
    ends = list(accumulate(1 + (east_asian_width(character) in "WF") for character in text))
    return escaped(text if not ends or ends[-1] <= chars else text[: bisect_right(ends, chars - 1)] + "…")
