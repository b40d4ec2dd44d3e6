"""How the places of a fact are coloured and called, and the sentences that charts say about them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from unicodedata import east_asian_width

import numpy as np

from memviz.core.text.wording import share_of
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.text import escaped
from memviz.metrics.requests.request_axis import request_names
from memviz.metrics.retention.knowledge import (
    BEST_FIRST,
    FactState,
    Knowledge,
    Retention,
)

SHOWN = BEST_FIRST
"""The states of a fact that was stated, the best first; legends and stacks have this order."""
KNOWLEDGE_COLORS = {
    Knowledge.VERBATIM: PART_COLORS["history"],
    Knowledge.RECALLED: PART_COLORS["recalled"],
    Knowledge.SUMMARY: PART_COLORS["summary"],
    Knowledge.SYSTEM: PART_COLORS["system"],
    Knowledge.CONTRADICTED: FactState.CONTRADICTED.color,
    Knowledge.UNKNOWN: FactState.UNKNOWN.color,
    Knowledge.LOST: FactState.LOST.color,
}
KNOWLEDGE_TITLES = {
    Knowledge.VERBATIM: "Word for word",
    Knowledge.RECALLED: "Recalled",
    Knowledge.SUMMARY: "In the summary",
    Knowledge.SYSTEM: "In the system prompt",
    Knowledge.CONTRADICTED: "Contradicted",
    Knowledge.UNKNOWN: "Unknown",
    Knowledge.LOST: "Lost",
}
STATE_WORDS = {
    Knowledge.VERBATIM: "word for word",
    Knowledge.RECALLED: "recalled",
    Knowledge.SUMMARY: "in the summary",
    Knowledge.SYSTEM: "in the system prompt",
    Knowledge.CONTRADICTED: FactState.CONTRADICTED.word,
    Knowledge.UNKNOWN: FactState.UNKNOWN.word,
    Knowledge.LOST: FactState.LOST.word,
}
PATTERNS = {Knowledge.CONTRADICTED: "/", Knowledge.UNKNOWN: "."}
"""Hatching of the bars and areas of these states, for those who cannot tell the colours."""
_ALWAYS_SAID = (Knowledge.VERBATIM, Knowledge.SUMMARY)


def known_words(retention: Retention) -> list[str]:
    """What each request knew: ``turn 30: 14 of 19 facts known: 6 word for word, 8 in the summary; 5 lost``."""
    counts = np.stack(
        [(retention.states == state).sum(axis=1) for state in Knowledge], axis=1
    ).tolist()
    return [
        _words(name, row)
        for name, row in zip(request_names(retention.turns), counts, strict=True)
    ]


def _words(request: str, counts: list[int]) -> str:
    """``counts`` are numbers of facts by state."""
    born = sum(counts) - counts[Knowledge.NOT_BORN]
    if not born:
        return f"{request}: no fact was stated yet"
    places = [state for state in SHOWN if state.is_known]
    parts = [
        f"{counts[state]:,} {STATE_WORDS[state]}"
        for state in places
        if counts[state] or state in _ALWAYS_SAID
    ]
    others = [
        state
        for state in SHOWN
        if not state.is_known and (counts[state] or state is Knowledge.LOST)
    ]
    known = sum(counts[state] for state in places)
    return "; ".join(
        [
            f"{request}: {share_of(known, born, 'fact')} known: {', '.join(parts)}",
            *(f"{counts[state]:,} {STATE_WORDS[state]}" for state in others),
        ]
    )


def fact_label(answers: tuple[str, ...], question: str, chars: int) -> str:
    """A fact on one short line, its answer first and then the question, if there is one, escaped for Plotly. A wide
    character takes the room of two."""
    text = " ".join(
        (
            f"{answers[0] if answers else '?'}" + f" · {question}" * bool(question)
        ).split()
    )
    ends = list(
        accumulate(1 + (east_asian_width(character) in "WF") for character in text)
    )
    return escaped(
        text
        if not ends or ends[-1] <= chars
        else text[: bisect_right(ends, chars - 1)] + "…"
    )
