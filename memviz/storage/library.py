"""Conversations in the database: add, list, search, read, delete for good."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Table,
    and_,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlmodel import Session

from memviz.core.messages import Message, clean_text
from memviz.core.process_memory import uncollected
from memviz.core.storage_errors import StorageError, UnreadableConversationError
from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.core.turns import count_turns
from memviz.storage.dialects import HoldsFolded, IsDate
from memviz.storage.entries import (
    RAW_ENTRIES,
    ConversationEntry,
    UnreadableConversation,
    entry_of,
)
from memviz.storage.tables import (
    CONVERSATIONS,
    DAMAGE,
    KEPT,
    MESSAGES,
    ConversationRow,
    Row,
    conversation_row,
    message_of,
    message_rows,
    transcript_of,
)
from memviz.transcripts.base import Probe, Transcript

ROWS_A_STATEMENT = 20_000
NO_STOP = 2**31 - 1
"""A position behind every message."""
IDS_A_QUERY = 10_000
DEFAULT_KEPT_DAYS = 30
"""For how many days a deleted conversation can be restored, unless said otherwise."""
_IS_DELETED = IsDate(CONVERSATIONS.c.deleted_at)
"""Only a date says so: one that is damaged hides no conversation."""
NEWEST_FIRST = (
    CONVERSATIONS.c.updated_at.desc(),
    CONVERSATIONS.c.created_at.desc(),
    CONVERSATIONS.c.id,
)


class Page(NamedTuple):
    """A part of the list of conversations: those that can be read, those that cannot, and how many there are in all."""

    entries: list[ConversationEntry]
    unreadable: list[UnreadableConversation]
    total: int


def now() -> datetime:
    """The time that is written to rows."""
    return datetime.now(UTC)


def insert_rows(session: Session, table: Table, made: Sequence[Row]) -> None:
    """Write many rows at once."""
    if made:
        session.execute(insert(table), made)


def find_conversation(session: Session, conversation_id: str) -> ConversationRow:
    """Return the row of a conversation that is not deleted. Raises :class:`StorageError`, also if it is damaged."""
    return session.get_one(ConversationRow, entry(session, conversation_id).id)


def _expect(session: Session, id: str, *, deleted: bool = False) -> str:
    """The id of a conversation that is there, damaged or not; a deleted one only where asked for."""
    id = clean_text(id)
    query = select(CONVERSATIONS.c.title, _IS_DELETED).where(CONVERSATIONS.c.id == id)
    stored = session.execute(query).first()
    if stored is None:
        raise StorageError(
            _("There is no conversation {id!r}. Choose one from the library.", id=id)
        )
    title, is_deleted = stored
    if is_deleted and not deleted:
        raise StorageError(
            _(
                "The conversation '{title}' was deleted. Restore it in the library first.",
                title=title,
            )
        )
    return id


def exists(session: Session, id: str) -> bool:
    """True if there is a conversation of this id that was not deleted."""
    this = CONVERSATIONS.c.id == clean_text(id)
    return (
        session.scalar(select(CONVERSATIONS.c.id).where(this, ~_IS_DELETED)) is not None
    )


def add(session: Session, transcript: Transcript, id: str | None = None) -> str:
    """Keep a conversation; returns its id, a new one unless it is given. One without messages is the
    start of a chat. A given ``id`` that is there already, deleted or not, is left as it is."""
    conversation_id = clean_text(id or str(uuid4()))
    add_missing(session, {conversation_id: transcript})
    return conversation_id


def add_missing(session: Session, by_id: Mapping[str, Transcript]) -> None:
    """Keep those of these conversations whose ids are not there, deleted or not. The last is the one changed last."""
    is_known = select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.id.in_(by_id))
    known = set(session.scalars(is_known))
    newest_first = reversed([id for id in by_id if id not in known])
    _write(session, {id: by_id[id] for id in newest_first})


def add_all(session: Session, transcripts: Sequence[Transcript]) -> list[str]:
    """Keep several conversations, all or none; returns their new ids. The first is the one changed last, so that a
    list shows them in the order given."""
    by_id = {str(uuid4()): transcript for transcript in transcripts}
    _write(session, by_id)
    return list(by_id)


def _write(session: Session, by_id: Mapping[str, Transcript]) -> None:
    time = now()
    made: list[Row] = []
    for number, (id, transcript) in enumerate(by_id.items()):
        at = time - timedelta(microseconds=number)
        about = conversation_row(transcript)
        made.append(about | {"id": id, "created_at": at, "updated_at": at})
    insert_rows(session, CONVERSATIONS, made)
    messages = (
        row
        for id, transcript in by_id.items()
        for row in message_rows(id, transcript.messages)
    )
    while batch := list(islice(messages, ROWS_A_STATEMENT)):
        insert_rows(session, MESSAGES, batch)


def matching(search: str) -> list[ColumnElement[bool]]:
    """The conditions for conversations that are not deleted and hold ``search`` in title or messages.

    Upper and lower case are the same; no character has a special meaning.
    """
    there = ~_IS_DELETED
    wanted = clean_text(search).casefold()
    if not wanted:
        return [there]
    said = select(MESSAGES.c.position).where(
        MESSAGES.c.conversation_id == CONVERSATIONS.c.id,
        HoldsFolded(MESSAGES.c.content, wanted),
    )
    is_titled = HoldsFolded(CONVERSATIONS.c.title, wanted)
    return [there, or_(is_titled, said.exists())]


def conversations(
    session: Session, search: str = "", limit: int = 50, offset: int = 0
) -> list[ConversationEntry]:
    """Conversations whose title or messages hold ``search`` (upper or lower case), the last changed first, without
    those that cannot be read."""
    return _parted(session, *matching(search), limit=limit, offset=offset)[0]


def entries(session: Session, ids: Sequence[str]) -> list[ConversationEntry]:
    """The entries of these conversations in lists, in their order; those that are not there are passed over."""
    by_id: dict[str, ConversationEntry] = {}
    for at in range(0, len(ids), IDS_A_QUERY):
        some = CONVERSATIONS.c.id.in_(ids[at : at + IDS_A_QUERY])
        by_id |= {entry.id: entry for entry in _parted(session, some)[0]}
    return [by_id[id] for id in ids if id in by_id]


def ids_of_format(session: Session, format: str) -> list[str]:
    """Ids of the conversations of this format that are not deleted, the oldest first."""
    table = CONVERSATIONS.c
    query = select(table.id).where(table.format == format, table.deleted_at.is_(None))
    return list(session.scalars(query.order_by(table.created_at, table.id)))


def entry(session: Session, id: str) -> ConversationEntry:
    """The entry of a conversation in lists. Raises :class:`StorageError` for an unknown id."""
    readable, unreadable = _parted(session, CONVERSATIONS.c.id == _expect(session, id))
    if unreadable:
        raise unreadable[0].error()
    return readable[0]


def _parted(
    session: Session, *conditions: ColumnElement[bool], limit: int = -1, offset: int = 0
) -> tuple[list[ConversationEntry], list[UnreadableConversation]]:
    """Those that can be read, and those that cannot."""
    query = (
        RAW_ENTRIES.where(*conditions)
        .order_by(*NEWEST_FIRST)
        .limit(None if limit < 0 else limit)
        .offset(offset)
    )
    all_entries = [entry_of(stored) for stored in session.execute(query).mappings()]
    readable = [entry for entry in all_entries if isinstance(entry, ConversationEntry)]
    return readable, [
        entry for entry in all_entries if isinstance(entry, UnreadableConversation)
    ]


def page(session: Session, search: str, limit: int, offset: int) -> Page:
    """``limit`` of the conversations that hold ``search``, from number ``offset`` (0-based) on, and how many do."""
    if not search:
        shown = _parted(session, *matching(""), limit=limit, offset=offset)
        return Page(*shown, count(session))
    # A search reads all messages, so it is done once, and not again for the number.
    query = select(CONVERSATIONS.c.id).where(*matching(search)).order_by(*NEWEST_FIRST)
    ids = session.scalars(query).all()
    shown = _parted(session, CONVERSATIONS.c.id.in_(ids[offset : offset + limit]))
    return Page(*shown, len(ids))


def count(session: Session, search: str = "") -> int:
    """The number of conversations, or of those that hold ``search``."""
    query = select(func.count()).select_from(CONVERSATIONS)
    return session.scalar(query.where(*matching(search))) or 0


def stored_message_rows(
    session: Session, conversation_id: str, stop: int = NO_STOP, start: int = 0
) -> Iterable[Mapping[Any, Any]]:
    """The rows of a conversation's messages from position ``start`` up to ``stop`` (excluded), in order."""
    query = (
        select(MESSAGES)
        .where(MESSAGES.c.conversation_id == conversation_id)
        .where(MESSAGES.c.position >= start, MESSAGES.c.position < stop)
        .order_by(MESSAGES.c.position)
    )
    # Fetched by and by: all rows of a long conversation at once would take as much memory again as its messages.
    by_and_by = query.execution_options(yield_per=ROWS_A_STATEMENT)
    return session.execute(by_and_by).mappings()


