"""A watched conversation as numbers: how full its window is, when it is compacted next,
what is largest in it, and what the last compaction took out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import pairwise
from math import ceil
from statistics import median
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, Counter
from memviz.core.counters import counter as find_counter
from memviz.core.messages import Message
from memviz.engine.following import Following
from memviz.engine.replay import setting_for
from memviz.engine.run import Run
from memviz.storage.store import Store
from memviz.storage.watched import Watched
from memviz.strategies import strategy
from memviz.strategies.pipeline import Pipeline
from memviz.strategies.presets import Preset, presets
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.watching.keeper import count_same_beginning
from memviz.watching.programs import PROGRAMS, Program

LARGEST = 10
GROWTH_TURNS = 5
"""The growth of a turn is the median of so many of the newest."""
LOOK_BACK = 6
"""The newest messages may still have become others, so many of them are compared."""
BATCH = 2_000
OTHERS = ("claude_code", "codex", "anthropic_clearing")
"""The rules to compare with: the first two that are not the program's own."""


class Item(NamedTuple):
    """One thing in the window."""

    position: int
    """Of a message; -1 for the summary of a compaction."""
    turn: int
    """Counted from the first turn that is played."""
    role: str
    text: str
    tokens: int


class Taken(NamedTuple):
    """The messages that the last compaction of the program took out of the window."""

    event: RecordedEvent
    messages: int
    tokens: int
    summary_tokens: int
    largest: Sequence[Item]


class Forecast(NamedTuple):
    """The next time at which one rule acts."""

    preset: Preset
    is_own: bool
    left: int | None
    """So much more can be said before; ``None`` where that is not known."""
    unit: str
    """``tokens``, ``messages`` or ``turns``."""
    turns: int | None
    """The same in turns, as the newest ones grew."""
    is_measured: bool
    """The provider's count of the last request was taken, not memviz's."""
    idle: str
    """What the conversation lacks, so that the rule does nothing; empty where nothing."""


@dataclass(frozen=True)
class LiveView:
    """The numbers of one moment. They are about the messages that are played, and no others."""

    watched: Watched
    start: int
    """The position of the first message that is played; those before it were said too long ago."""
    transcript: Transcript
    runs: Sequence[tuple[Preset, Run]]
    used_tokens: int
    window_tokens: int | None
    is_measured: bool
    """``used_tokens`` is the provider's count, with all that the program sends."""
    tokens_per_turn: int | None
    forecasts: Sequence[Forecast]
    largest: Sequence[Item]
    taken: Taken | None
    """``None`` where nothing was compacted since ``start``."""


