"""A run: one conversation under one strategy, with everything that was sent and done."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.conversation import Log
from memviz.core.counters import AnyCounter, Counter
from memviz.core.errors import MatrixTooLargeError, ParameterError
from memviz.core.memory import Memory, MemorySpace
from memviz.core.notebook_output import NotebookOutput
from memviz.core.recently_used import RecentlyUsed
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import language_now
from memviz.engine import run_record
from memviz.engine.columns import Columns
from memviz.engine.compaction import Compaction
from memviz.engine.drafts import Draft
from memviz.engine.generations import Generations
from memviz.engine.part_tokens import find_reduced_forms
from memviz.engine.recall import Recall
from memviz.engine.record_sequences import TurnRecords
from memviz.engine.records import TurnRecord, memory_at
from memviz.engine.requests import Requests
from memviz.engine.run_frame import frame_of_requests, frame_of_turns
from memviz.engine.timeline import EarlierSetting, Timeline
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe

if TYPE_CHECKING:
    from pandas import DataFrame

MAX_CELLS = 100_000_000
"""The most cells of a matrix [requests x messages], which grows with the square of a conversation's length."""


T = TypeVar("T")
RESULTS_KEPT = 32
"""The most results that a run keeps: a page with six settings asks its first run for more than a dozen of them in three
views."""
PICTURES_KEPT = 8
"""The most pictures that a run keeps: one of thousands of turns takes megabytes."""


