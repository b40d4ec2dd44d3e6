"""Questions for the cheapest setting by a turn, in dollars where prices are known, else in tokens."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.wording import counted, distinct_names, dollars
from memviz.core.translation import _, noop
from memviz.dashboard.stage.question import Candidate, Question, StagedRun
from memviz.metrics.requests.request_axis import list_request_turns
from memviz.metrics.requests.traffic import Traffic, count_traffic
from memviz.tuning.pricing_assumptions import PricingAssumptions

LEAST_MARGIN = 0.02
"""By how much of its own cost the cheapest has to be ahead for the answer to be one."""
LEAST_TURNS = 4
_IN_DOLLARS = noop("Which setting is cheapest by turn {turn:,}?")
_IN_TOKENS = noop("Which setting has used the fewest tokens by turn {turn:,}?")


class Race(NamedTuple):
    """The spending of every setting by every turn."""

    staged: Sequence[StagedRun]
    spent: NDArray[np.float64]
    """An array [settings x turns], in dollars or tokens."""
    asks: str
    """The question, with the ``turn`` to be filled in."""
    words: Callable[[float], str]
    """Writes an amount."""

    @property
    def turns(self) -> int:
        """The last turn that all settings have come to."""
        return int(self.spent.shape[1])

    def leader(self, turn: int) -> int:
        """The number of the setting that has spent least by ``turn``."""
        return int(self.spent[:, turn - 1].argmin())

    def margin(self, turn: int) -> float:
        """Return by which share of its own spending the leader is ahead of the next one."""
        spent_by_turn = np.sort(self.spent[:, turn - 1])
        least, second = spent_by_turn[:2].tolist()
        if not least:
            # Whoever spends nothing is ahead of everybody who spends.
            return float(second > 0)
        margin: float = (second - least) / least
        return margin


def run_race(
    staged: Sequence[StagedRun], assumptions: PricingAssumptions | None
) -> Race | None:
    """Return the spending of all settings; ``None`` of fewer than two, or before the first request."""
    if len(staged) < 2 or not all(setting.run.requests for setting in staged):
        return None
    turns = min(setting.run.requests[-1].turn for setting in staged)
    usd = []
    tokens = []
    for setting in staged:
        calls = count_traffic(setting.run)
        tokens.append(_tokens_by_turn(calls, turns))
        cost = None if assumptions is None else assumptions.cost(calls)
        if cost is not None and cost.cumulative_usd is not None:
            usd_of_each = np.diff(cost.cumulative_usd, prepend=0.0)
            usd.append(_sum_up_to_turns(cost.turns, usd_of_each, turns))
    # Dollars only where all prices are known, and not all of them are zero.
    if len(usd) == len(staged) and any(spent.any() for spent in usd):
        return Race(staged, np.stack(usd), _IN_DOLLARS, dollars)
    return Race(staged, np.stack(tokens), _IN_TOKENS, _token_words)


def _token_words(number: float) -> str:
    return counted(int(number), "token")


def _tokens_by_turn(calls: Traffic, turns: int) -> NDArray[np.float64]:
    """Return what both models had read and written by each turn."""
    chat_tokens = calls.input_tokens + calls.output_tokens
    tokens = calls.summarizer_input_tokens + calls.summarizer_output_tokens
    by_summarizer = _sum_up_to_turns(calls.summarizer_turns, tokens, turns)
    return _sum_up_to_turns(calls.turns, chat_tokens, turns) + by_summarizer


def _sum_up_to_turns(
    turn_of_each: NDArray[np.int64], amounts: NDArray[np.generic], turns: int
) -> NDArray[np.float64]:
    """Return the sum of all amounts up to each of so many turns, from 1."""
    by_turn = np.bincount(turn_of_each, weights=amounts, minlength=turns + 1)
    return np.cumsum(by_turn[: turns + 1], dtype=np.float64)[1:]


def cheapest_candidates(race: Race) -> Iterator[Candidate]:
    """Yield the question for the winner at the end, and for the one half way if that is another one."""
    end = race.turns
    half = end // 2
    if end < LEAST_TURNS:
        return
    turns = [end]
    if race.leader(half) != race.leader(end):
        turns.append(half)
    for turn in turns:
        step = _asked_at(race, turn)
        if race.margin(turn) >= LEAST_MARGIN and step in race.staged[0].steps:
            yield Candidate(
                step,
                None,
                frozenset({("cheapest", turn)}),
                None,
                float(turn == end),
                partial(ask_for_cheapest, race, turn),
            )


def ask_for_cheapest(race: Race, turn: int) -> Question:
    """Return which setting has spent least by ``turn``, at which no two are level."""
    spent = race.spent[:, turn - 1]
    first, second = np.argsort(spent, kind="stable").tolist()[:2]
    labels = distinct_names([setting.label for setting in race.staged])
    return Question(
        "cheapest",
        _asked_at(race, turn),
        None,
        _(race.asks, turn=turn),
        tuple(labels),
        first,
        _(
            "{winner} came to {least} by turn {turn:,}, summaries included; the next, {other}, to {more}.",
            winner=labels[first],
            least=race.words(spent[first]),
            turn=turn,
            other=labels[second],
            more=race.words(spent[second]),
        ),
    )


def _asked_at(race: Race, turn: int) -> int:
    """Return the step before the last turn at which another setting is still ahead, for then what was shown does not
    say it; where it is always the same one, an early step."""
    winner = race.leader(turn)
    asked_turn = max(2, turn // 3)
    for earlier in range(2, turn):
        if race.leader(earlier) != winner:
            asked_turn = earlier + 1
    steps = []
    for setting in race.staged:
        first = np.searchsorted(list_request_turns(setting.run), min(asked_turn, turn))
        steps.append(setting.step(int(first)))
    return min(steps)