@dataclass(eq=False, repr=False)
class LiveConversation:
    """One watched conversation, played on as it grows under its program's own rule and
    under two others. Not safe to share between threads without a lock."""

    store: Store
    key: str
    newest: int | None = None
    """So many of the newest messages are played at first, from the beginning of a turn on; ``None``: all."""
    _start: int = 0
    """The position of the first message of the log."""
    _counter: Counter = field(default_factory=lambda: find_counter(DEFAULT_COUNTER))
    _log: Log = field(default_factory=Log)
    _followed: list[tuple[Preset, Following]] = field(default_factory=list)
    _view: LiveView | None = None

    def look(self) -> LiveView | None:
        """Take in what was kept since the last look, and return the numbers; ``None``
        for a conversation that is gone. What was played before is not played again."""
        watched = self.store.find_watched(self.key)
        if watched is None or watched.is_deleted:
            return None
        if self._view is not None and watched == self._view.watched:
            return self._view
        about = self.store.about(watched.id)
        if not self._followed or watched.message_count < self._start:
            self._begin(watched, about)
        self._take_in(watched)
        self._view = self._numbers(watched, about)
        return self._view

    def _begin(self, watched: Watched, about: Transcript) -> None:
        self._start = self._find_start(watched)
        self._log = Log()
        self._followed = []
        for preset in _rules_for(watched):
            rule = strategy(preset.strategy, **preset.parameters)
            setting = setting_for(about, rule, counter=self._counter)
            self._followed.append((preset, Following(setting)))

    def _find_start(self, watched: Watched) -> int:
        """Return the position of the first turn that begins among the newest messages."""
        if self.newest is None or watched.message_count <= self.newest:
            return 0
        start = watched.message_count - self.newest
        said = self.store.said(watched.id, start, start + BATCH)
        for position, (before, message) in enumerate(pairwise(said), start + 1):
            if message.role == "user" and before.role != "user":
                return position
        return start

    @property
    def _stop(self) -> int:
        """The position behind the last message of the log."""
        return self._start + len(self._log)

    def _take_in(self, watched: Watched) -> None:
        start = min(self._stop, watched.message_count) - LOOK_BACK
        if self._view is not None:
            # Those that its reader was not certain of may have become others as well.
            place = self._view.watched.state.get("place", {})
            start = min(start, place.get("messages", start))
        start = max(self._start, start)
        while True:
            stop = min(watched.message_count, start + BATCH)
            said = self.store.said(watched.id, start, stop)
            self._compare(said, start)
            start += len(said)
            if not said or start >= watched.message_count:
                break

    def _compare(self, said: Sequence[Message], start: int) -> None:
        """Let the logs go on with what was said from ``start`` on."""
        there = self._log[start - self._start :]
        same = count_same_beginning(there, said)
        kept_messages = start - self._start + same
        if same < len(there):
            self._log = self._log.prefix(kept_messages)
        self._log.extend(said[same:])
        for _preset, following in self._followed:
            following.keep(kept_messages)
            following.add(said[same:])

    def _numbers(self, watched: Watched, about: Transcript) -> LiveView:
        log = self._log
        runs = [(preset, following.run()) for preset, following in self._followed]
        events = [event for event in about.events if event.after_message <= self._stop]
        sent = self._played(_sent_since(events, self._stop))
        summary = events[-1].text if events else ""
        measured = _measured_tokens(watched)
        used = measured
        if used is None:
            run = None if events else runs[0][1]
            used = self._counted_tokens(sent, summary, run)
        growth = _growth(log, self._totals)
        own = _program_of(watched)
        forecasts = []
        for preset, following in self._followed:
            is_own = own is not None and preset.id == own.preset
            of_provider = measured if is_own else None
            forecasts.append(_forecast(preset, following, growth, of_provider, is_own))
        items = self._items(sent)
        if summary:
            items.append(Item(-1, 0, "summary", summary, self._counter(summary)))
        items.sort(key=lambda item: -item.tokens)
        return LiveView(
            watched,
            self._start,
            self._about_log(about),
            runs,
            used,
            _window_of(watched, runs),
            measured is not None,
            growth,
            forecasts,
            items[:LARGEST],
            self._taken(events),
        )

    @property
    def _totals(self) -> Sequence[int]:
        """The tokens before each message, and behind the last one."""
        return self._log.token_sums(self._counter).totals

    def _about_log(self, about: Transcript) -> Transcript:
        """Return the transcript as the runs go with it. The evidence of its probes are positions from the first message
        on, which a log of the newest alone does not have."""
        probes = () if self._start else about.probes
        return replace(about, messages=(), probes=probes)

    def _played(self, positions: Sequence[int]) -> Sequence[int]:
        """Return those of the ``positions``, which are in order, whose messages are played."""
        return positions[bisect_left(positions, self._start) :]

    def _counted_tokens(
        self, sent: Sequence[int], summary: str, run: Run | None
    ) -> int:
        """Return the tokens in the window where nobody said how many: those since the
        last compaction, or where there was none, what the first rule would send."""
        if run is None or not run.requests:
            return self._tokens_of(sent) + self._counter(summary)
        last = run.requests[-1]
        totals = self._totals
        return last.total_tokens + totals[-1] - totals[last.memory.length]

    def _tokens_of(self, positions: Sequence[int]) -> int:
        return sum(tokens for tokens, _position in self._sizes(positions))

    def _sizes(self, positions: Sequence[int]) -> list[tuple[int, int]]:
        """Return the tokens of the messages at these positions, each with its position."""
        totals = self._totals
        sizes = []
        for position in positions:
            place = position - self._start
            sizes.append((totals[place + 1] - totals[place], position))
        return sizes

    def _items(self, positions: Sequence[int]) -> list[Item]:
        items = []
        largest = nlargest(LARGEST, self._sizes(positions))
        for tokens, position in largest:
            place = position - self._start
            message = self._log[place]
            text = message.content or " ".join(call.name for call in message.tool_calls)
            turn = self._log.turn_number(place)
            items.append(Item(position, turn, message.role, text[:400], tokens))
        return items

    def _taken(self, events: Sequence[RecordedEvent]) -> Taken | None:
        # What was compacted before the first message that is played is not at hand.
        if not events or events[-1].after_message <= self._start:
            return None
        last = events[-1]
        stayed = _sent_since(events, last.after_message)
        before = self._played(_sent_since(events[:-1], last.after_message))
        taken = sorted(set(before).difference(stayed))
        return Taken(
            last,
            len(taken),
            self._tokens_of(taken),
            self._counter(last.text),
            self._items(taken)[:3],
        )


