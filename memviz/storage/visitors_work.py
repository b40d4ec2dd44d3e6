"""What visitors worked out over a conversation, in the file: their wordings of summaries, and answers that were judged.

Two tabs may work on the same conversation: each wording and each answer is a row of its own, so that neither overwrites
what the other keeps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import delete, select, type_coerce
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.types import NullType
from sqlmodel import Session

from memviz.core.conversation import clean_text
from memviz.core.errors import StorageError
from memviz.engine.judging import JudgedAnswer
from memviz.storage.library import DAMAGE, found
from memviz.storage.run_shapes import expect_sound_answer
from memviz.storage.runs import Conditions
from memviz.storage.tables import JUDGED_ANSWERS, WORDINGS


def wordings(session: Session, conversation_id: str, key: str) -> dict[int, str]:
    """The wordings kept under ``key``, by the version that they take the place of; damaged ones are left out."""
    conditions = (
        WORDINGS.c.conversation_id == clean_text(conversation_id),
        WORDINGS.c.key == clean_text(key),
    )
    return {row[0]: row[1] for row in _wordings(session, conditions) if row is not None}


def keep_wording(
    session: Session, conversation_id: str, key: str, version: int, text: str
) -> None:
    """Keep a wording in place of what was kept for this version under ``key``."""
    made = {
        "conversation_id": found(session, conversation_id).id,
        "key": clean_text(key),
        "version": version,
        "text": clean_text(text),
    }
    session.execute(
        insert(WORDINGS)
        .values(made)
        .on_conflict_do_update(
            index_elements=["conversation_id", "key", "version"],
            set_={"text": made["text"]},
        )
    )


def remove_wording(
    session: Session, conversation_id: str, key: str, version: int
) -> None:
    """Take a wording away; one that is not there is no error."""
    session.execute(
        delete(WORDINGS).where(
            WORDINGS.c.conversation_id == clean_text(conversation_id),
            WORDINGS.c.key == clean_text(key),
            WORDINGS.c.version == version,
        )
    )


def judged_answers(
    session: Session, conversation_id: str, key: str
) -> list[JudgedAnswer]:
    """The answers kept under ``key``, in the order of their questions and, within each, of their runs; damaged ones are
    left out, and are asked again."""
    table = JUDGED_ANSWERS.c
    conditions = (
        table.conversation_id == clean_text(conversation_id),
        table.key == clean_text(key),
    )
    return [answer for answer in _answers(session, conditions) if answer is not None]


def keep_judged_answers(
    session: Session,
    conversation_id: str,
    key: str,
    answers: Mapping[int, list[JudgedAnswer]],
) -> None:
    """Keep answers, by the number of their question. What failed takes the place of no reply, and a reply without a
    verdict of none that has one."""
    id, columns = (
        found(session, conversation_id).id,
        ("conversation_id", "key", "probe", "run"),
    )
    for number, given in answers.items():
        for answer in given:
            settled = (answer.reply is not None) + (answer.verdict is not None)
            made = insert(JUDGED_ANSWERS).values(
                conversation_id=id,
                key=clean_text(key),
                probe=number,
                run=answer.run,
                settled=settled,
                answer=answer.to_dict(),
            )
            session.execute(
                made.on_conflict_do_update(
                    index_elements=columns,
                    set_={"settled": settled, "answer": made.excluded.answer},
                    where=JUDGED_ANSWERS.c.settled <= settled,
                )
            )


def expect_undamaged(session: Session, conversation_id: str) -> None:
    """Raise StorageError if a wording or an answer of the conversation cannot be read."""
    made = [
        *_wordings(session, (WORDINGS.c.conversation_id == conversation_id,)),
        *_answers(session, (JUDGED_ANSWERS.c.conversation_id == conversation_id,)),
    ]
    damaged = sum(row is None for row in made)
    if damaged:
        raise StorageError(
            f"{damaged:,} of the wordings of summaries and judged answers are damaged. They are left aside."
        )


def _wordings(
    session: Session, conditions: Conditions
) -> Iterator[tuple[int, str] | None]:
    """Version and text of each row, ``None`` for one that is damaged."""
    table = WORDINGS.c
    for version, text in session.execute(
        select(_raw(table.version), _raw(table.text)).where(*conditions)
    ):
        is_sound = (
            isinstance(version, int)
            and version > 0
            and isinstance(text, str)
            and text.strip()
        )
        yield (version, text) if is_sound else None


def _answers(session: Session, conditions: Conditions) -> Iterator[JudgedAnswer | None]:
    """The answer of each row, ``None`` for one that is damaged."""
    table = JUDGED_ANSWERS.c
    query = (
        select(_raw(table.answer)).where(*conditions).order_by(table.probe, table.run)
    )
    for (stored,) in session.execute(query):
        yield _answer(stored)


def _answer(stored: Any) -> JudgedAnswer | None:
    try:
        value = json.loads(stored)
        expect_sound_answer(value)
        return JudgedAnswer.from_dict(value)
    except DAMAGE:
        return None


def _raw(column: Any) -> Any:
    """The column as it is stored, whatever that is."""
    return type_coerce(column, NullType())
