"""The facts that a run retains of its probes, request by request, as matrices and shares."""

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
    """How it is called in a sentence: "2 contradicted"."""
    color: str
    """Its colour on charts; red is for failures alone."""
    dash: str
    """The dash of its line, for those who cannot tell the colours."""

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
    """The place in a request where the answer to a probe stands; of several places the highest that affirms it. Codes
    are appended, never renumbered, and so are not in the order of the states."""

    NOT_BORN = 0
    """Not all messages that state it have been said yet."""
    LOST = 1
    SYSTEM = 2
    SUMMARY = 3
    RECALLED = 4
    VERBATIM = 5
    """In the history, the input, or behind the input."""
    CONTRADICTED = 6
    """Nowhere but where it is denied or outdated."""
    UNKNOWN = 7
    """In what nobody can read, if anywhere."""

    @property
    def state(self) -> FactState:
        """The state of the fact in the request."""
        return _STATES[int(STATE_OF[self])]

    @property
    def is_known(self) -> bool:
        """True where the answer stands in the request, and is affirmed there."""
        return self.state is FactState.KNOWN


_STATES = {int(state): state for state in FactState}
BEST_FIRST = (
    Knowledge.VERBATIM, Knowledge.RECALLED, Knowledge.SUMMARY, Knowledge.SYSTEM, Knowledge.CONTRADICTED,
    Knowledge.UNKNOWN, Knowledge.LOST,
)  # fmt: skip
"""All places of a fact that was stated; legends, stacks and tables have this order."""
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
    """The values of an updated fact that a request holds, once the update was made."""

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
"""The codes by what a request holds: the new value counts 1, a stale one 2."""


@dataclass(frozen=True, eq=False)
class Retention(ByRequest, NotebookOutput):
    """The facts that one run retains. All matrices are [requests x probes] and false, or NOT_BORN, before birth.

    A probe is *born* once all messages of its evidence are in the log; one without evidence from the first request on,
    one whose evidence lies outside the log never.

    Read are the texts of messages with the arguments of tool calls, and of summaries without the words memviz
    puts around them: the number in "[Turn 47]" is no knowledge. What a model thought before it answered is
    its own and no source.
    """

    probes: tuple[Probe, ...] = field(repr=False)
    turns: NDArray[np.int64]
    """The turn of each request."""
    births: NDArray[np.int64] = field(repr=False)
    """The log position of the last message of each probe's evidence; -1 without evidence, the length of the log for a
    probe that is never born."""
    states: NDArray[np.uint8] = field(repr=False)
    """:class:`Knowledge` codes: the place where an answer is contained. Where only the evidence is there, in words that
    the probe does not list, VERBATIM, or RECALLED if it takes a recalled message to have all of it. CONTRADICTED if the
    answer is mentioned only where it is denied or called outdated, by the rule of
    :mod:`memviz.metrics.retention.polarity`; or only a stale answer is there; or another probe names it as its stale
    answer, and the request knows that one's. LOST means none of these."""
    evidence: Bools = field(repr=False)
    """True where all messages of the evidence are in the request, word for word; recalled ones count."""
    contained: Bools = field(repr=False)
    """True where an accepted answer is contained in the request, by the rule of :mod:`memviz.core.text.containment`,
    and affirmed there."""
    stale: Bools = field(repr=False)
    """True where a stale answer is contained and affirmed so."""
    run: Run = field(repr=False)
    """The run whose requests these are."""

    @cached_property
    def born(self) -> Bools:
        """True where all of the evidence was said."""
        is_born: Bools = self.states != Knowledge.NOT_BORN
        return is_born

    @cached_property
    def judged(self) -> Bools:
        """True where it was said and one can tell: what may stand in a block that nobody can read is neither kept
        nor lost."""
        is_judged: Bools = self.born & (self.state != FactState.UNKNOWN)
        return is_judged

    @cached_property
    def state(self) -> NDArray[np.uint8]:
        """:class:`FactState` codes [requests x probes]."""
        states: NDArray[np.uint8] = STATE_OF[self.states]
        return states

    @cached_property
    def retained(self) -> Bools:
        """Known: evidence or answer, or both, are in the request, and nothing there contradicts them."""
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
        """Return for each request the share of the judged probes for which ``held`` is true (0 to 1; NaN where there
        is none)."""
        return _measure_share(held, self.judged)

    def mean_share(self, category: Category | None = None) -> float:
        """Return the share of the judged probes (of one category, or of all) that a request knows, on average over the
        requests that have any; NaN where none has."""
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
        return [at for at, probe in numbered if category in (None, probe.category)]

    def share_of(self, state: Knowledge) -> NDArray[np.float64]:
        """Return for each request the share of the born probes that are in ``state``."""
        return _measure_share(self.states == state, self.born)

    def frame(self) -> DataFrame:
        """Return one row a request: its turn and call, born probes, and the shares that the columns name; NaN where
        none is born."""
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
    """Return the share of the probes ``among`` which ``held`` is true, for each request."""
    counts = among.sum(axis=1)
    shares: NDArray[np.float64] = np.full(len(counts), np.nan)
    np.divide((held & among).sum(axis=1), counts, out=shares, where=counts > 0)
    return shares


class JudgedPairs(NamedTuple):
    """Pairs of a text and a fact that a person judged."""

    pairs: int
    right: int
    """So many of them memviz judges as the person does."""

    @property
    def share(self) -> float:
        """The share that is right, 0 to 1."""
        return self.right / self.pairs


ORDINARY = JudgedPairs(110, 100)
"""What occurs in ordinary messages and summaries. ``python -m benchmarks.fact_states untouched`` measures both."""
ADVERSARIAL = JudgedPairs(70, 45)
"""What was written to mislead: look-alikes, negations in another clause, old and new value in one sentence."""

HARDER = JudgedPairs(120, 53)
"""Written and judged by a language model, with answers in free words: reasons, rules, abbreviations, sums."""