def messages(
    session: Session, conversation_id: str, stop: int = NO_STOP, start: int = 0
) -> list[Message]:
    """The messages of a conversation from position ``start`` up to ``stop`` (excluded). Raises
    :class:`UnreadableConversationError` where one is damaged or missing."""
    made: list[Message] = []
    try:
        with uncollected():
            for stored in stored_message_rows(session, conversation_id, stop, start):
                if stored["position"] != start + len(made):
                    raise LookupError(_("it is missing"))
                made.append(message_of(stored))
    except DAMAGE as error:
        title = select(CONVERSATIONS.c.title).where(
            CONVERSATIONS.c.id == conversation_id
        )
        problem = _(
            "message {number:,} is damaged ({error})",
            number=start + len(made) + 1,
            error=error,
        )
        raise UnreadableConversationError(
            str(session.scalar(title)), conversation_id, problem
        ) from error
    return made


def request_count(session: Session, conversation_id: str) -> int:
    """The number of calls of the model that a conversation took: more than its turns where tools were called, fewer
    where nobody answered."""
    query = select(CONVERSATIONS.c.request_count)
    this = CONVERSATIONS.c.id == clean_text(conversation_id)
    return session.scalar(query.where(this)) or 0


def conversation(session: Session, id: str, first: int | None = None) -> Transcript:
    """A conversation with its messages and probes, or of a longer one the beginning: at most its ``first`` messages,
    whole turns of them. Raises :class:`StorageError` for an unknown id."""
    stored = find_conversation(session, id)
    if first is None or first >= stored.message_count:
        return read(session, stored.id)
    return transcript_of(stored, messages(session, stored.id, first + 1)).beginning()


