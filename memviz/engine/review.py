"""Carries out what the user decides about summaries.

In a chat with review a summary waits until the user accepts, edits or skips it. Any summary in use can be edited later,
and a summarization can be undone: the log still has every message. :class:`memviz.engine.chat.Chat` calls these
functions with its session.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from memviz.core.errors import ReviewError
from memviz.core.messages import clean_text
from memviz.core.model_errors import BudgetSpentError
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import _
from memviz.engine.assembly import assemble
from memviz.engine.compaction import REDUCING, Compaction
from memviz.engine.drafts import INTERRUPTED, Draft
from memviz.engine.effects import ask, carry_out_effects
from memviz.engine.records import memory_at
from memviz.engine.session import Session
from memviz.engine.state import ChangeDetails, PendingSummarization
from memviz.strategies.base import Write
from memviz.strategies.library import LibraryStrategy

EDITED = "edited by the user"
UNDONE = "undone by the user"
WRITTEN_BY_USER = "; written by the user"


def propose(session: Session, instruction: str | None = None) -> Draft:
    """Ask the summarizer for the summary that is pending, with another ``instruction`` if one is given.

    A failure becomes the draft's error. An interruption does too, and is raised as well. Either can be tried again, and
    every draft is kept, as it may have cost something.
    """
    pending = _expect_pending(session)
    if session.summarizer is None:
        raise ReviewError(
            _("There is no summarizer to ask. Write the summary yourself, or skip it.")
        )
    started = perf_counter()
    draft = None
    earlier: list[Draft] = []
    try:
        *earlier, draft = ask(session, pending.plan, instruction)
    except BudgetSpentError as failure:  # nobody was asked
        name = session.summarizer.name
        draft = Draft(error=str(failure), instruction=instruction, model=name)
    finally:
        if draft is None:
            # Ctrl-C, a stopped page: the call may have cost something.
            draft = Draft(
                error=INTERRUPTED,
                instruction=instruction,
                seconds=perf_counter() - started,
                model=session.summarizer.name,
            )
        session.pending = pending._replace(drafts=(*pending.drafts, *earlier, draft))
    return draft


def propose_again(session: Session, drafts: tuple[Draft, ...]) -> None:
    """Make the summarization of a resumed chat pending again, with the ``drafts`` that it had.

    :attr:`Session.review` has to be on, so no summarizer is asked.
    """
    log = session.log
    if not log.turn_count or session.reply_was_stopped:
        return  # a stopped reply is summarized with the messages that follow it
    start = log.turn_start(log.turn_count)
    own_compactions = session.own_compactions
    length = max(start, own_compactions[-1].after.length) if own_compactions else start
    session.memory = memory_at(session.space, own_compactions, length)
    if length == start:
        # The last answer may have made the summary of its turn due.
        session.catch_up(start)
    session.catch_up(len(log))
    if log[-1].role == "user":
        session.look_before_request()
    if session.pending is not None and drafts:
        session.pending = session.pending._replace(drafts=drafts)


def accept(session: Session, text: str | None = None) -> None:
    """Use the newest draft as the summary; ``text`` is the user's wording in its place.

    Raises :class:`ReviewError` where nothing is pending, or where there is neither a draft nor a text.
    """
    pending = _expect_pending(session)
    wording = None if text is None else check_wording(text)
    usable_drafts = [draft for draft in pending.drafts if draft.error is None]
    if not usable_drafts and wording is None:
        raise ReviewError(
            _("No summary was written yet. Ask for one, or write it yourself.")
        )
    chosen = usable_drafts[-1] if usable_drafts else None
    others = tuple(draft for draft in _drafts_of(pending) if draft is not chosen)
    _end_waiting(session, pending)
    if chosen is None:
        plan = replace(pending.plan, reason=pending.plan.reason + WRITTEN_BY_USER)
        details = ChangeDetails(kind="edit", discarded=others)
        session.apply(plan, Draft(wording or ""), details)
    else:
        if wording == chosen.text:
            wording = None
        details = ChangeDetails(discarded=others)
        session.apply(pending.plan, chosen, details, wording=wording)
    carry_out_effects(session, pending.rest)


def skip(session: Session) -> None:
    """Leave the messages as they are. The strategy tries again in a later turn."""
    pending = _expect_pending(session)
    _end_waiting(session, pending)
    details = ChangeDetails(kind="skip", discarded=_drafts_of(pending))
    session.record_unchanged(pending.plan, Draft(), details)


def _drafts_of(pending: PendingSummarization) -> tuple[Draft, ...]:
    """Return the drafts that the summarizer was asked for."""
    return tuple(draft for draft in pending.drafts if not draft.by_thinking)


def _end_waiting(session: Session, pending: PendingSummarization) -> None:
    session.pending = None
    if any(draft.by_thinking for draft in pending.drafts):
        # The chat model's own summary was among the drafts, and is decided on with them.
        session.thinking_summary = None


def list_summaries_in_force(session: Session) -> list[SummaryVersion]:
    """Return the summaries that the next request would send, in order. Of a store of facts these are all of them."""
    pieces = session.strategy.select(session.memory)
    summaries = session.space.summaries
    versions: list[SummaryVersion] = []
    for notes in assemble(session.memory, pieces).notes:
        versions += summaries.in_block(notes.start, notes.stop)
    strategy = session.strategy
    if not versions and strategy.writes_notes and strategy.summary_heading:
        # A store sends few of its notes at a time, and any of them may be the next.
        return summaries.in_block(0, session.memory.summary_count)
    return versions


def edit(session: Session, number: int, text: str) -> None:
    """Replace version ``number`` of the summary by the user's wording, as a new version, from now on.

    What was sent until now stays on record. Raises :class:`ReviewError` for a version that is no longer sent.
    """
    _expect_nothing_pending(session)
    _expect_own_notes(session)
    wording = check_wording(text)
    versions_in_force = {
        version.version: version for version in list_summaries_in_force(session)
    }
    old = versions_in_force.get(number)
    if old is None:
        raise ReviewError(
            _(
                "Version {number} of the summary is not sent any more, so there is nothing to edit.",
                number=number,
            )
        )
    if wording == old.text:
        return
    memory = session.memory
    versions = session.space.summaries.versions
    new_version = session.new_version(
        turn=old.turn,
        text=wording,
        covers=old.covers,
        added=old.added,
        replaces=old.replaces,
        track=old.track,
    )
    replaced = versions[old.replaces - 1] if old.replaces else None
    plan = Write(old.added, memory.cursor, EDITED, replaced)
    after = memory._replace(summary_count=new_version.version)
    session.replace_memory(
        plan,
        after,
        Draft(),
        ChangeDetails(kind="edit", proposed=old.text, revises=number),
        written=new_version,
    )


def decisions_since(session: Session, length: int) -> list[Compaction]:
    """Return the edits and undos of the user that were made when the log had ``length`` messages or more."""
    return [
        compaction
        for compaction in session.own_compactions
        if compaction.after_message >= length and compaction.revises is not None
    ]


def decide_again(session: Session, decisions: Sequence[Compaction]) -> None:
    """Repeat the user's ``decisions`` after the log was cut, as far as they apply: an edit if the same text is in use,
    an undo if the same summarization is the last."""
    for decision in decisions:
        if decision.kind == "edit" and decision.summary is not None:
            for version in reversed(list_summaries_in_force(session)):
                if version.text == decision.proposed:
                    edit(session, version.version, decision.summary)
                    break
        last = find_undoable(session.own_compactions)
        if decision.kind == "undo" and last and last.version == decision.revises:
            undo(session)


def find_undoable(compactions: Sequence[Compaction]) -> Compaction | None:
    """Return the last summarization or edit that was not undone yet."""
    not_undone: list[Compaction] = []
    for compaction in compactions:
        if compaction.kind == "undo":
            not_undone.pop()
        # A reduction cannot be undone: the next request would reduce the messages again.
        elif compaction.changes_memory and compaction.kind not in REDUCING:
            not_undone.append(compaction)
    return not_undone[-1] if not_undone else None


def undo(session: Session) -> Compaction:
    """Undo the last summarization or edit, and return it. Its messages are sent word for word again.

    Raises :class:`ReviewError` if there is none.
    """
    _expect_nothing_pending(session)
    _expect_own_notes(session)
    last = find_undoable(session.own_compactions)
    if last is None:
        raise ReviewError(_("Nothing was summarized yet, so there is nothing to undo."))
    memory = session.memory
    before = last.before
    after = memory._replace(summary_count=before.summary_count, cursor=before.cursor)
    plan = Write(last.summarized, before.cursor, UNDONE)
    details = ChangeDetails(kind="undo", revises=last.version)
    session.replace_memory(plan, after, Draft(), details)
    return last


def _expect_pending(session: Session) -> PendingSummarization:
    if session.pending is None:
        raise ReviewError(_("No summarization is waiting for a decision."))
    return session.pending


def _expect_nothing_pending(session: Session) -> None:
    """Raise if a summarization is pending: it was planned for the present memory, which may not change until then."""
    if session.pending is not None:
        raise ReviewError(_("A summarization waits: accept or skip it first."))


def _expect_own_notes(session: Session) -> None:
    """Raise if a library runs the memory: it keeps its summaries itself, so an edit would change nothing."""
    if isinstance(session.strategy, LibraryStrategy):
        raise ReviewError(
            _(
                "{title} keeps its summaries itself, so they cannot be changed here.",
                title=_(session.strategy.title),
            )
        )


def check_wording(text: str) -> str:
    """Return the user's text as a summary has it. Raises :class:`ReviewError` if it is empty."""
    wording = clean_text(text).strip()
    if not wording:
        raise ReviewError(_("The summary is empty. Write something, or skip it."))
    return wording
