"""A run as JSON and back: its setting, its records of each kind, and what waits in a chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol

from memviz.core.conversation import Log
from memviz.core.counters import AnyCounter, Counter
from memviz.core.counters import counter as find_counter
from memviz.core.memory import MemorySpace
from memviz.core.messages import Message
from memviz.core.summaries import SUMMARY, SummaryLog, SummaryVersion
from memviz.engine.compaction import Compaction
from memviz.engine.drafts import Draft
from memviz.engine.library import remember_requests
from memviz.engine.recall import Recall, StoredRecall
from memviz.engine.records import TurnRecord
from memviz.engine.requests import Requests
from memviz.engine.stored import (
    Count,
    DamagedRecordError,
    MemoryFields,
    Positions,
    Reading,
    Text,
    Turn,
    Version,
    left_out_where,
    read,
    write,
)
from memviz.engine.timeline import (
    EarlierSetting,
    StrategyFields,
    Timeline,
    strategy_to_dict,
)
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy

RecordKind = Literal["request", "compaction", "summary"]
"""What happened in a run is kept as records of these kinds."""


@dataclass
class _Setting:
    strategy: StrategyFields
    counter: Text
    system_prompt: Text | None
    system_tokens: Count
    tool_tokens: Annotated[Count, left_out_where(0)] = 0


@dataclass
class _Ahead:
    review: Annotated[bool, left_out_where(False)] = False
    drafts: Annotated[list[Draft] | None, left_out_where(None)] = None
    pending: Annotated[dict[str, Any] | None, left_out_where(None)] = None
    waiting: list[StoredRecall] = field(default_factory=list)
    pinned: list[StoredRecall] = field(default_factory=list)


@dataclass
class _Summary:
    version: Count
    turn: Turn
    text: Text
    tokens: Count
    covers: Positions
    added: Positions
    replaces: Version | None
    track: Annotated[Text, left_out_where(SUMMARY)] = SUMMARY
    opaque_tokens: Annotated[Count, left_out_where(0)] = 0


@dataclass
class _Origin:
    """The fields of a compaction that tell of the summary that it wrote."""

    before: MemoryFields
    version: Version | None


@dataclass
class _Head:
    """The parts of a run that are read before its requests and compactions."""

    summaries: list[_Summary]
    compactions: list[_Origin]
    requests: list[Any]
    earlier_settings: list[EarlierSetting] = field(default_factory=list)


@dataclass
class _Pending:
    """The records that are foreseen for the pending request alone."""

    foreseen: list[_Origin] = field(default_factory=list)
    foreseen_summaries: list[_Summary] = field(default_factory=list)


class Recorded(Protocol):
    """The parts of a :class:`memviz.engine.run.Run` that are written."""

    @property
    def strategy(self) -> Strategy: ...
    @property
    def counter(self) -> Counter: ...
    @property
    def space(self) -> MemorySpace: ...
    @property
    def system_prompt(self) -> str | None: ...
    @property
    def summaries(self) -> Sequence[SummaryVersion]: ...
    @property
    def requests(self) -> Requests: ...
    @property
    def compactions(self) -> Sequence[Compaction]: ...
    @property
    def waiting(self) -> Sequence[Recall]: ...
    @property
    def pinned(self) -> Sequence[Recall]: ...
    @property
    def earlier_settings(self) -> Sequence[EarlierSetting]: ...
    @property
    def review(self) -> bool: ...
    @property
    def drafts(self) -> Sequence[Draft]: ...
    @property
    def pending(self) -> TurnRecord | None: ...
    @property
    def foreseen(self) -> Sequence[Compaction]: ...

    def number_of(self, compaction: Compaction) -> int:
        """The number (0-based) of one of ``compactions``."""
        ...


def to_record(run: Recorded) -> dict[str, Any]:
    """The run as JSON without the conversation's messages."""
    return {
        **setting_to_dict(run),
        "summaries": records_to_dicts(run, "summary"),
        "compactions": records_to_dicts(run, "compaction"),
        "requests": records_to_dicts(run, "request"),
        **ahead_to_dict(run),
        **_earlier_to_dict(run),
    }


def whole_setting_to_dict(run: Recorded) -> dict[str, Any]:
    """The setting of a run as JSON, with the settings that a chat was held under before."""
    return setting_to_dict(run) | _earlier_to_dict(run)