def said(session: Session, id: str, start: int, stop: int) -> list[Message]:
    """The messages of a conversation at the positions from ``start`` up to ``stop`` (excluded): as many as are looked
    at, however long it is. Raises :class:`StorageError` for an unknown id."""
    return messages(session, find_conversation(session, id).id, stop, start)


def about(session: Session, id: str) -> Transcript:
    """The transcript of a conversation without its messages. Raises :class:`StorageError` for an unknown id."""
    return transcript_of(find_conversation(session, id), ())


def read(session: Session, id: str) -> Transcript:
    """As :func:`conversation`, deleted or not; its own columns are sound."""
    stored = session.get_one(ConversationRow, id)
    transcript = transcript_of(stored, messages(session, stored.id))
    turn_count = count_turns(transcript.messages)
    if turn_count != stored.turn_count:
        problem = _(
            "it was saved with {turns}, and its messages make {made:,}",
            turns=counted(stored.turn_count, "turn"),
            made=turn_count,
        )
        raise UnreadableConversationError(stored.title, stored.id, problem)
    return transcript


def rename(session: Session, id: str, title: str) -> None:
    """Give a conversation another title."""
    if not title.strip():
        raise StorageError(_("The title is empty. Write one, or keep the old one."))
    find_conversation(session, id).title = clean_text(title.strip())


def add_probe(session: Session, id: str, probe: Probe) -> None:
    """Add a question to a conversation, behind those that it has."""
    stored = find_conversation(session, id)
    stored.probes = [*_other_probes(stored, probe), probe.to_dict()]


def remove_probe(session: Session, id: str, probe: Probe) -> None:
    """Take a question away; one that is not there is no error."""
    stored = find_conversation(session, id)
    stored.probes = _other_probes(stored, probe)


def _other_probes(stored: ConversationRow, probe: Probe) -> list[dict[str, Any]]:
    """A new list: SQLAlchemy does not notice a change inside the old one."""
    value = probe.to_dict()
    return [other for other in stored.probes if other != value]


def put_away(session: Session, id: str) -> None:
    """Take a conversation out of the library. :func:`restore` brings it back."""
    _set_deleted(session, _expect(session, id), now())


def restore(session: Session, id: str) -> None:
    """Bring a deleted conversation back, with all its runs."""
    _set_deleted(session, _expect(session, id, deleted=True), None)


def _set_deleted(session: Session, id: str, time: datetime | None) -> None:
    this = update(CONVERSATIONS).where(CONVERSATIONS.c.id == id)
    session.execute(this.values(deleted_at=time))


def purge(session: Session, older_than_days: float = DEFAULT_KEPT_DAYS) -> int:
    """Remove for good what was deleted at least ``older_than_days`` ago; returns how many conversations."""
    limit = now() - timedelta(days=older_than_days)
    gone = session.scalars(
        delete(CONVERSATIONS)
        .where(CONVERSATIONS.c.deleted_at <= limit)
        .returning(CONVERSATIONS.c.id)
    ).all()
    there = select(CONVERSATIONS.c.id)
    is_ownerless = and_(KEPT.c.owner != "", KEPT.c.owner.not_in(there))
    session.execute(delete(KEPT).where(is_ownerless))
    return len(gone)
