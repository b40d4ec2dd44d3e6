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
from memviz.engine.stored_requests import read_requests
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
    return {"earlier_settings": [write(setting) for setting in run.earlier_settings]}


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
        return [_summary_to_dict(version) for version in run.summaries[start:]]
    if kind == "compaction":
        return [compaction.to_dict() for compaction in run.compactions[start:]]
    records: list[dict[str, Any]] = []
    compactions_of = dict(run.requests.compactions())
    first = 0
    for number in range(len(run.requests)):
        compactions = compactions_of.get(number, ())
        if compactions:
            first = run.number_of(compactions[0])
        if number >= start:
            records.append(run.requests[number].to_dict(first))
        first += len(compactions)
    return records


def _pending_to_dict(run: Recorded, record: TurnRecord) -> dict[str, Any]:
    """The pending request with what is foreseen; its compactions are the last of the run's and then those."""
    summaries = record.memory.space.summaries.versions[len(run.summaries) :]
    first = len(run.compactions) + len(run.foreseen) - len(record.compactions)
    fields = record.to_dict(first)
    if run.foreseen:
        fields["foreseen"] = [compaction.to_dict() for compaction in run.foreseen]
    if summaries:
        fields["foreseen_summaries"] = [
            _summary_to_dict(version) for version in summaries
        ]
    return fields


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
    counts = _count_what_is_there(value, log)
    head = read(_Head, value, counts)
    ahead = read(_Ahead, value, counts)
    strategy = make_strategy(setting.strategy.id, **setting.strategy.parameters)
    its_counter = find_counter(counter or setting.counter)
    space = _space_of(setting, log, strategy, its_counter)
    timeline = Timeline(strategy, its_counter.name, tuple(head.earlier_settings))
    makers = timeline.find_makers(head.compactions)
    _add_summaries(space, head.summaries, head.compactions, makers, strategy)
    compactions: list[Compaction] = []
    for fields, maker in zip(value["compactions"], makers, strict=True):
        over = Reading(space, maker, counts)
        number = len(compactions)
        compactions.append(Compaction.from_dict(fields, over, "compactions", number))
    requests = read_requests(head.requests, space, timeline, counts, compactions)
    _expect_in_order(head)
    pending = None
    if ahead.pending is not None:
        over = Reading(space, strategy, counts, compactions)
        pending = _read_pending(ahead.pending, over)
    return {
        "strategy": strategy,
        "space": space,
        "requests": requests,
        "compactions": tuple(compactions),
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
    origin_of_version = {}
    for origin, maker in zip(origins, makers, strict=True):
        origin_of_version[origin.version] = origin.before.summary_count, maker
    for fields in summaries:
        if fields.version != len(space.summaries) + 1:
            raise DamagedRecordError("a summary is missing")
        follows, maker = origin_of_version.get(fields.version, (None, strategy))
        values = vars(fields)
        tokens = values.pop("tokens")
        counter = space.summaries.counter
        version = SummaryVersion(**values, counter=counter, follows=follows)
        version.__dict__["tokens"] = tokens  # counted before: not counted again
        space.summaries.append(version, maker.summary_wording)


def _read_pending(value: Mapping[str, Any], over: Reading) -> TurnRecord:
    """The pending request, over a space of its own that has the summaries that are foreseen as well."""
    fields = read(_Pending, value, over, "pending")
    space = over.space.apart()
    makers = [over.strategy] * len(fields.foreseen)
    _add_summaries(
        space, fields.foreseen_summaries, fields.foreseen, makers, over.strategy
    )
    apart = Reading(space, over.strategy, over.counts)
    compactions = [*over.compactions]
    for number, stored in enumerate(value.get("foreseen", ())):
        compaction = Compaction.from_dict(stored, apart, "pending", "foreseen", number)
        compactions.append(compaction)
    with_foreseen = Reading(space, over.strategy, over.counts, compactions)
    return TurnRecord.from_dict(value, with_foreseen, "pending")


def _expect_in_order(head: _Head) -> None:
    """Raise unless the earlier settings follow each other."""
    last_turns = [setting.last_turn for setting in head.earlier_settings]
    counts = [setting.compactions for setting in head.earlier_settings]
    counts.append(len(head.compactions))
    if last_turns != sorted(last_turns) or counts != sorted(counts):
        raise DamagedRecordError("its earlier settings are not in order")