@dataclass(frozen=True, eq=False)
class Run(NotebookOutput):
    """The record of one strategy at work: enough to redraw everything without running it again.

    ``requests`` has one record for each call of the model, made from ``columns`` when somebody asks; ``turns`` has that
    of the last call of each turn, which has all of its turn in its own ``requests``. ``compactions`` is every
    compaction in order, those after the last request included. Of a live chat, ``waiting`` is what is recalled for the
    next request, and ``pinned`` what goes into every one; ``review`` says whether it stops before each summarization,
    and ``drafts`` are those of the one that waits for a decision.

    A chat that was given another setting keeps what was sent before as it was: ``strategy`` is the one in force, and
    ``earlier_settings`` are those before it, with the turns and compactions that were made under each.

    Two runs are equal only if they are the same object, so that a run can be the key of a cache; compare
    :meth:`to_dict` to compare what they hold.
    """

    strategy: Strategy
    space: MemorySpace = field(repr=False)
    requests: Requests = field(default_factory=Requests, repr=False)
    compactions: tuple[Compaction, ...] = field(default=(), repr=False)
    waiting: tuple[Recall, ...] = ()
    pinned: tuple[Recall, ...] = ()
    earlier_settings: tuple[EarlierSetting, ...] = ()
    review: bool = False
    drafts: tuple[Draft, ...] = ()
    pending: TurnRecord | None = field(default=None, repr=False)
    """The request that is open at the end of the log, which nobody has answered yet: no part of ``requests``."""
    probes: tuple[Probe, ...] = field(default=(), repr=False)
    """The facts that the replayed transcript brought along: no part of :meth:`to_dict`, which tells what was sent."""
    _results: RecentlyUsed[Hashable, Any] = field(
        default_factory=lambda: RecentlyUsed(RESULTS_KEPT), init=False, repr=False
    )

    _pictures: RecentlyUsed[Hashable, Any] = field(
        default_factory=lambda: RecentlyUsed(PICTURES_KEPT), init=False, repr=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "requests", Requests.of(self.requests))

    @property
    def columns(self) -> Columns:
        """The numbers of all requests as arrays, for whoever looks at many of them."""
        return self.requests.columns

    def once(
        self, what: Hashable, work_out: Callable[[], T], *, is_picture: bool = False
    ) -> T:
        """The result of ``work_out``, which is called once and not again while the result is kept: as long as the
        run, unless :data:`RESULTS_KEPT` other results were asked for since, or :data:`PICTURES_KEPT` where it
        ``is_picture``. ``what`` is all that it depends on besides the run, the function first. A picture has texts, so
        that it is kept for each language that it was asked for in."""
        # A page is drawn again at every click of a visitor, and nearly always shows the same numbers of the same runs.
        results = self._results
        if is_picture:
            results = self._pictures
            what = (language_now(), what)
        # A result may be None, so each is kept as a tuple of one.
        entry: tuple[T] | None = results.get(what)
        if entry is None:
            entry = results.put(what, (work_out(),))
        return entry[0]

    @cached_property
    def turns(self) -> TurnRecords:
        """The last request of each turn. In a conversation without tools each turn has one."""
        return TurnRecords(self.requests, self.requests.columns.turns)

    @property
    def has_calls(self) -> bool:
        """True if any turn took more than one call of the model."""
        return len(self.turns) < len(self.requests)

    @property
    def log(self) -> Log:
        """The conversation."""
        return self.space.log

    @property
    def counter(self) -> Counter:
        """The token counter behind every number."""
        return self.space.sums.counter

    @property
    def system_prompt(self) -> str | None:
        """The system prompt sent with every request."""
        prompt = self.space.system_prompt
        return prompt.content if prompt else None

    @property
    def summaries(self) -> tuple[SummaryVersion, ...]:
        """All summary versions, in order."""
        return tuple(self.space.summaries.versions)

    @property
    def has_decisions(self) -> bool:
        """True if the user has edited, skipped or undone anything."""
        return any(
            compaction.is_decision or compaction.is_edited
            for compaction in self.compactions
        )

    @property
    def label(self) -> str:
        """The setting in a few words; of a chat that was given others, all of them in order."""
        strategies = [setting.strategy for setting in self.earlier_settings]
        strategies.append(self.strategy)
        return ", then ".join(strategy.label for strategy in strategies)

    @property
    def timeline(self) -> Timeline:
        """The setting in force and those before."""
        return Timeline(self.strategy, self.counter.name, self.earlier_settings)

    @property
    def first_turn(self) -> int:
        """The first turn of the setting in force."""
        return self.earlier_settings[-1].last_turn + 1 if self.earlier_settings else 1

    @property
    def under_this_setting(self) -> Run:
        """The run without what was sent and done under earlier settings."""
        if not self.earlier_settings:
            return self
        before = self.earlier_settings[-1]
        records = [record for record in self.requests if record.turn > before.last_turn]
        compactions: list[Compaction] = []
        for record in records:
            compactions += record.compactions
        for turn, compaction in self.unsent:
            if not records or turn > before.last_turn:
                compactions.append(compaction)
        return replace(
            self,
            requests=Requests.of(records),
            compactions=tuple(compactions),
            earlier_settings=(),
        )

    @property
    def foreseen(self) -> tuple[Compaction, ...]:
        """The compactions for the ``pending`` request alone, made by nobody yet: no part of ``compactions``, nor its
        summaries of ``summaries``."""
        if self.pending is None:
            return ()
        return tuple(
            compaction
            for compaction in self.pending.compactions
            if id(compaction) not in self._numbers
        )

    @property
    def made_or_foreseen(self) -> tuple[Compaction, ...]:
        """Everything that a replay asks the summarizer for, also for what is only shown."""
        return (*self.compactions, *self.foreseen)

    def number_of(self, compaction: Compaction) -> int:
        """The number (0-based) of one of the run's compactions."""
        return self._numbers[id(compaction)]

    @cached_property
    def _numbers(self) -> Mapping[int, int]:
        return {
            id(compaction): number for number, compaction in enumerate(self.compactions)
        }

    def request_turn(self, compaction: Compaction) -> int | None:
        """The turn of the first request that one of the run's compactions changed, asked or still to be asked; ``None``
        where none came, also because the chat was given another setting."""
        number = self.request_number(compaction)
        if number is not None:
            return self.requests.turn_at(number)
        if id(compaction) not in self._own_unsent:
            return None
        turn = compaction.request_turn_in(self.log)
        if not turn or self.first_turn > self.log.turn_count:
            return None
        return max(turn, self.first_turn)

    def request_number(self, compaction: Compaction) -> int | None:
        """The number (0-based) of the first request that one of the run's compactions changed; ``None`` where none has
        been asked."""
        return self._request_numbers.get(id(compaction))

    @cached_property
    def _request_numbers(self) -> Mapping[int, int]:
        return {
            id(compaction): number
            for number, compactions in self.requests.compactions()
            for compaction in compactions
        }

    @cached_property
    def _own_unsent(self) -> frozenset[int]:
        """The identities of the compactions of the setting in force that changed no request on record."""
        own_compactions = self.timeline.select_own(self.compactions)
        return frozenset(map(id, own_compactions)) - self._request_numbers.keys()

    @cached_property
    def unsent(self) -> tuple[tuple[int, Compaction], ...]:
        """The compactions that no request on record was changed by, each with the last turn of the time in which its
        setting was in force."""
        last_turn = self.requests[-1].turn if self.requests else 0
        unsent = []
        for setting, segment in self.timeline.segments(self.compactions):
            turn = min(setting.last_turn, last_turn)
            for compaction in segment:
                if id(compaction) not in self._request_numbers:
                    unsent.append((turn, compaction))
        return tuple(unsent)

    def strategy_at(self, turn: int) -> Strategy:
        """The strategy that the request of ``turn`` was made under."""
        return self.timeline.at(turn).strategy

    def compactions_at(self, turn: int) -> list[Compaction]:
        """The compactions of the setting that the request of ``turn`` was made under, in order."""
        return self.timeline.select_own_at(turn, self.compactions)

    def memory_after(self, turn: int) -> Memory:
        """The memory as it was when turn ``turn`` had ended (0: before the first turn)."""
        return memory_at(
            self.space, self.compactions_at(turn), self.log.turn(turn).stop
        )

    def fates(
        self, requests: slice | None = None, messages: slice | None = None
    ) -> NDArray[np.uint8]:
        """The fate of every message: an array [requests x messages] of :class:`Fate` codes, of all or of those
        ``requests`` (0-based places) and ``messages`` (log positions). Raises
        :class:`memviz.MatrixTooLargeError` for more than 100 million cells."""
        rows, columns = self._checked_cells("fates", requests, messages)
        fates = np.empty((len(rows), len(columns)), dtype=np.uint8)
        for row, number in enumerate(rows):
            fates[row] = self.fates_at(self.requests[number])[messages or slice(None)]
        return fates

    def fates_at(self, record: TurnRecord) -> NDArray[np.uint8]:
        """The fate of every message at one request: an array [messages] of :class:`Fate` codes."""
        row = np.full(len(self.log), Fate.NOT_YET, dtype=np.uint8)
        row[: record.memory.length] = Fate.DROPPED
        space = record.memory.space  # of the pending request one of its own
        for notes in record.parts.notes:
            for covered in space.summaries.covered(notes.start, notes.stop):
                row[covered.start : covered.stop] = Fate.SUMMARIZED
            for covered in space.summaries.opaque(notes.start, notes.stop):
                row[covered.start : covered.stop] = Fate.OPAQUE
        for version in record.parts.quoted:
            covers = space.summaries.versions[version].covers
            row[covers.start : covers.stop] = Fate.SUMMARIZED
        for piece in record.parts.messages:
            row[piece.start : piece.stop] = Fate.VERBATIM
            for position, form in find_reduced_forms(space, piece).items():
                row[position] = Fate[form.fate.upper()]
        row[list(record.parts.recalled)] = Fate.RECALLED
        row[record.parts.exchange.start : record.parts.exchange.stop] = Fate.VERBATIM
        row[: space.system_stop] = Fate.VERBATIM
        return row

    def generations(
        self, requests: slice | None = None, messages: slice | None = None
    ) -> NDArray[np.uint16]:
        """The number of summarizations that each message's content has been through: an array
        [requests x messages], 0 where the message's fate is not *summarized*. The arguments and the bound are
        those of :meth:`fates`."""
        rows, columns = self._checked_cells("generations", requests, messages)
        generations = np.zeros((len(rows), len(columns)), dtype=np.uint16)
        by_version: dict[int, list[int]] = {}
        for row, number in enumerate(rows):
            parts = self.requests[number].parts
            if parts.quoted:
                generations[row] = 1
            for notes in parts.notes:
                if len(notes.versions) == 1:
                    by_version.setdefault(notes.start, []).append(row)
                else:
                    generations[row] = 1  # entries of a list: each was summarized once
        span = range(min(columns, default=0), max(columns, default=-1) + 1)
        places = np.array(columns, dtype=np.intp) - span.start
        chains = Generations(self.space.summaries.versions)
        for version, passed in chains.rows(by_version, span):
            rows_of = by_version[version]
            generations[rows_of] = np.maximum(generations[rows_of], passed[places])
        generations[self.fates(requests, messages) != Fate.SUMMARIZED] = 0
        return generations

    def _checked_cells(
        self, name: str, requests: slice | None, messages: slice | None
    ) -> tuple[range, range]:
        """The rows and columns of a matrix of these slices, once it is sure that there are not too many."""
        for argument, value in {"requests": requests, "messages": messages}.items():
            if not isinstance(value, slice | None):
                raise ParameterError(
                    argument, value, "a slice, such as slice(0, 100), or None for all"
                )
        rows = range(len(self.requests))[requests or slice(None)]
        columns = range(len(self.log))[messages or slice(None)]
        if len(rows) * len(columns) > MAX_CELLS:
            raise MatrixTooLargeError(name, rows, columns, MAX_CELLS)
        return rows, columns

    def frame(self, by: Literal["request", "turn"] = "request") -> DataFrame:
        """One row a request with its turn and call: tokens of each part, their total, the reply's, compactions, flags.
        ``by="turn"`` has one row a turn with the sums of its requests, how many they were (``requests``), the newest
        summary and all flags. Raises :class:`ParameterError` for another ``by``."""
        if by == "request":
            return frame_of_requests(self.requests)
        if by == "turn":
            return frame_of_turns(self.turns)
        raise ParameterError("by", by, '"request" or "turn"')

    def to_dict(self) -> dict[str, Any]:
        """The whole run as JSON, lossless."""
        messages = [message.to_dict() for message in self.log]
        return {"messages": messages, **run_record.to_record(self)}

    @classmethod
    def from_dict(
        cls, value: Mapping[str, Any], counter: AnyCounter | None = None
    ) -> Run:
        """The run that :meth:`to_dict` described. A run counted by a function of one's own needs it
        again as ``counter``; else :class:`memviz.UnknownCounterError` is raised."""
        return cls.from_record(value, Log(value["messages"]), counter)

    @classmethod
    def from_record(
        cls, value: Mapping[str, Any], log: Log, counter: AnyCounter | None = None
    ) -> Run:
        """The run that :func:`memviz.engine.run_record.to_record` described, over its conversation ``log``."""
        return cls(**run_record.read_fields(value, log, counter))
