"""Measures a watched conversation for the page Live: the fill of its window, its next compaction, its largest
messages, and those that the last compaction removed.

:class:`LiveConversation` reads new messages from the store and plays them on under the program's own rule and under two
others. :meth:`LiveConversation.look` returns the numbers of the moment as a :class:`LiveView`.
"""

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
from memviz.storage.watched import WatchedConversation
from memviz.strategies import strategy
from memviz.strategies.pipeline import Pipeline
from memviz.strategies.presets import Preset, presets
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.watching.keeper import count_same_beginning
from memviz.watching.programs import PROGRAMS, Program

MAX_ITEMS = 10
"""The most items of the window that are listed, the largest first."""
GROWTH_TURNS = 5
"""The number of newest turns whose median growth is taken for that of the next ones."""
LOOK_BACK_MESSAGES = 6
"""The number of newest messages that are compared with the stored ones, for they may have changed since."""
BATCH_MESSAGES = 2_000
"""The number of messages that are read from the store at once."""
OTHER_RULES = ("claude_code", "codex", "anthropic_clearing")
"""The rules to compare with, by their presets: the first two that are not the program's own."""


class WindowItem(NamedTuple):
    """A message or a summary in the window."""

    position: int
    """The log position of a message; -1 for the summary of a compaction."""
    turn: int
    """Counted from the first turn that is played."""
    role: str
    text: str
    tokens: int


class RemovedMessages(NamedTuple):
    """The messages that the last compaction of the program took out of the window."""

    event: RecordedEvent
    messages: int
    tokens: int
    summary_tokens: int
    largest: Sequence[WindowItem]


class Forecast(NamedTuple):
    """The next time at which one rule acts."""

    preset: Preset
    is_own: bool
    headroom: int | None
    """The amount in ``unit`` that fits before the rule acts; ``None`` if that is not known."""
    unit: str
    """``tokens``, ``messages`` or ``turns``."""
    turns: int | None
    """The headroom in turns of the size of the newest ones; ``None`` if that is not known."""
    is_measured: bool
    """True if the provider counted the last request, not memviz."""
    idle: str
    """The reason why the rule does nothing in this conversation; empty if it acts."""


@dataclass(frozen=True)
class LiveView:
    """The numbers of one moment, about the messages that are played."""

    watched: WatchedConversation
    start: int
    """The log position of the first message that is played; earlier ones are left out."""
    transcript: Transcript
    runs: Sequence[tuple[Preset, Run]]
    used_tokens: int
    window_tokens: int | None
    is_measured: bool
    """True if ``used_tokens`` is the provider's count, which includes all that the program sends."""
    tokens_per_turn: int | None
    forecasts: Sequence[Forecast]
    largest: Sequence[WindowItem]
    removed: RemovedMessages | None
    """``None`` if nothing was compacted since ``start``."""


