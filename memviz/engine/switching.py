"""A chat goes on under another setting: what its memory would be by now is derived, and nothing that was is rewritten.

What was recorded until then stays as it was sent, with the compactions and summaries of its setting. The new setting
takes in the conversation from its first message on, which may call the summarizer; one that was in force before goes on
from where it was left, with all that the user reworded under it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memviz.core.memory import MemorySpace
from memviz.engine.compaction import Compaction
from memviz.engine.part_tokens import tokens_by_part
from memviz.engine.records import TurnRecord, memory_at
from memviz.engine.replay import play
from memviz.engine.requests import Requests
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.engine.setting import Setting, new_space
from memviz.engine.timeline import EarlierSetting


def was_asked(run: Run) -> bool:
    """True if a model was sent any request that is on record. Those of a conversation that was held elsewhere are only
    what a setting would have sent, so they may be derived again under another one."""
    return any(record.facts is not None for record in run.requests)


def switched(held: Run, setting: Setting) -> tuple[Session, Iterator[int]]:
    """A session that goes on with the conversation of ``held`` under another ``setting``, over a log of its
    own, and the turns that are still to be taken in, as :func:`memviz.engine.replay.begin_replay` gives them."""
    last_turn = held.requests[-1].turn
    before = held.timeline.left(last_turn, len(held.compactions)).earlier
    start = _taken_in(held, before, setting)
    run = _recounted(held, setting, before)
    session = Session.resume(
        run, setting.summarizer, repair_tool_pairs=setting.repair_tool_pairs
    )
    session.memory = memory_at(session.space, session.own_compactions, start)
    return session, play(session, lambda request: None)


def _taken_in(run: Run, before: Sequence[EarlierSetting], setting: Setting) -> int:
    """The number of messages that the setting had taken in when it was last in force; 0 for one that never was."""
    last_turn = 0
    for earlier in before:
        if earlier.identity == (setting.strategy, setting.counter.name):
            last_turn = earlier.last_turn
    if not last_turn:
        return 0
    lengths = [
        record.memory.length for record in run.requests if record.turn == last_turn
    ]
    compactions = run.compactions_at(last_turn)
    if compactions:
        lengths.append(compactions[-1].after.length)
    return max(lengths)


def _recounted(held: Run, setting: Setting, before: Sequence[EarlierSetting]) -> Run:
    """The records as the beginning of a run under the new setting: counted by its counter, else unchanged."""
    strategy = setting.strategy
    counter = setting.counter
    space = new_space(held.log, setting)
    compactions = held.compactions[: before[-1].compactions]
    for compaction in compactions:
        version = compaction.written
        if version is not None:
            if counter.name != held.counter.name:
                version = replace(version, counter=counter)
            space.summaries.append(version, compaction.strategy.summary_wording)
    if before[-1].identity == (strategy, counter.name):
        before = before[:-1]
    settings = tuple(before)
    run = replace(
        held,
        strategy=strategy,
        space=space,
        compactions=compactions,
        earlier_settings=settings,
        pending=None,
    )
    if counter.name == held.counter.name:
        return run
    return _with_new_counts(run)


def _with_new_counts(run: Run) -> Run:
    space = run.space
    compactions = [_in_space(compaction, run) for compaction in run.compactions]
    requests = []
    for record in run.requests:
        memory = record.memory._replace(space=space)
        counted = replace(
            record,
            memory=memory,
            tokens=tokens_by_part(memory, record.parts, record.thoughts),
            reply_tokens=_reply_tokens(record, space),
        )
        requests.append(counted)
    records, _ = run.timeline.assign_compactions(requests, compactions)
    return replace(run, requests=Requests.of(records), compactions=tuple(compactions))


def _reply_tokens(record: TurnRecord, space: MemorySpace) -> int:
    """The tokens of the reply to a request under the counter of ``space``. That of a round of thinking is in no
    log, and stays as it was counted."""
    if record.kind == "thinking":
        return record.reply_tokens
    start = record.log_length
    stop = space.log.reply_stop(record.log_length)
    return space.sums.reply_totals[stop] - space.sums.reply_totals[start]


def _in_space(compaction: Compaction, run: Run) -> Compaction:
    """The compaction over the space of ``run``; what it counts is counted when it is asked for."""
    summary_version = compaction.written
    if summary_version is not None:
        summary_version = run.space.summaries.versions[summary_version.version - 1]
    before = compaction.before._replace(space=run.space)
    after = compaction.after._replace(space=run.space)
    return replace(compaction, before=before, after=after, written=summary_version)
