"""Store conversations that grow while their programs run.

``memviz watch`` reads the logs of programs such as Claude Code and adds new messages here. How far a log was read is
stored in the same transaction as its messages, so that a restart neither loses nor repeats any.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import func, select
from sqlmodel import Session

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.translation import to_json
from memviz.storage import library
from memviz.storage.kept_values import all_of, put, under
from memviz.storage.library import insert_rows, now, stored_message_rows
from memviz.storage.runs import remove_messages
from memviz.storage.tables import (
    CONVERSATIONS,
    KEPT,
    MESSAGES,
    ConversationRow,
    Row,
    clean_row,
    count_unchanged,
    message_rows,
)
from memviz.transcripts.base import ProgramUse, RecordedEvent, Transcript


class WatchState(ProgramUse, total=False):
    """The notes of the reader that watches a conversation, kept as JSON beside it. A
    reader that begins anew, also in another process, goes on from them."""

    source: str
    """The program, or the way by which it came: "codex", "proxy"."""
    title: str
    """The title that the program gave last; its user may have given another one."""
    is_titled: bool
    folder: str | None
    """A digest of the folder that the session's file is in."""
    place: Mapping[str, Any]
    """The place up to which the session was read: its ``messages`` and ``events``, and
    what else its reader needs to find it again."""
    keys: Sequence[str]
    """The newest messages, each by its id or by a digest of what it says."""
    usage: Mapping[str, Any]
    """The tokens of the last request, as the provider counted them."""
    problem: Any
    """The reason why something is not kept, as ``to_json`` writes it; empty for none."""


class WatchedConversation(NamedTuple):
    """A conversation that is watched, as the file has it."""

    id: str
    """Of the conversation in the library."""
    key: str
    """Its program and the name that it has there: "codex/01a2299e"."""
    message_count: int
    event_count: int
    state: WatchState
    title: str
    grown_at: datetime
    is_deleted: bool = False


@dataclass(frozen=True)
class Growth:
    """The messages and events by which a watched conversation grows."""

    start: int
    """The position from which on ``messages`` stand; those that stood there before and
    are other ones make room."""
    messages: Sequence[Message]
    state: WatchState
    """Entries that take the place of those of the same name."""
    events: Sequence[RecordedEvent] = ()
    first_event: int | None = None
    """So many earlier events stay; ``None``: all."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of the transcript that are known now, such as its title."""


def id_of(key: str) -> str:
    """Return the id under which the library has the conversation of this key."""
    return str(uuid5(NAMESPACE_URL, f"memviz-watch:{key}"))


def find_watched(session: Session, key: str) -> WatchedConversation | None:
    """The watched conversation of this key, deleted or not; ``None`` if it was never
    watched."""
    return _clean_texts(session, session.get(ConversationRow, id_of(key)), key)


def _clean_texts(
    session: Session, stored: ConversationRow | None, key: str
) -> WatchedConversation | None:
    if stored is None:
        return None
    kept = all_of(session, "watched", *under(key, stored.id))
    return _make_watched(stored, key, kept[0].value if kept else None)


def find_newest(session: Session, limit: int = 50) -> list[WatchedConversation]:
    """The watched conversations that are not deleted, those that grew last first."""
    query = (
        select(ConversationRow)
        .join(KEPT, KEPT.c.owner == CONVERSATIONS.c.id)
        .where(KEPT.c.kind == "watched", CONVERSATIONS.c.deleted_at.is_(None))
        .order_by(*library.NEWEST_FIRST)
        .limit(limit)
    )
    newest = session.scalars(query).all()
    ids = [stored.id for stored in newest]
    kept = all_of(session, "watched", KEPT.c.owner.in_(ids))
    kept_of = {id_of(entry.key): entry for entry in kept}
    conversations = []
    for stored in newest:
        entry = kept_of[stored.id]
        conversations.append(_make_watched(stored, entry.key, entry.value))
    return conversations


def _make_watched(
    stored: ConversationRow, key: str, state: object
) -> WatchedConversation:
    return WatchedConversation(
        stored.id,
        key,
        stored.message_count,
        len(stored.events or ()),
        cast("WatchState", state if isinstance(state, dict) else {}),
        stored.title,
        stored.updated_at,
        stored.deleted_at is not None,
    )


