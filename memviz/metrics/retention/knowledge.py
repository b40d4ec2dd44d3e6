"""The result of measuring retention: which facts each request of a run knows, as matrices and shares.

:func:`memviz.retention` (:mod:`~memviz.metrics.retention.retention`) makes a :class:`Retention` from a run and probes.
Charts, sweeps and life lines (:mod:`~memviz.metrics.retention.life_lines`) read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.notebook_output import NotebookOutput
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import ByRequest
from memviz.metrics.retention.probe_texts import Bools
from memviz.transcripts.base import Category, Probe

if TYPE_CHECKING:
    from pandas import DataFrame


class FactState(IntEnum):
    """The state of a fact in a request. Codes are appended, never renumbered."""

    word: str
    """Its word in a sentence, such as "2 contradicted"."""
    color: str
    """Its colour on charts; red is reserved for failures."""
    dash: str
    """The dash of its line, for readers who cannot distinguish the colours."""

    def __new__(cls, code: int, word: str, color: str, dash: str) -> FactState:
        """Return the state of this code, with its word and its colour."""
        state = int.__new__(cls, code)
        state._value_ = code
        state.word = word
        state.color = color
        state.dash = dash
        return state

    NOT_BORN = 0, "not said yet", "rgba(0,0,0,0)", "solid"
    """Not all messages that state it have been said yet."""
    KNOWN = 1, "known", "#4196CC", "solid"
    """The request affirms it, or holds the messages that state it."""
    CONTRADICTED = 2, "contradicted", "#CC79A7", "dash"
    """The request mentions it only where it is denied, or where it is outdated."""
    LOST = 3, "lost", "rgba(138,146,156,0.2)", "solid"
    """The request does not mention it."""
    UNKNOWN = 4, "unknown", "#5B6572", "dot"
    """A block that nobody can read stands for the fact: it is neither known nor lost."""


class Knowledge(IntEnum):
    """The place in a request where the answer to a probe is found; of several places, the best one that affirms it.

    Codes are stored, so new ones are appended and none is renumbered: they are in no order.
    """

    NOT_BORN = 0
    """Not all messages that state it have been said yet."""
    LOST = 1
    SYSTEM = 2
    SUMMARY = 3
    RECALLED = 4
    VERBATIM = 5
    """In the history, in the input, or after the input."""
    CONTRADICTED = 6
    """Only where it is denied or outdated."""
    UNKNOWN = 7
    """Possibly in a block that nobody can read, and nowhere else."""

    @property
    def state(self) -> FactState:
        """The state of the fact in the request."""
        return _STATES[int(STATE_OF[self])]

    @property
    def is_known(self) -> bool:
        """True if the request contains the answer and affirms it."""
        return self.state is FactState.KNOWN


_STATES = {int(state): state for state in FactState}
BEST_FIRST = (
    Knowledge.VERBATIM, Knowledge.RECALLED, Knowledge.SUMMARY, Knowledge.SYSTEM, Knowledge.CONTRADICTED,
    Knowledge.UNKNOWN, Knowledge.LOST,
)  # fmt: skip
"""All places of a fact that was stated, in the order of legends, stacks and tables."""
STATE_OF = np.array(
    [
        FactState.NOT_BORN,
        FactState.LOST,
        *[FactState.KNOWN] * 4,
        FactState.CONTRADICTED,
        FactState.UNKNOWN,
    ],
    dtype=np.uint8,
)
""":class:`FactState` codes by those of :class:`Knowledge`."""


class Freshness(IntEnum):
    """The values of an updated fact that a request holds after the update: the new one, a stale one, or both."""

    NOT_ASKED = 0
    """Not updated yet, or not a fact that is ever updated."""
    NEITHER = 1
    STALE_ONLY = 2
    BOTH = 3
    NEW_ONLY = 4


_FRESHNESS = np.array(
    [Freshness.NEITHER, Freshness.NEW_ONLY, Freshness.STALE_ONLY, Freshness.BOTH],
    dtype=np.uint8,
)
"""The codes by the sum of 1 for the new value and 2 for a stale value."""


@dataclass(frozen=True, eq=False)
class Retention(ByRequest, NotebookOutput):
    """The facts that each request of a run retains. All matrices are [requests x probes].

    A probe is *born* when all messages of its evidence are in the log. Before that its entries are false, or NOT_BORN.
    A probe without evidence is born at the first request, and one whose evidence is not in the log never.

    Facts are looked for in messages, in the arguments of tool calls, and in summaries without the words that memviz
    puts around them (the number in "[Turn 47]" is no knowledge). What a model thought before an answer does not count.
    """

    probes: tuple[Probe, ...] = field(repr=False)
    turns: NDArray[np.int64]
    """The turn of each request."""
    births: NDArray[np.int64] = field(repr=False)
    """[probes]: the log position of the last message of each probe's evidence; -1 without evidence, the length of the
    log for a probe that is never born."""
    states: NDArray[np.uint8] = field(repr=False)
    """:class:`Knowledge` codes.

    - The place where an answer is contained and affirmed. If a request has the evidence, but in words that the probe
      does not list, it is VERBATIM, or RECALLED if some of the evidence is only there by a recall.
    - CONTRADICTED if the answer is only mentioned as denied or outdated, by the rule of
      :mod:`memviz.metrics.retention.polarity`; if only a stale answer is there; or if the request knows the answer of
      another probe, which names this one's answer as stale.
    - UNKNOWN or LOST otherwise."""
    evidence: Bools = field(repr=False)
    """True where the request holds all messages of the evidence word for word; recalled ones count."""
    contained: Bools = field(repr=False)
    """True where the request contains an accepted answer, by the rule of :mod:`memviz.core.text.containment`, and
    affirms it."""
    stale: Bools = field(repr=False)
    """True where the request contains a stale answer and affirms it."""
    run: Run = field(repr=False)
    """The run that was measured."""

    @cached_property
    def born(self) -> Bools:
        """True where all of the evidence was said before."""
        is_born: Bools = self.states != Knowledge.NOT_BORN
        return is_born

    @cached_property
    def judged(self) -> Bools:
        """True where the probe is born and its state is certain: not possibly in a block that nobody can read."""
        is_judged: Bools = self.born & (self.state != FactState.UNKNOWN)
        return is_judged

    @cached_property
    def state(self) -> NDArray[np.uint8]:
        """:class:`FactState` codes [requests x probes]."""
        states: NDArray[np.uint8] = STATE_OF[self.states]
        return states

    @cached_property
    def retained(self) -> Bools:
        """True where the state is known: the request has the evidence or the answer, and does not contradict it."""
        is_known: Bools = self.state == FactState.KNOWN
        return is_known

    @cached_property
    def freshness(self) -> NDArray[np.uint8]:
        """:class:`Freshness` codes; NOT_ASKED for probes without stale answers and before birth."""
        codes = np.zeros(self.states.shape, dtype=np.uint8)
        updated = np.flatnonzero([bool(probe.stale) for probe in self.probes])
        has_stale = self.stale[:, updated].astype(np.uint8)
        combinations = self.contained[:, updated] + 2 * has_stale
        codes[:, updated] = _FRESHNESS[combinations] * self.judged[:, updated]
        return codes

    def share(self, held: Bools) -> NDArray[np.float64]:
        """Return for each request the share (0 to 1) of the judged probes with ``held`` true; NaN without any."""
        return _measure_share(held, self.judged)

    def mean_share(self, category: Category | None = None) -> float:
        """Return the share of the judged probes that a request knows, on average over the requests that have any.

        Only the probes of one ``category`` count, or all of them. NaN where no request has any.
        """
        columns = self.columns_of(category)
        is_judged = self.judged[:, columns]
        with_any = is_judged.any(axis=1)
        if not with_any.any():
            return nan
        known_counts = self.retained[:, columns][with_any].sum(axis=1)
        return float(np.mean(known_counts / is_judged[with_any].sum(axis=1)))

    def columns_of(self, category: Category | None) -> list[int]:
        """Return the numbers (0-based) of the probes of one category, or of all."""
        numbered = enumerate(self.probes)
        return [
            number for number, probe in numbered if category in (None, probe.category)
        ]

    def share_of(self, state: Knowledge) -> NDArray[np.float64]:
        """Return for each request the share of the born probes that are in ``state``."""
        return _measure_share(self.states == state, self.born)

    def frame(self) -> DataFrame:
        """Return a table with one row a request: turn, call, number of born probes, and shares, NaN without any."""
        from pandas import DataFrame

        columns: dict[str, NDArray[Any]] = {
            "turn": self.turns,
            "call": self.calls,
            "born": self.born.sum(axis=1),
            "evidence_share": self.share(self.evidence),
            "contained_share": self.share(self.contained),
            "retained_share": self.share(self.retained),
        }
        for state in BEST_FIRST:
            columns[f"{state.name.lower()}_share"] = self.share_of(state)
        columns["stale_share"] = self.share(self.stale)
        return DataFrame(columns)


def _measure_share(held: Bools, among: Bools) -> NDArray[np.float64]:
    """Return for each request the share of the probes in ``among`` for which ``held`` is true."""
    counts = among.sum(axis=1)
    shares: NDArray[np.float64] = np.full(len(counts), np.nan)
    np.divide((held & among).sum(axis=1), counts, out=shares, where=counts > 0)
    return shares


class JudgedPairs(NamedTuple):
    """The agreement of memviz with a person who judged pairs of a text and a fact."""

    pairs: int
    right: int
    """The number of pairs that memviz judges like the person."""

    @property
    def share(self) -> float:
        """The share of right judgements, 0 to 1."""
        return self.right / self.pairs


ORDINARY = JudgedPairs(110, 100)
"""Ordinary messages and summaries. ``python -m benchmarks.fact_states untouched`` measures this and the next."""
ADVERSARIAL = JudgedPairs(70, 45)
"""Texts written to mislead: look-alikes, negations in another clause, old and new value in one sentence."""

HARDER = JudgedPairs(120, 53)
"""Pairs written and judged by a language model, with answers in free words: reasons, rules, abbreviations, sums."""