def setting_to_dict(run: Recorded) -> dict[str, Any]:
    """The setting in force as JSON."""
    strategy = strategy_to_dict(run.strategy)
    setting = _Setting(
        strategy=StrategyFields(**strategy),
        counter=run.counter.name,
        system_prompt=run.system_prompt,
        system_tokens=run.space.prompt_tokens,
        tool_tokens=run.space.tool_tokens,
    )
    return {**write(setting), "strategy": strategy}


def _earlier_to_dict(run: Recorded) -> dict[str, Any]:
    if not run.earlier_settings:
        return {}
    return {"earlier_settings": [write(one) for one in run.earlier_settings]}


def ahead_to_dict(run: Recorded) -> dict[str, Any]:
    """The recalls and pins for requests to come, and the drafts that wait for a decision, as JSON."""
    ahead = _Ahead(
        review=run.review,
        drafts=list(run.drafts) if run.review else None,
        pending=_pending_to_dict(run, run.pending) if run.pending else None,
        waiting=list(run.waiting),
        pinned=list(run.pinned),
    )
    return write(ahead)


def records_to_dicts(
    run: Recorded, kind: RecordKind, start: int = 0
) -> list[dict[str, Any]]:
    """The records of one kind from number ``start`` (0-based) on, as JSON."""
    if kind == "summary":
        return [_summary_to_dict(one) for one in run.summaries[start:]]
    if kind == "compaction":
        return [compaction.to_dict() for compaction in run.compactions[start:]]
    found: list[dict[str, Any]] = []
    first = 0
    changed = dict(run.requests.compactions())
    for number in range(len(run.requests)):
        made = changed.get(number, ())
        if made:
            first = run.number_of(made[0])
        if number >= start:
            found.append(run.requests[number].to_dict(first))
        first += len(made)
    return found


def _pending_to_dict(run: Recorded, record: TurnRecord) -> dict[str, Any]:
    """The pending request with what is foreseen; its compactions are the last of the run's and then those."""
    summaries = record.memory.space.summaries.versions[len(run.summaries) :]
    first = len(run.compactions) + len(run.foreseen) - len(record.compactions)
    found = record.to_dict(first)
    if run.foreseen:
        found["foreseen"] = [compaction.to_dict() for compaction in run.foreseen]
    if summaries:
        found["foreseen_summaries"] = [_summary_to_dict(one) for one in summaries]
    return found


def _summary_to_dict(version: SummaryVersion) -> dict[str, Any]:
    names = _Summary.__dataclass_fields__
    summary = _Summary(**{name: getattr(version, name) for name in names})
    return write(summary)


def read_fields(
    value: Mapping[str, Any], log: Log, counter: AnyCounter | None
) -> dict[str, Any]:
    """The fields of the run that :func:`to_record` described, over its conversation ``log``.

    Raises :class:`memviz.engine.stored.DamagedRecordError` where it names what neither its conversation nor its own
    lists have.
    """
    setting = read(_Setting, value, {})
    named = _count_what_is_there(value, log)
    head = read(_Head, value, named)
    ahead = read(_Ahead, value, named)
    strategy = make_strategy(setting.strategy.id, **setting.strategy.parameters)
    its_counter = find_counter(counter or setting.counter)
    space = _space_of(setting, log, strategy, its_counter)
    timeline = Timeline(strategy, its_counter.name, tuple(head.earlier_settings))
    makers = timeline.makers(len(head.compactions))
    _add_summaries(space, head.summaries, head.compactions, makers, strategy)
    made: list[Compaction] = []
    for one, maker in zip(value["compactions"], makers, strict=True):
        over = Reading(space, maker, named)
        made.append(Compaction.from_dict(one, over, "compactions", len(made)))
    compactions = tuple(made)
    requests = _read_requests(head.requests, space, timeline, named, compactions)
    _expect_whole(requests, head, log)
    pending = None
    if ahead.pending is not None:
        over = Reading(space, strategy, named, compactions)
        pending = _read_pending(ahead.pending, over)
    records, _ = timeline.with_their_compactions(requests, compactions)
    kept = Requests.of(records)
    remember_requests(space, kept)
    return {
        "strategy": strategy,
        "space": space,
        "requests": kept,
        "compactions": compactions,
        "waiting": tuple(ahead.waiting),
        "pinned": tuple(ahead.pinned),
        "earlier_settings": timeline.earlier,
        "review": ahead.review,
        "drafts": tuple(ahead.drafts or ()),
        "pending": pending,
    }


