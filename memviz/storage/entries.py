"""The entries of conversations in lists, and the sentences on those whose stored values cannot be read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    ValidationError,
)
from sqlalchemy import RowMapping, select

from memviz.core.messages import clean_text
from memviz.core.storage_errors import UnreadableConversationError
from memviz.core.text.wording import counted
from memviz.core.translation import _, from_json, language_now
from memviz.storage.dialects import AsStored, RowOfConversation
from memviz.storage.tables import CONVERSATIONS, MESSAGES
from memviz.transcripts.base import RecordedEvent

ENTRIES_REMEMBERED = 1_000
"""Rows that are judged once: a list is made at every click, and most of its rows are those of the list before."""
MAX_TITLE_CHARS = 200
MAX_VALUE_CHARS = 40


@dataclass(frozen=True, slots=True)
class ConversationEntry:
    """One conversation in a list. Times are in UTC."""

    id: str
    title: str
    description: str
    language: str
    format: str
    created_at: datetime
    updated_at: datetime
    message_count: int
    turn_count: int
    held_at: datetime | None
    probe_count: int


@dataclass(frozen=True, slots=True)
class UnreadableConversation:
    """One conversation in a list whose stored values are damaged. ``row`` tells it from others: its number in a file,
    for its id may be what is damaged, and on a server its id. ``problem`` says what is, as part of a sentence."""

    row: int | str
    id: str
    title: str
    problem: str

    def error(self) -> UnreadableConversationError:
        """The error of those who wanted to read it."""
        return UnreadableConversationError(self.title, self.id, self.problem)


def _time(value: object) -> datetime:
    if not isinstance(value, str):
        raise ValueError(_("there should be a date"))
    time = datetime.fromisoformat(value)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _parsed(value: object) -> Any:
    if isinstance(value, int | float):
        return value  # SQLite keeps JSON that is a number as one
    if not isinstance(value, str):
        raise ValueError(_("there should be JSON"))
    try:
        parsed = json.loads(value)
    except RecursionError:
        raise ValueError(_("it is nested too deeply")) from None
    # Half a surrogate pair is escaped in JSON, but is no text.
    return (
        json.loads(clean_text(json.dumps(parsed, ensure_ascii=False)))
        if "\\ud" in value.lower()
        else parsed
    )


T = TypeVar("T")
Stored = Annotated[T, BeforeValidator(_parsed)]
Time = Annotated[datetime, BeforeValidator(_time)]
Event = Annotated[RecordedEvent, BeforeValidator(RecordedEvent.from_dict)]


_Text = Annotated[str, BeforeValidator(from_json)]


class _Probe(BaseModel):
    question: str
    answers: list[str]
    evidence: list[NonNegativeInt]
    category: str
    stale: list[str] = []


class _Conversation(BaseModel):
    """The values that the columns of a conversation have to hold, in the order in which they are judged."""

    model_config = ConfigDict(strict=True)

    id: Annotated[str, Field(min_length=1)]
    title: str
    description: str
    language: str
    format: str
    created_at: Time
    updated_at: Time
    deleted_at: Time | None
    held_at: Time | None
    system_prompt: str | None
    probes: Stored[list[_Probe]]
    warnings: Stored[list[_Text]]
    events: Stored[list[Event] | None] | None
    tools: Stored[list[str] | None] | None
    message_count: NonNegativeInt
    turn_count: NonNegativeInt


def _raw(name: str) -> Any:
    return AsStored(CONVERSATIONS.c[name]).label(name)


_LAST_POSITION = (
    select(AsStored(MESSAGES.c.position))
    .where(MESSAGES.c.conversation_id == CONVERSATIONS.c.id)
    .order_by(MESSAGES.c.position.desc())
    .limit(1)
    .scalar_subquery()
)
RAW_ENTRIES = select(
    RowOfConversation().label("row"),
    _LAST_POSITION.label("last_position"),
    *(_raw(name) for name in _Conversation.model_fields),
).select_from(CONVERSATIONS)
"""Conversations as the database has them: nothing is converted, so one that is damaged does not hide the others."""


def entry_of(stored: RowMapping) -> ConversationEntry | UnreadableConversation:
    """The entry of a row of :data:`RAW_ENTRIES`, or what is wrong with it."""
    return _judged(tuple(stored.items()), language_now())


@lru_cache(ENTRIES_REMEMBERED)
def _judged(
    items: tuple[tuple[str, Any], ...],
    _language: str,  # of the problem, which is kept with the entry
) -> ConversationEntry | UnreadableConversation:
    stored = dict(items)
    try:
        value = _Conversation.model_validate(stored)
    except ValidationError as error:
        return _unreadable(stored, _problem(error))
    if problem := _count_problem(value, stored["last_position"]):
        return _unreadable(stored, problem)
    names = (
        name for name in ConversationEntry.__dataclass_fields__ if name != "probe_count"
    )
    return ConversationEntry(
        **{name: getattr(value, name) for name in names}, probe_count=len(value.probes)
    )


def _count_problem(value: _Conversation, last_position: object) -> str:
    there = -1
    if last_position is None:
        there = 0
    elif isinstance(last_position, int):
        there = last_position + 1
    if there != value.message_count:
        return _(
            "it was saved with {messages}, and the last one there is number {there:,}",
            messages=counted(value.message_count, "message"),
            there=there,
        )
    if value.turn_count > value.message_count:
        return _("it has more turns than messages")
    return ""


def _unreadable(stored: Mapping[str, Any], problem: str) -> UnreadableConversation:
    id, title = (_shown(stored[name], MAX_TITLE_CHARS) for name in ("id", "title"))
    return UnreadableConversation(stored["row"], id, title, problem)


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    reason = first["msg"].removeprefix("Value error, ")
    found = _shown(first["input"], MAX_VALUE_CHARS)
    return _(
        "the value of {name} is damaged ({reason}; found is {found})",
        name=first["loc"][0],
        reason=f"{reason[:1].lower()}{reason[1:]}",
        found=repr(found),
    )


def _shown(value: object, chars: int) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= chars else text[: chars - 1] + "…"
