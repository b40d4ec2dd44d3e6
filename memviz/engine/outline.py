"""A replay in outline: what was sent, as numbers alone, for sweeps over hundreds of settings.

The same session does the same as in a replay, but no record is made of a request: kept is where its summaries and
its messages start and stop, and the tokens of all requests are counted at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memviz.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.conversation import Log, Request
from memviz.counters import AnyCounter, Counter
from memviz.counters import counter as find_counter
from memviz.engine.assembly import Parts, assemble, count
from memviz.engine.compaction import Compaction
from memviz.engine.replay import must_have_a_turn, play
from memviz.engine.session import Session
from memviz.memory import Memory, MemorySpace
from memviz.models.base import Model
from memviz.strategies.base import Strategy

Numbers = NDArray[np.int64]
COLUMNS = 4
"""Numbers that are kept of each request besides those of the log: arrays of an outline."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The requests of one replay, one entry a request in each array.

    ``turns`` and ``calls`` are its turn and the number of the call in it. ``lengths`` are the messages that the log had
    at each request (the input begins at ``input_starts``), ``ends`` those when the next one of its turn was made, or
    when the turn ended. ``summary_starts`` and ``summary_stops`` are the versions (0-based) sent, ``starts``
    and ``stops`` the log positions of history and input, which nearly always are one range. A request of which they are
    not has -1 in both, and stands in ``others`` by its number (0-based).
    """

    strategy: Strategy
    space: MemorySpace = field(repr=False)
    compactions: tuple[Compaction, ...] = field(repr=False)
    others: Mapping[int, Parts] = field(repr=False)
    turns: Numbers = field(repr=False)
    calls: Numbers = field(repr=False)
    lengths: Numbers = field(repr=False)
    ends: Numbers = field(repr=False)
    summary_starts: Numbers = field(repr=False)
    summary_stops: Numbers = field(repr=False)
    starts: Numbers = field(repr=False)
    stops: Numbers = field(repr=False)
    input_starts: Numbers = field(repr=False)

    def request_turn(self, compaction: Compaction) -> int | None:
        """The turn of the first request that a compaction changed; ``None`` where none came any more."""
        return compaction.request_turn_in(self.log)

    @property
    def log(self) -> Log:
        """The conversation."""
        return self.space.log

    @property
    def counter(self) -> Counter:
        """The token counter behind every number."""
        return self.space.sums.counter

    @cached_property
    def reply_tokens(self) -> Numbers:
        """Tokens of the reply to each request, tool calls included."""
        totals = self.space.sums.arrays.reply_totals
        return totals[self.ends] - totals[self.lengths]

    @cached_property
    def tokens(self) -> dict[str, Numbers]:
        """Tokens of each part of every request: what ``TurnRecord.tokens`` says of one, with zeros under ``tools`` and
        ``names``."""
        sums, inputs = self.space.sums.arrays, self.input_starts
        messages = self.stops - self.starts + (self.summary_stops > self.summary_starts)
        messages += self.space.system_count
        nothing = np.zeros(len(self.lengths), np.int64)
        tokens = {
            "system": nothing + self.space.system_tokens,
            "summary": self._summary_tokens(),
            "recalled": nothing,
            "history": sums.totals[inputs] - sums.totals[self.starts],
            "input": sums.totals[self.lengths] - sums.totals[inputs],
            "overhead": TOKENS_PER_MESSAGE * messages + TOKENS_PER_REQUEST,
            "tools": sums.call_totals[self.stops] - sums.call_totals[self.starts] + self.space.tool_tokens,
            "names": sums.name_totals[self.space.system_stop]
            + sums.name_totals[self.stops]
            - sums.name_totals[self.starts],
        }
        for number, parts in self.others.items():
            counted = count(Memory(self.space, 0), parts)
            for part, amounts in tokens.items():
                amounts[number] = counted.get(part, 0)
        return tokens

    def _summary_tokens(self) -> Numbers:
        if not self.space.summaries:
            return np.zeros(len(self.lengths), np.int64)
        sent = list(zip(self.summary_starts.tolist(), self.summary_stops.tolist(), strict=True))
        tokens = {bounds: self.space.summaries.tokens(*bounds) for bounds in set(sent)}
        return np.array([tokens[bounds] for bounds in sent], np.int64)

    @property
    def over_budget_requests(self) -> int:
        """How many requests are larger than the strategy's own budget."""
        budget = self.strategy.budget_tokens
        return 0 if budget is None else int(np.sum(self.strategy.counted_tokens(self.tokens) > budget))


def outline(
    log: Log,
    strategy: Strategy,
    summarizer: Model | None,
    counter: AnyCounter,
    system_prompt: str | None = None,
    tools: Sequence[str] = (),
) -> Outline:
    """What :func:`memviz.engine.replay.replay` does with these arguments, in outline. Raises the same errors."""
    must_have_a_turn(log)
    session = Session(log, strategy, summarizer, find_counter(counter), system_prompt, tools=tools)
    flat: list[int] = []
    others: dict[int, Parts] = {}
    turns, calls, lengths, ends, begun = np.array(log.request_bounds(), np.int64).reshape(-1, 5).T.copy()
    input_starts = begun.tolist()

    def request(asked: Request) -> None:
        summaries, history = selection = strategy.select(session.memory)
        number = len(flat) // COLUMNS
        # Nearly all select one range up to the end: history and input, with nothing to be put right between them.
        if len(history) == 1 and history[0].start < history[0].stop == asked.stop:
            start = min(history[0].start, input_starts[number])
            flat.extend((summaries.start, summaries.stop, start, asked.stop))
            return
        parts = assemble(session.memory, selection)
        bounds = parts.one_range or (-1, -1)
        if bounds[0] < 0:
            others[number] = parts
        flat.extend((summaries.start, summaries.stop, *bounds))

    for _ in play(session, request):
        pass
    first, last, starts, stops = np.array(flat, np.int64).reshape(-1, COLUMNS).T.copy()
    return Outline(
        strategy, session.space, tuple(session.compactions), others, turns, calls, lengths, ends, first, last, starts,
        stops, begun,
    )  # fmt: skip