def _space_of(
    setting: _Setting, log: Log, strategy: Strategy, counter: Counter
) -> MemorySpace:
    prompt = setting.system_prompt
    return MemorySpace(
        log=log,
        sums=log.token_sums(counter),
        summaries=SummaryLog(counter, strategy.summary_wording),
        system_prompt=Message("system", prompt) if prompt else None,
        prompt_tokens=setting.system_tokens,
        tool_tokens=setting.tool_tokens,
    )


def _count_what_is_there(value: Mapping[str, Any], log: Log) -> dict[str, int]:
    pending = value.get("pending") or {}
    summaries = [*value["summaries"], *pending.get("foreseen_summaries", ())]
    compactions = [*value["compactions"], *pending.get("foreseen", ())]
    return {
        "turn": log.turn_count,
        "message": len(log),
        "summary": len(summaries),
        "summarization": len(compactions),
    }


def _add_summaries(
    space: MemorySpace,
    summaries: Sequence[_Summary],
    origins: Sequence[_Origin],
    makers: Sequence[Strategy],
    strategy: Strategy,
) -> None:
    """Add summaries to ``space``, each in the wording of the strategy of ``makers`` [origins] that it was written
    under."""
    written = {}
    for origin, maker in zip(origins, makers, strict=True):
        written[origin.version] = origin.before.summary_count, maker
    for fields in summaries:
        if fields.version != len(space.summaries) + 1:
            raise DamagedRecordError("a summary is missing")
        follows, maker = written.get(fields.version, (None, strategy))
        known = vars(fields)
        tokens = known.pop("tokens")
        counter = space.summaries.counter
        version = SummaryVersion(**known, counter=counter, follows=follows)
        version.__dict__["tokens"] = tokens  # counted before: not counted again
        space.summaries.append(version, maker.summary_wording)


def _read_requests(
    values: Sequence[Any],
    space: MemorySpace,
    timeline: Timeline,
    named: Mapping[str, int],
    compactions: tuple[Compaction, ...],
) -> list[TurnRecord]:
    found: list[TurnRecord] = []
    over = Reading(space, timeline.strategy, named, compactions)
    for number, value in enumerate(values):
        if timeline.earlier and isinstance(value, Mapping):
            strategy = timeline.at(value.get("turn", 0)).strategy
            over = Reading(space, strategy, named, compactions)
        found.append(TurnRecord.from_dict(value, over, "requests", number))
    return found


def _read_pending(value: Mapping[str, Any], over: Reading) -> TurnRecord:
    """The pending request, over a space of its own that has the summaries that are foreseen as well."""
    fields = read(_Pending, value, over, "pending")
    space = over.space.apart()
    makers = [over.strategy] * len(fields.foreseen)
    _add_summaries(
        space, fields.foreseen_summaries, fields.foreseen, makers, over.strategy
    )
    apart = Reading(space, over.strategy, over.there_are)
    foreseen = [
        Compaction.from_dict(one, apart, "pending", "foreseen", number)
        for number, one in enumerate(value.get("foreseen", ()))
    ]
    made = [*over.compactions, *foreseen]
    record = Reading(space, over.strategy, over.there_are, made)
    return TurnRecord.from_dict(value, record, "pending")


def _expect_whole(requests: Sequence[TurnRecord], head: _Head, log: Log) -> None:
    """Raise unless the turns are numbered from 1 on without a gap, but for those that nobody answered, and so are the
    calls of each; and earlier settings follow each other."""
    turn = call = 0
    for sent in requests:
        call = call + 1 if sent.turn == turn else 1
        skipped = range(turn + 1, sent.turn)
        if sent.turn < turn or any(log.requests_of(log.turn(one)) for one in skipped):
            raise DamagedRecordError("a turn is missing")
        turn = sent.turn
        if sent.call != call:
            raise DamagedRecordError(f"a request of turn {turn} is missing")
    turns = [setting.last_turn for setting in head.earlier_settings]
    made = [setting.compactions for setting in head.earlier_settings]
    made.append(len(head.compactions))
    if turns != sorted(turns) or made != sorted(made):
        raise DamagedRecordError("its earlier settings are not in order")
