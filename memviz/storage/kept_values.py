"""Values that are kept under a key, each kind with its own form: whatever was worked out, written or opened here.

Two tabs may work on the same conversation: each wording and the answers to each question are rows of their own, so that
neither tab overwrites what the other keeps.
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, select
from sqlmodel import Session

from memviz.core.messages import clean_text
from memviz.core.storage_errors import StorageError
from memviz.core.translation import _
from memviz.engine.judging import JudgedAnswer
from memviz.engine.run import Run
from memviz.storage.dialects import AsStored, upserts
from memviz.storage.library import find_conversation, now
from memviz.storage.runs import expect_known_counter, report_damage
from memviz.storage.tables import DAMAGE, KEPT

TextKind = Literal["recording", "lesson", "server", "shared", "class"]
"""Texts: files that visitors opened or wrote (a recording, its bytes as text, and a lesson, the YAML text that it is),
where the server of this library is, what a visitor of a class shares, and what all servers of a class know of it,
what its visitors have spent among that."""
Kind = TextKind | Literal["cell", "wording", "answers", "free run", "watched"]
KEYS_A_QUERY = 500
MAX_CELLS = 20_000
"""Cells kept; the oldest go first. A cell of a conversation with 3,000 turns takes about 20 KB."""


_AS_STORED = AsStored(KEPT.c.value)
_PUT = upserts(KEPT, ("value", "message_count", "kept_at"))
"""Made once: a sweep keeps thousands of cells, one after the other."""
_NEWEST_FIRST = KEPT.c.kept_at.desc(), KEPT.c.key, KEPT.c.number


class Kept(NamedTuple):
    """One kept value: any JSON, or ``None`` where it is damaged."""

    key: str
    number: int
    value: Any


def packed(value: object) -> bytes:
    """Return a value as it is stored."""
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 1)


def unpacked(stored: Any) -> Any:
    """Return the value that is stored, ``None`` where it is damaged."""
    try:
        return json.loads(zlib.decompress(stored))
    except (zlib.error, TypeError, ValueError, RecursionError):
        return None


def put(
    connection: Session | Connection,
    kind: Kind,
    key: str,
    value: object,
    *,
    owner: str = "",
    number: int = 0,
    message_count: int | None = None,
) -> None:
    """Keep a value in place of the one that is there under the same key."""
    row = {
        "kind": kind,
        "owner": owner,
        "key": clean_text(key),
        "number": number,
        "value": packed(value),
        "message_count": message_count,
        "kept_at": now(),
    }
    if isinstance(connection, Session):
        connection = connection.connection()
    connection.execute(_PUT[connection.dialect.name], row)


def all_of(
    session: Session, kind: Kind, *conditions: ColumnElement[bool]
) -> list[Kept]:
    """The values of this kind that meet ``conditions``, in no order: one would have SQLite go through all of a kind,
    instead of looking up their keys."""
    query = select(KEPT.c.key, KEPT.c.number, _AS_STORED)
    rows = session.execute(query.where(KEPT.c.kind == kind, *conditions))
    return [Kept(key, number, unpacked(value)) for key, number, value in rows]


def under(key: str, owner: str = "") -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for what is kept under this key."""
    is_owned = KEPT.c.owner == clean_text(owner)
    has_key = KEPT.c.key == clean_text(key)
    return is_owned, has_key


def remove(session: Session, kind: Kind, *conditions: ColumnElement[bool]) -> None:
    """Take values away; those that are not there are no error."""
    is_of_kind = KEPT.c.kind == kind
    session.execute(delete(KEPT).where(is_of_kind, *conditions))


def value_of(session: Session, kind: TextKind, key: str) -> str | None:
    """The text under this key, ``None`` if there is none, or it is damaged."""
    for kept in all_of(session, kind, *under(key)):
        if isinstance(kept.value, str):
            return kept.value
    return None


def class_text(session: Session, key: str) -> str | None:
    """The text that the servers of a class keep under this key, ``None`` if there is none, or it is damaged."""
    return value_of(session, "class", key)


def keys_of(session: Session, kind: TextKind) -> list[str]:
    """The keys of this kind, the newest first."""
    query = select(KEPT.c.key).where(KEPT.c.kind == kind)
    return list(session.scalars(query.order_by(*_NEWEST_FIRST)))


def forget(session: Session, kind: TextKind, key: str) -> None:
    """Forget what is kept under a key."""
    remove(session, kind, *under(key))