@dataclass(eq=False, repr=False)
class LiveConversation:
    """One watched conversation that is played on as it grows, under its program's own rule and under two others. Not
    safe to share between threads without a lock."""

    store: Store
    key: str
    newest: int | None = None
    """The number of newest messages that are played at first, from the beginning of a turn on; ``None`` for all."""
    _start: int = 0
    """The position of the first message of the log."""
    _counter: Counter = field(default_factory=lambda: find_counter(DEFAULT_COUNTER))
    _log: Log = field(default_factory=Log)
    _followed: list[tuple[Preset, Following]] = field(default_factory=list)
    _view: LiveView | None = None

    def look(self) -> LiveView | None:
        """Return the numbers with the messages that were stored since the last look; ``None`` for a conversation that
        is gone. What was played before is not played again."""
        watched = self.store.find_watched(self.key)
        if watched is None or watched.is_deleted:
            return None
        if self._view is not None and watched == self._view.watched:
            return self._view
        about = self.store.about(watched.id)
        if not self._followed or watched.message_count < self._start:
            self._begin(watched, about)
        self._read_news(watched)
        self._view = self._measure(watched, about)
        return self._view

    def _begin(self, watched: WatchedConversation, about: Transcript) -> None:
        self._start = self._find_start(watched)
        self._log = Log()
        self._followed = []
        for preset in _rules_for(watched):
            rule = strategy(preset.strategy, **preset.parameters)
            setting = setting_for(about, rule, counter=self._counter)
            self._followed.append((preset, Following(setting)))

    def _find_start(self, watched: WatchedConversation) -> int:
        """Return the position of the first turn that begins among the newest messages."""
        if self.newest is None or watched.message_count <= self.newest:
            return 0
        start = watched.message_count - self.newest
        messages = self.store.said(watched.id, start, start + BATCH_MESSAGES)
        for position, (before, message) in enumerate(pairwise(messages), start + 1):
            if message.role == "user" and before.role != "user":
                return position
        return start

    @property
    def _stop(self) -> int:
        """The position behind the last message of the log."""
        return self._start + len(self._log)

    def _read_news(self, watched: WatchedConversation) -> None:
        start = min(self._stop, watched.message_count) - LOOK_BACK_MESSAGES
        if self._view is not None:
            # Messages that the reader of the file was not certain of may have changed as well.
            reader_place = self._view.watched.state.get("place", {})
            start = min(start, reader_place.get("messages", start))
        start = max(self._start, start)
        while True:
            stop = min(watched.message_count, start + BATCH_MESSAGES)
            messages = self.store.said(watched.id, start, stop)
            self._replace_from(start, messages)
            start += len(messages)
            if not messages or start >= watched.message_count:
                break

    def _replace_from(self, start: int, messages: Sequence[Message]) -> None:
        """Let the logs go on with these ``messages`` from position ``start`` on."""
        old_messages = self._log[start - self._start :]
        same_count = count_same_beginning(old_messages, messages)
        length = start - self._start + same_count
        new_messages = messages[same_count:]
        if same_count < len(old_messages):
            self._log = self._log.prefix(length)
        self._log.extend(new_messages)
        for _preset, following in self._followed:
            following.keep(length)
            following.add(new_messages)

    def _measure(self, watched: WatchedConversation, about: Transcript) -> LiveView:
        runs = [(preset, following.run()) for preset, following in self._followed]
        events = [event for event in about.events if event.after_message <= self._stop]
        positions = self._keep_played(_positions_in_window(events, self._stop))
        summary = events[-1].text if events else ""
        measured_tokens = _measured_tokens(watched)
        used_tokens = measured_tokens
        if used_tokens is None:
            run = None if events else runs[0][1]
            used_tokens = self._count_window_tokens(positions, summary, run)
        growth_tokens = _median_growth(self._log, self._content_totals)
        program = _program_of(watched)
        forecasts = []
        for preset, following in self._followed:
            is_own = program is not None and preset.id == program.preset
            measured = measured_tokens if is_own else None
            forecast = _make_forecast(
                preset, following, growth_tokens, measured, is_own
            )
            forecasts.append(forecast)
        items = self._list_largest(positions)
        if summary:
            items.append(WindowItem(-1, 0, "summary", summary, self._counter(summary)))
        items.sort(key=lambda item: -item.tokens)
        return LiveView(
            watched=watched,
            start=self._start,
            transcript=self._describe_log(about),
            runs=runs,
            used_tokens=used_tokens,
            window_tokens=_window_of(watched, runs),
            is_measured=measured_tokens is not None,
            tokens_per_turn=growth_tokens,
            forecasts=forecasts,
            largest=items[:MAX_ITEMS],
            removed=self._find_removed(events),
        )

    @property
    def _content_totals(self) -> Sequence[int]:
        """The tokens of contents before each message, and behind the last one: what the limits of rules count."""
        return self._log.token_sums(self._counter).totals

    def _describe_log(self, about: Transcript) -> Transcript:
        """Return the transcript as the runs go with it. The evidence of its probes are positions from the first message
        on, which a log of the newest alone does not have."""
        probes = () if self._start else about.probes
        return replace(about, messages=(), probes=probes)

    def _keep_played(self, positions: Sequence[int]) -> Sequence[int]:
        """Return those of the ``positions``, which are in order, whose messages are played."""
        return positions[bisect_left(positions, self._start) :]

    def _count_window_tokens(
        self, positions: Sequence[int], summary: str, run: Run | None
    ) -> int:
        """Return the tokens in the window where no provider counted them: those of the messages since the last
        compaction and of its ``summary``, or where there was no compaction those that the ``run`` would send."""
        if run is None or not run.requests:
            return self._count_tokens(positions) + self._counter(summary)
        last = run.requests[-1]
        positions_since = range(self._start + last.memory.length, self._stop)
        return last.total_tokens + self._count_tokens(positions_since)

    def _count_tokens(self, positions: Sequence[int]) -> int:
        return sum(tokens for tokens, _position in self._measure_sizes(positions))

    def _measure_sizes(self, positions: Sequence[int]) -> list[tuple[int, int]]:
        """Return the tokens that the messages at these positions take of the window, each with its position: their
        contents, tool calls and speakers' names."""
        sums = self._log.token_sums(self._counter)
        contents = sums.totals
        calls = sums.call_totals
        names = sums.name_totals
        sizes = []
        for position in positions:
            index = position - self._start
            tokens = contents[index + 1] - contents[index]
            tokens += calls[index + 1] - calls[index]
            tokens += names[index + 1] - names[index]
            sizes.append((tokens, position))
        return sizes

    def _list_largest(self, positions: Sequence[int]) -> list[WindowItem]:
        items = []
        for tokens, position in nlargest(MAX_ITEMS, self._measure_sizes(positions)):
            index = position - self._start
            message = self._log[index]
            text = message.content or _calls_as_text(message)
            turn = self._log.turn_number(index)
            items.append(WindowItem(position, turn, message.role, text[:400], tokens))
        return items

    def _find_removed(self, events: Sequence[RecordedEvent]) -> RemovedMessages | None:
        # What was compacted before the first message that is played is not at hand.
        if not events or events[-1].after_message <= self._start:
            return None
        last = events[-1]
        positions_before = self._keep_played(
            _positions_in_window(events[:-1], last.after_message)
        )
        positions_after = _positions_in_window(events, last.after_message)
        removed = sorted(set(positions_before).difference(positions_after))
        return RemovedMessages(
            event=last,
            messages=len(removed),
            tokens=self._count_tokens(removed),
            summary_tokens=self._counter(last.text),
            largest=self._list_largest(removed)[:3],
        )


