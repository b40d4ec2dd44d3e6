"""Switches a live chat to another setting without rewriting what was recorded before.

The Chat page calls it through :class:`memviz.engine.other_settings.OtherSettings`. The requests so far stay as
they were sent, with the compactions and summaries of their setting. A new setting processes the conversation from its
first message on, which may call the summarizer. A setting that was used before goes on where it was left, with the
summaries that the user edited under it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memviz.core.memory import MemorySpace
from memviz.engine.compaction import Compaction
from memviz.engine.part_tokens import count_tokens_by_part
from memviz.engine.records import TurnRecord, memory_at
from memviz.engine.replay import play
from memviz.engine.requests import Requests
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.engine.setting import Setting, new_space
from memviz.engine.timeline import EarlierSetting


def was_asked(run: Run) -> bool:
    """Return whether any recorded request was really sent to a model.

    The requests of an imported conversation are only derived: a setting *would* have sent them. They may be derived
    again under another one.
    """
    return any(record.facts is not None for record in run.requests)


def switch_setting(run: Run, setting: Setting) -> tuple[Session, Iterator[int]]:
    """Return a session that continues the conversation of ``run`` under another ``setting``, over a log of its own.

    The iterator plays the messages that the setting has not processed yet and yields their turns, as
    :func:`memviz.engine.replay.begin_replay` does.
    """
    last_turn = run.requests[-1].turn
    earlier_settings = run.timeline.leave_setting(
        last_turn, len(run.compactions)
    ).earlier
    processed_messages = _count_processed_messages(run, earlier_settings, setting)
    switched_run = _move_to_setting(run, setting, earlier_settings)
    session = Session.resume(
        switched_run, setting.summarizer, repair_tool_pairs=setting.repair_tool_pairs
    )
    # Resuming gives the memory of the last request; the setting's own is that of where it was left.
    session.memory = memory_at(
        session.space, session.own_compactions, processed_messages
    )
    return session, play(session, lambda request: None)


def _count_processed_messages(
    run: Run, earlier_settings: Sequence[EarlierSetting], setting: Setting
) -> int:
    """Return how many messages the log had when the setting was last used; 0 if it never was."""
    last_turn = 0
    for earlier in earlier_settings:
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


def _move_to_setting(
    run: Run, setting: Setting, earlier_settings: Sequence[EarlierSetting]
) -> Run:
    """Return the records of ``run`` as the beginning of a run under the new setting.

    Their tokens are counted again if its counter is another one, and nothing else changes.
    """
    strategy = setting.strategy
    counter = setting.counter
    has_other_counter = counter.name != run.counter.name
    space = new_space(run.log, setting)

    # The summaries so far keep their versions in the new space.
    compactions = run.compactions[: earlier_settings[-1].compactions]
    for compaction in compactions:
        version = compaction.written
        if version is not None:
            if has_other_counter:
                version = replace(version, counter=counter)
            space.summaries.append(version, compaction.strategy.summary_wording)

    # A switch back to the setting that was just left continues it.
    if earlier_settings[-1].identity == (strategy, counter.name):
        earlier_settings = earlier_settings[:-1]
    moved_run = replace(
        run,
        strategy=strategy,
        space=space,
        compactions=compactions,
        earlier_settings=tuple(earlier_settings),
        pending=None,
    )
    return _recount_tokens(moved_run) if has_other_counter else moved_run


def _recount_tokens(run: Run) -> Run:
    """Return ``run`` with all tokens counted by the counter of its space."""
    space = run.space
    compactions = [_move_compaction(compaction, run) for compaction in run.compactions]
    requests = []
    for record in run.requests:
        memory = record.memory._replace(space=space)
        counted = replace(
            record,
            memory=memory,
            tokens=count_tokens_by_part(memory, record.parts, record.thoughts),
            reply_tokens=_count_reply_tokens(record, space),
        )
        requests.append(counted)
    records, _ = run.timeline.assign_compactions(requests, compactions)
    return replace(run, requests=Requests.of(records), compactions=tuple(compactions))


def _count_reply_tokens(record: TurnRecord, space: MemorySpace) -> int:
    """Return the tokens of the reply to a request under the counter of ``space``."""
    # A thought is in no log, so it keeps the count that it has.
    if record.kind == "thinking":
        return record.reply_tokens
    start = record.log_length
    stop = space.log.reply_stop(record.log_length)
    return space.sums.reply_totals[stop] - space.sums.reply_totals[start]


def _move_compaction(compaction: Compaction, run: Run) -> Compaction:
    """Return the compaction over the space of ``run``; it counts its tokens when they are first read."""
    summary_version = compaction.written
    if summary_version is not None:
        summary_version = run.space.summaries.versions[summary_version.version - 1]
    before = compaction.before._replace(space=run.space)
    after = compaction.after._replace(space=run.space)
    return replace(compaction, before=before, after=after, written=summary_version)