def _sent_since(events: Sequence[RecordedEvent], stop: int) -> Sequence[int]:
    """Return the positions before ``stop`` of the messages in the window after these compactions."""
    if not events:
        return range(stop)
    last = events[-1]
    start = max(0, last.after_message - (last.kept_newest or 0))
    return [*range(min(last.kept_first or 0, start)), *range(start, stop)]


def _measured_tokens(watched: Watched) -> int | None:
    """The tokens of the last request as the provider counted them, if it is known."""
    measured = watched.state.get("context_tokens")
    usage = watched.state.get("usage")
    if measured is None and isinstance(usage, dict):
        measured = usage.get("input_tokens")
    return measured if isinstance(measured, int) else None


def _program_of(watched: Watched) -> Program | None:
    return PROGRAMS.get(watched.state.get("source", ""))


def _rules_for(watched: Watched) -> list[Preset]:
    """Return the program's own rule, where it is known, and two others."""
    program = _program_of(watched)
    own = program.preset if program is not None else ""
    others = [id for id in OTHERS if id != own]
    ids = [own, *others[:2]] if own else others[:2]
    return [presets()[id] for id in ids]


def _window_of(watched: Watched, followed: Sequence[tuple[Preset, Run]]) -> int | None:
    """The limit of the program: what it said itself, else that of its rule."""
    window_tokens = watched.state.get("window_tokens")
    if isinstance(window_tokens, int):
        return window_tokens
    program = _program_of(watched)
    preset, run = followed[0]
    if program is None or preset.id != program.preset:
        return None
    window = preset.parameters.get("window_tokens", run.strategy.budget_tokens)
    return window if isinstance(window, int) else None


def _growth(log: Log, totals: Sequence[int]) -> int | None:
    """The median of the tokens of the newest turns that are over."""
    last = log.turn_count - 1
    grown = []
    for number in range(max(1, last - GROWTH_TURNS + 1), last + 1):
        turn = log.turn(number)
        grown.append(totals[turn.stop] - totals[turn.start])
    return round(median(grown)) if grown else None


def _forecast(
    preset: Preset,
    following: Following,
    growth: int | None,
    used: int | None,
    is_own: bool,
) -> Forecast:
    session = following.session
    memory = session.memory.appended(len(session.log))
    rule = session.strategy
    if isinstance(rule, Pipeline):
        fill = rule.fill_of_summary(memory)
        room = fill.headroom if fill is not None else None
    else:
        fill = rule.fill(memory)
        room = rule.headroom(memory)
    idle = rule.idle_because(memory)
    left = None if idle or room is None else room.amount
    unit = "tokens" if room is None else room.unit
    is_measured = bool(fill and fill.unit == "tokens" and used is not None)
    if fill is not None and is_measured and used is not None:
        left = max(0, fill.limit - used)
    turns = None
    if left is not None and unit == "turns":
        turns = left
    elif left is not None and unit == "tokens" and growth:
        turns = ceil(left / growth)
    return Forecast(preset, is_own, left, unit, turns, is_measured, idle)