def _positions_in_window(events: Sequence[RecordedEvent], stop: int) -> Sequence[int]:
    """Return the positions before ``stop`` of the messages in the window after these compactions."""
    if not events:
        return range(stop)
    last = events[-1]
    start = max(0, last.after_message - (last.kept_newest or 0))
    return [*range(min(last.kept_first or 0, start)), *range(start, stop)]


def _calls_as_text(message: Message) -> str:
    """Return the tool calls of a message, each as its name and arguments."""
    return " ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)


def _measured_tokens(watched: WatchedConversation) -> int | None:
    """Return the tokens of the last request as the provider counted them; ``None`` where that is not known."""
    tokens = watched.state.get("context_tokens")
    usage = watched.state.get("usage")
    if tokens is None and isinstance(usage, dict):
        tokens = usage.get("input_tokens")
    return tokens if isinstance(tokens, int) else None


def _program_of(watched: WatchedConversation) -> Program | None:
    return PROGRAMS.get(watched.state.get("source", ""))


def _rules_for(watched: WatchedConversation) -> list[Preset]:
    """Return the program's own rule, where it is known, and two others."""
    program = _program_of(watched)
    own_rule = program.preset if program is not None else ""
    others = [id for id in OTHER_RULES if id != own_rule][:2]
    ids = [own_rule, *others] if own_rule else others
    return [presets()[id] for id in ids]


def _window_of(
    watched: WatchedConversation, followed: Sequence[tuple[Preset, Run]]
) -> int | None:
    """Return the limit of the program in tokens: the one it wrote itself, else that of its rule; ``None`` where neither
    is known."""
    window_tokens = watched.state.get("window_tokens")
    if isinstance(window_tokens, int):
        return window_tokens
    program = _program_of(watched)
    preset, run = followed[0]
    if program is None or preset.id != program.preset:
        return None
    window = preset.parameters.get("window_tokens", run.strategy.budget_tokens)
    return window if isinstance(window, int) else None


def _median_growth(log: Log, totals: Sequence[int]) -> int | None:
    """Return the median of the tokens of the newest turns that are over; ``None`` where none is."""
    last_turn = log.turn_count - 1
    sizes = []
    for turn_number in range(max(1, last_turn - GROWTH_TURNS + 1), last_turn + 1):
        turn = log.turn(turn_number)
        sizes.append(totals[turn.stop] - totals[turn.start])
    return round(median(sizes)) if sizes else None


def _make_forecast(
    preset: Preset,
    following: Following,
    growth_tokens: int | None,
    measured_tokens: int | None,
    is_own: bool,
) -> Forecast:
    """Return the forecast of a rule; with the tokens of the last request as the provider counted them, if it did."""
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
    headroom = None if idle or room is None else room.amount
    unit = "tokens" if room is None else room.unit
    is_measured = False
    if fill is not None and fill.unit == "tokens" and measured_tokens is not None:
        is_measured = True
        headroom = max(0, fill.limit - measured_tokens)
    turns = None
    if headroom is not None and unit == "turns":
        turns = headroom
    elif headroom is not None and unit == "tokens" and growth_tokens:
        turns = ceil(headroom / growth_tokens)
    return Forecast(preset, is_own, headroom, unit, turns, is_measured, idle)