def grow_conversation(
    session: Session,
    key: str,
    plan: Callable[[WatchedConversation | None], Growth | None],
) -> WatchedConversation | None:
    """Ask ``plan`` what is to be added to the conversation of this key, and add it.

    ``plan`` sees what the file has and nobody else can write meanwhile, so two processes
    that read the same session add nothing twice. ``None`` of it adds nothing; so does a
    conversation that was deleted. Returns what the file has then.
    """
    # Held here: the session forgets rows that nobody holds, and would read it again.
    stored = session.get(ConversationRow, id_of(key))
    before = _clean_texts(session, stored, key)
    if before is not None and before.is_deleted:
        return None
    growth = plan(before)
    if growth is None:
        return before
    if stored is None:
        about = {"title": key, "format": key.partition("/")[0], **growth.about}
        library.add(session, Transcript((), **about), id_of(key))
        stored = session.get_one(ConversationRow, id_of(key))
    start = min(growth.start, stored.message_count)
    old: Sequence[Mapping[Any, Any]] = ()
    if start < stored.message_count:
        old = list(stored_message_rows(session, stored.id, start=start))
    counts = _counts_after(session, stored, start, old, growth.messages)
    _write_messages(session, stored.id, start, old, growth.messages)
    events = list(stored.events or ())[: growth.first_event]
    events += [event.to_dict() for event in growth.events]
    earlier_state: WatchState = before.state if before is not None else {}
    state: WatchState = {**earlier_state, **growth.state}
    changes = _changes_by(growth, state)
    if "title" in changes:
        state["title"] = changes["title"]
    stored.sqlmodel_update(changes | counts | {"events": events, "updated_at": now()})
    put(session, "watched", key, state, owner=stored.id)
    return _make_watched(stored, key, state)


def _changes_by(growth: Growth, state: WatchState) -> Row:
    """Return the fields of a conversation that a growth changes. A title that its program
    gave before changes none: its user may have given it another one since."""
    changes = clean_row(**growth.about)
    for name in ("warnings", "tools"):
        if name in changes:
            changes[name] = list(map(to_json, changes[name]))
    if "title" in changes and changes["title"] == state.get("title"):
        del changes["title"]
    return changes


def _write_messages(
    session: Session,
    id: str,
    start: int,
    old: Sequence[Mapping[Any, Any]],
    messages: Sequence[Message],
) -> None:
    """Write what is new, or another than the ``old`` rows from ``start`` on; runs over
    messages that are gone go with them."""
    made = message_rows(id, messages, start)
    same = count_unchanged(old, made)
    if same < len(old):
        remove_messages(session, id, start + same)
    insert_rows(session, MESSAGES, made[same:])


def _counts_after(
    session: Session,
    stored: ConversationRow,
    start: int,
    old: Sequence[Mapping[Any, Any]],
    messages: Sequence[Message],
) -> Row:
    """The counts of the conversation with ``messages`` in place of the ``old`` rows from
    ``start`` on.

    Only what stands there is looked at, and who spoke before it: a log of a hundred
    thousand messages is not counted again for each one.
    """
    of_it = MESSAGES.c.conversation_id == stored.id
    roles = select(MESSAGES.c.role).where(of_it).order_by(MESSAGES.c.position)
    before = of_it, MESSAGES.c.position < start
    spoke_last = session.scalar(
        select(func.max(MESSAGES.c.position)).where(
            *before, MESSAGES.c.role != "system"
        )
    )
    asked = select(MESSAGES.c.position).where(*before, MESSAGES.c.role == "user")
    seed = ["user"] if session.scalar(asked.limit(1)) is not None else []
    end = MESSAGES.c.position.between(spoke_last or 0, start - 1)
    seed += session.scalars(roles.where(end))
    gone = _count_roles([*seed, *(row["role"] for row in old)])
    there = _count_roles([*seed, *(message.role for message in messages)])
    return {
        "message_count": start + len(messages),
        "turn_count": stored.turn_count - gone.turn_count + there.turn_count,
        "request_count": stored.request_count
        - gone.request_count
        + there.request_count,
    }


def _count_roles(roles: Sequence[str]) -> Log:
    return Log(Message(role, "") for role in roles)
