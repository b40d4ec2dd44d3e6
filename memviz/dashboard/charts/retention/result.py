"""The facts that one setting kept, as the charts of retention take them, with the colours
and the names of their places."""

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from unicodedata import east_asian_width

import numpy as np

from memviz.core.text.wording import COMMA, SEMICOLON, share_of
from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.palette import PART_COLORS, SettingRun
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.words.requests import name_at
from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import (
    BEST_FIRST,
    FactState,
    Knowledge,
    Retention,
)
from memviz.metrics.retention.life_lines import LifeLine, Losses, VersionProbes
from memviz.metrics.retention.probe_texts import Bools

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
    Knowledge.VERBATIM: noop("Word for word"),
    Knowledge.RECALLED: noop("Recalled"),
    Knowledge.SUMMARY: noop("In the summary"),
    Knowledge.SYSTEM: noop("In the system prompt"),
    Knowledge.CONTRADICTED: noop("Contradicted"),
    Knowledge.UNKNOWN: noop("Unknown"),
    Knowledge.LOST: noop("Lost"),
}
STATE_WORDS = {
    Knowledge.VERBATIM: noop("word for word"),
    Knowledge.RECALLED: noop("recalled"),
    Knowledge.SUMMARY: noop("in the summary"),
    Knowledge.SYSTEM: noop("in the system prompt"),
    Knowledge.CONTRADICTED: FactState.CONTRADICTED.word,
    Knowledge.UNKNOWN: FactState.UNKNOWN.word,
    Knowledge.LOST: FactState.LOST.word,
}
PATTERNS = {Knowledge.CONTRADICTED: "/", Knowledge.UNKNOWN: "."}
"""Hatching of the bars and areas of these states, for those who cannot tell the colours."""
_ALWAYS_SAID = (Knowledge.VERBATIM, Knowledge.SUMMARY, Knowledge.LOST)


class Measure(Enum):
    """A rule by which a fact counts as known."""

    RETAINED = noop("Could be known")
    CONTAINED = noop("Answer contained")
    EVIDENCE = noop("Message word for word")

    def of(self, retention: Retention) -> Bools:
        """The matrix [requests x probes] of this measure."""
        matrix: Bools = getattr(retention, self.name.lower())
        return matrix


@dataclass(frozen=True, eq=False)
class RetentionResult:
    """One setting with its matrices, the life of every fact and what ended it each time, and what each of the run's
    compactions did to the facts."""

    setting: SettingRun
    retention: Retention
    lives: tuple[LifeLine, ...]
    losses: Losses = field(default_factory=dict)
    by_compaction: tuple[VersionProbes, ...] = ()

    @property
    def run(self) -> Run:
        """The run of the line."""
        return self.setting.run


def known_words(retention: Retention) -> Texts[int]:
    """Return what each request knew: ``turn 30: 14 of 19 facts known: 6 word for word, 8 in the summary; 5 lost``."""
    by_state = [(retention.states == state).sum(axis=1) for state in Knowledge]
    counts = np.stack(by_state, axis=1)

    def words(number: int) -> str:
        name = name_at(retention.turns, number)
        return _words(name, counts[number].tolist())

    return Texts(range(len(counts)), words)


def _words(request: str, counts: list[int]) -> str:
    """Return the words of a request of this name with these numbers of facts by state."""
    born = sum(counts) - counts[Knowledge.NOT_BORN]
    if not born:
        return _("{request}: no fact was stated yet", request=request)
    known_count = 0
    places = []
    others = []
    for state in SHOWN:
        is_said = counts[state] or state in _ALWAYS_SAID
        words = f"{counts[state]:,} {_(STATE_WORDS[state])}"
        if state.is_known:
            known_count += counts[state]
            places += [words] if is_said else []
        elif is_said:
            others.append(words)
    return _(SEMICOLON).join(
        [
            _(
                "{request}: {share} known: {places}",
                request=request,
                share=share_of(known_count, born, "fact"),
                places=_(COMMA).join(places),
            ),
            *others,
        ]
    )


def fact_label(answers: tuple[str, ...], question: str, chars: int) -> str:
    """Return a fact on one short line, its answer first and then the question, if there is one, escaped for Plotly. A
    wide character takes the room of two."""
    text = answers[0] if answers else "?"
    if question:
        text += f" · {question}"
    text = " ".join(text.split())
    widths = (2 if east_asian_width(letter) in "WF" else 1 for letter in text)
    ends = list(accumulate(widths))
    if ends and ends[-1] > chars:
        text = text[: bisect_right(ends, chars - 1)] + "…"
    return escape_text(text)