def find_cells(session: Session, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Those of these cells of sweeps that were kept, as JSON, by key. One that is damaged is not among them: it is
    measured again."""
    cells_by_key: dict[str, dict[str, Any]] = {}
    for at in range(0, len(keys), KEYS_A_QUERY):
        some = KEPT.c.key.in_(keys[at : at + KEYS_A_QUERY])
        # Found by the primary key, of which the owner is a part: a cell has none.
        cells = all_of(session, "cell", KEPT.c.owner == "", some)
        cells_by_key |= {cell.key: cell.value for cell in cells if _is_cell(cell)}
    return cells_by_key


def _is_cell(kept: Kept) -> bool:
    return isinstance(kept.value, dict)


def keep_cell(session: Session, key: str, cell: Mapping[str, Any]) -> None:
    """Keep a finished cell of a sweep; one that is there under this key stays as it is, unless it is damaged.

    The key is a hash of all that it depends on, the conversation's messages included, so it is found again whatever the
    conversation is called.
    """
    if not find_cells(session, [key]):
        put(session, "cell", key, cell)


def prune_cells(session: Session) -> None:
    """Let go of the oldest cells where there are very many."""
    cells = select(KEPT.c.key).where(KEPT.c.kind == "cell")
    newest = cells.order_by(*_NEWEST_FIRST).limit(MAX_CELLS)
    remove(session, "cell", KEPT.c.key.not_in(newest))


def forget_cells(session: Session) -> None:
    """Let go of all cells: a sweep measures them again."""
    remove(session, "cell")


def count_damaged_cells(session: Session) -> tuple[int, int]:
    """The number of kept cells that are damaged, and that of all."""
    sound = [_is_cell(cell) for cell in all_of(session, "cell")]
    return sound.count(False), len(sound)


def find_wordings(session: Session, conversation_id: str) -> dict[str, dict[int, str]]:
    """The visitors' own wordings of summaries in the replays of a conversation: by the key of the replay, by the
    version that they take the place of. Damaged ones are left out."""
    of_it = KEPT.c.owner == clean_text(conversation_id)
    wordings: dict[str, dict[int, str]] = {}
    for kept in all_of(session, "wording", of_it):
        if _is_wording(kept):
            wordings.setdefault(kept.key, {})[kept.number] = kept.value
    return wordings


def _is_wording(kept: Kept) -> bool:
    is_version = isinstance(kept.number, int) and kept.number > 0
    return is_version and isinstance(kept.value, str) and bool(kept.value.strip())


def keep_wording(
    session: Session, conversation_id: str, key: str, version: int, text: str
) -> None:
    """Keep a wording in place of what was kept for this version under ``key``."""
    owner = find_conversation(session, conversation_id).id
    put(session, "wording", key, clean_text(text), owner=owner, number=version)


def remove_wording(
    session: Session, conversation_id: str, key: str, version: int
) -> None:
    """Take a wording away; one that is not there is no error."""
    remove(session, "wording", *under(key, conversation_id), KEPT.c.number == version)


def find_judged_answers(
    session: Session, conversation_id: str, key: str
) -> list[JudgedAnswer]:
    """The answers kept under ``key``, in the order of their questions and, within each, of their runs; damaged ones are
    left out, and are asked again."""
    answers: list[JudgedAnswer] = []
    by_question = _answers_by_question(session, conversation_id, key)
    for number in sorted(by_question):
        answers += by_question[number].values()
    return answers


def keep_judged_answers(
    session: Session,
    conversation_id: str,
    key: str,
    answers: Mapping[int, list[JudgedAnswer]],
) -> None:
    """Keep answers, by the number of their question. What failed takes the place of no reply, and a reply without a
    verdict of none that has one."""
    owner = find_conversation(session, conversation_id).id
    by_question = _answers_by_question(session, owner, key)
    for number, given in answers.items():
        if not given:
            continue
        known = by_question.get(number, {})
        for answer in given:
            if _settled(answer) >= _settled(known.get(answer.run)):
                known[answer.run] = answer
        in_order = [known[run].to_dict() for run in sorted(known)]
        put(session, "answers", key, in_order, owner=owner, number=number)


def _settled(answer: JudgedAnswer | None) -> int:
    if answer is None or answer.reply is None:
        return 0
    return 1 if answer.verdict is None else 2


def _answers_by_question(
    session: Session, conversation_id: str, key: str
) -> dict[int, dict[int, JudgedAnswer]]:
    """The sound answers under ``key``, by the number of their question and that of their run."""
    by_question: dict[int, dict[int, JudgedAnswer]] = {}
    for kept in all_of(session, "answers", *under(key, conversation_id)):
        if isinstance(kept.number, int):
            sound = filter(None, _answers(kept))
            by_question[kept.number] = {answer.run: answer for answer in sound}
    return by_question


def _answers(kept: Kept) -> Iterator[JudgedAnswer | None]:
    """The answers in a value, ``None`` for each one that is damaged."""
    stored: list[Any] = kept.value if isinstance(kept.value, list) else [None]
    for value in stored:
        try:
            answer = JudgedAnswer.from_dict(value)
        except DAMAGE:
            answer = None
        yield answer


def expect_undamaged(session: Session, conversation_id: str) -> None:
    """Raise StorageError if a wording or an answer of the conversation cannot be read."""
    of_it = KEPT.c.owner == conversation_id
    damaged = sum(not _is_wording(kept) for kept in all_of(session, "wording", of_it))
    for kept in all_of(session, "answers", of_it):
        damaged += list(_answers(kept)).count(None)
    if damaged:
        raise StorageError(
            _(
                "{damaged:,} of the wordings of summaries and judged answers are damaged. They are left aside.",
                damaged=damaged,
            )
        )


def save_free_run(
    session: Session, conversation_id: str, run: Run, key: str, message_count: int
) -> None:
    """Keep a free run over the first ``message_count`` messages, as far as it has come, in place of what was kept under
    ``key``. A model's own replies belong to no stored conversation, so it is kept whole."""
    expect_known_counter(run)
    put(
        session,
        "free run",
        key,
        run.to_dict(),
        owner=find_conversation(session, conversation_id).id,
        message_count=message_count,
    )


def find_free_run(session: Session, conversation_id: str, key: str) -> Run | None:
    """The free run kept under ``key``, complete or not. Raises :class:`memviz.core.storage_errors.DamagedRunError`."""
    return read_free_run(session, find_conversation(session, conversation_id).id, key)


def read_free_run(session: Session, owner: str, key: str) -> Run | None:
    """As :func:`find_free_run`, of a conversation that is deleted as well."""
    for kept in all_of(session, "free run", *under(key, owner)):
        with report_damage(_("A stored free run")):
            return Run.from_dict(kept.value)
    return None
