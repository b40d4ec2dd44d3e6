"""*Which setting is cheapest by turn 40?* Answered in dollars where prices are known, else in tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.wording import counted, distinct_names, dollars
from memviz.dashboard.stage.question import Candidate, Question, StagedRun
from memviz.metrics.requests.request_axis import request_turns
from memviz.metrics.requests.traffic import Traffic, traffic
from memviz.tuning.pricing_assumptions import PricingAssumptions

LEAST_MARGIN = 0.02
"""By how much of its own cost the cheapest has to be ahead for the answer to be one."""
LEAST_TURNS = 4


class Race(NamedTuple):
    """What every setting has spent by every turn: ``spent`` is an array [settings x turns] in the unit that ``words``
    writes; ``asks`` begins the question."""

    staged: Sequence[StagedRun]
    spent: NDArray[np.float64]
    asks: str
    words: Callable[[float], str]

    @property
    def turns(self) -> int:
        """The last turn that all settings have come to."""
        return int(self.spent.shape[1])

    def leader(self, turn: int) -> int:
        """The number of the setting that has spent least by ``turn``."""
        return int(self.spent[:, turn - 1].argmin())

    def margin(self, turn: int) -> float:
        """How much more the next one has spent, as a share of what the leader has."""
        least, second = np.sort(self.spent[:, turn - 1])[:2].tolist()
        return (second - least) / least if least else float(second > 0)


def race(
    staged: Sequence[StagedRun], assumptions: PricingAssumptions | None
) -> Race | None:
    """The spending of all settings; ``None`` of fewer than two, or before the first request."""
    turns = min(
        (one.run.requests[-1].turn for one in staged if one.run.requests), default=0
    )
    if len(staged) < 2 or not turns or not all(one.run.requests for one in staged):
        return None
    sent = [one.run.once(traffic, partial(traffic, one.run)) for one in staged]
    usd = [_usd_by_turn(each, turns, assumptions) for each in sent]
    known = [one for one in usd if one is not None]
    if len(known) == len(usd) and any(one.any() for one in known):
        return Race(staged, np.stack(known), "Which setting is cheapest", dollars)
    tokens = np.stack([_tokens_by_turn(each, turns) for each in sent])
    return Race(
        staged,
        tokens,
        "Which setting has used the fewest tokens",
        lambda number: counted(int(number), "token"),
    )


def _usd_by_turn(
    sent: Traffic, turns: int, assumptions: PricingAssumptions | None
) -> NDArray[np.float64] | None:
    cost = None if assumptions is None else assumptions.cost(sent)
    if cost is None or cost.cumulative_usd is None:
        return None
    return _up_to(cost.turns, np.diff(cost.cumulative_usd, prepend=0.0), turns)


def _tokens_by_turn(sent: Traffic, turns: int) -> NDArray[np.float64]:
    """Read and written, by both models."""
    summarizer = sent.summarizer_input_tokens + sent.summarizer_output_tokens
    return _up_to(sent.turns, sent.input_tokens + sent.output_tokens, turns) + _up_to(
        sent.summarizer_turns, summarizer, turns
    )


def _up_to(
    at: NDArray[np.int64], amounts: NDArray[np.generic], turns: int
) -> NDArray[np.float64]:
    """The sum of all amounts up to each turn, from 1."""
    by_turn = np.bincount(at, weights=amounts, minlength=turns + 1)[: turns + 1]
    return np.cumsum(by_turn, dtype=np.float64)[1:]


def candidates(found: Race) -> Iterator[Candidate]:
    """The winner at the end, and the one half way if that is another one."""
    end, half = found.turns, found.turns // 2
    if end < LEAST_TURNS:
        return
    for turn in (end, half) if found.leader(half) != found.leader(end) else (end,):
        if (
            found.margin(turn) >= LEAST_MARGIN
            and _asked_at(found, turn) in found.staged[0].steps
        ):
            yield Candidate(
                _asked_at(found, turn),
                None,
                frozenset({("cheapest", turn)}),
                None,
                float(turn == end),
                partial(question, found, turn),
            )


def question(found: Race, turn: int) -> Question | None:
    """Which setting has spent least by ``turn``; ``None`` where two are level."""
    if not found.margin(turn):
        return None
    order = np.argsort(found.spent[:, turn - 1], kind="stable").tolist()
    labels = distinct_names([one.label for one in found.staged])
    first, second = (found.words(found.spent[number, turn - 1]) for number in order[:2])
    return Question(
        "cheapest",
        _asked_at(found, turn),
        None,
        f"{found.asks} by turn {turn:,}?",
        tuple(labels),
        order[0],
        f"{labels[order[0]]} came to {first} by turn {turn:,}, summaries included; the next, {labels[order[1]]}, to "
        f"{second}.",
    )


def _asked_at(found: Race, turn: int) -> int:
    """Before the last turn at which another setting is still ahead, for then what was shown does not say it; where it
    is always the same one, early."""
    others = [one for one in range(2, turn) if found.leader(one) != found.leader(turn)]
    asked = min(others[-1] + 1, turn) if others else max(2, turn // 3)
    return min(one.step(_first_request(one, min(asked, turn))) for one in found.staged)


def _first_request(staged: StagedRun, turn: int) -> int:
    return int(np.searchsorted(request_turns(staged.run), turn))
