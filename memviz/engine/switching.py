"""A chat goes on under another setting: what its memory would be by now is derived, and nothing that was is rewritten.

What was recorded until then stays as it was sent, with the compactions and summaries of its setting. The new setting
takes in the conversation from its first message on, which may call the summarizer; one that was in force before goes on
from where it was left, with all that the user reworded under it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memviz.counters import Counter
from memviz.engine.assembly import count
from memviz.engine.calls import thoughts
from memviz.engine.compaction import Compaction
from memviz.engine.records import memory_at, with_their_compactions
from memviz.engine.replay import play
from memviz.engine.run import Run
from memviz.engine.session import Session, new_space
from memviz.engine.settings_before import EarlierSetting
from memviz.models.base import Model
from memviz.strategies.base import Strategy


def was_asked(run: Run) -> bool:
    """Whether a model was sent any request that is on record. Those of a conversation that was held elsewhere are only
    what a setting would have sent, so they may be derived again under another one."""
    return any(record.facts is not None for record in run.turns)


def switched(
    held: Run, strategy: Strategy, counter: Counter, summarizer: Model | None, *, repair_tool_pairs: bool
) -> tuple[Session, Iterator[int]]:
    """A session that goes on with the conversation of ``held`` under ``strategy`` and ``counter``, over a log of its
    own, and the turns that are still to be taken in, as :func:`memviz.engine.replay.begun` gives them."""
    before = _before(held)
    start = _taken_in(held, before, strategy, counter)
    run = _recounted(held, strategy, counter, before)
    session = Session.resume(run, summarizer, repair_tool_pairs=repair_tool_pairs)
    session.memory = memory_at(session.space, session.own_compactions, start)
    return session, _catch_up(session, start)


def _before(held: Run) -> tuple[EarlierSetting, ...]:
    """The settings so far. One under which no request was made leaves nothing behind."""
    earlier, last_turn = held.earlier_settings, held.turns[-1].turn
    if last_turn < held.first_turn:
        return earlier
    return (*earlier, EarlierSetting(held.strategy, held.counter.name, last_turn, len(held.compactions)))


def _taken_in(held: Run, before: Sequence[EarlierSetting], strategy: Strategy, counter: Counter) -> int:
    """How many messages the setting had taken in when it was last in force; 0 for one that never was."""
    mine = [setting for setting in before if setting.is_setting(strategy, counter.name)]
    if not mine:
        return 0
    last_turn = mine[-1].last_turn
    requested = next(record.memory.length for record in held.turns if record.turn == last_turn)
    done = held.compactions_at(last_turn)
    return max(requested, done[-1].after.length if done else 0)


def _recounted(held: Run, strategy: Strategy, counter: Counter, before: Sequence[EarlierSetting]) -> Run:
    """What was recorded, as the beginning of a run under the new setting: counted by its counter, else unchanged."""
    space = new_space(held.log, strategy, counter, held.system_prompt)
    made = held.compactions[: before[-1].compactions]
    for compaction in made:
        if compaction.written is not None:
            version = compaction.written
            if counter.name != held.counter.name:
                version = replace(version, counter=counter)
            space.summaries.append(version, compaction.strategy.summary_wording)
    if before[-1].is_setting(strategy, counter.name):
        before = before[:-1]
    run = replace(held, strategy=strategy, space=space, compactions=made, earlier_settings=tuple(before))
    if counter.name == held.counter.name:
        return run
    return _with_new_counts(run)


def _with_new_counts(run: Run) -> Run:
    space = run.space
    totals = space.sums.reply_totals
    compactions = [_in_space(compaction, run) for compaction in run.compactions]
    turns = []
    for record in run.turns:
        memory, turn = record.memory._replace(space=space), run.log.turn(record.turn)
        turns.append(
            replace(
                record,
                memory=memory,
                tokens=count(memory, record.parts, thoughts(record.calls)),
                reply_tokens=totals[turn.stop] - totals[turn.asked],
            )
        )
    counted, _ = with_their_compactions(turns, compactions, run.strategy, run.counter.name, run.earlier_settings)
    return replace(run, turns=tuple(counted), compactions=tuple(compactions))


def _in_space(compaction: Compaction, run: Run) -> Compaction:
    """The same over the space of ``run``; what it counts is counted when it is asked for."""
    before, after = (memory._replace(space=run.space) for memory in (compaction.before, compaction.after))
    written = run.space.summaries.versions[compaction.version - 1] if compaction.version else None
    return replace(compaction, before=before, after=after, written=written)


def _catch_up(session: Session, start: int) -> Iterator[int]:
    """Take in what was said since; gives the number of each turn when it is done."""
    if not start:
        yield from play(session, lambda turn: None)
        return
    for turn in session.log.turns():
        if turn.stop <= start:
            continue
        if session.memory.length < turn.asked:
            session.advance(turn.asked)
            session.look_before_request()
        if turn.stop > turn.asked:  # without an answer the turn is still open
            session.advance(turn.stop)
            session.complete_turn()
        yield turn.number
    session.advance(len(session.log))
