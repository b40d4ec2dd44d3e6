"""MemoryBank (SiliconFriend): what users said to a companion day by day, with its summaries of the days."""

import re
from collections.abc import Sequence
from typing import Any

from memviz.core.translation import _, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, require_pieces
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.json_access import (
    drop_empty,
    first_text,
    object_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.times import meta_with_time, moment, parse_first_moment

_DAY = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")
EXPECTED = noop("an object of users, each with an object called history,")
NO_LIST = Refusal(noop("a list of exchanges was expected, found {kind}."))
LANGUAGE_MESSAGES = 20
"""How many messages are looked at for the language, which the file does not say."""

User = tuple[str, dict[str, Any]]
NOTHING_SAID = noop("has neither a query nor a response")


class MemoryBank(Reader):
    """One object: users by name, each with a ``history`` of exchanges by day."""

    name = "memorybank"
    title = noop("MemoryBank users")

    def recognise(self, document: Document) -> bool:
        """An object in which at least one user has a history by dates."""
        for _name, user in _find_users(document.object):
            if _has_days(user["history"]):
                return True
        return False

    def conversations(self, document: Document) -> Sequence[User]:
        """One conversation for each user who has said anything."""
        return require_pieces(_find_users(document.object), EXPECTED, document)

    def read(self, piece: User, builder: TranscriptBuilder) -> Transcript:
        """All days of a user in order, with the summaries that were made of them."""
        name, user = piece
        summarized = dict.fromkeys(object_at(user, "summary"), ())
        days = _list_days({**summarized, **user["history"]})
        for day, exchanges in days:
            _add_day(day, exchanges, builder)
            _add_summary(value_at(user, "summary", day), builder)
        _add_summary(user.get("overall_history"), builder)
        held_at = parse_first_moment(
            day for day, day_exchanges in days if day_exchanges
        )
        language = "zh" if _is_chinese(builder) else "en"
        return builder.build(
            title=name,
            description=_describe_user(user),
            held_at=held_at,
            language=language,
        )


def _find_users(bank: dict[str, Any]) -> list[User]:
    return [
        (name, user)
        for name, user in bank.items()
        if isinstance(user, dict) and isinstance(user.get("history"), dict)
    ]


def _has_days(history: dict[str, Any]) -> bool:
    return any(
        _DAY.fullmatch(day) and isinstance(exchanges, list)
        for day, exchanges in history.items()
    )


def _list_days(history: dict[str, Any]) -> list[tuple[str, Any]]:
    days = [(moment(day), day, exchanges) for day, exchanges in history.items()]
    if all(date for date, _, _ in days):
        days.sort(key=lambda day: day[0])  # type: ignore[arg-type, return-value]  # every one has a date
    return [(day, exchanges) for _, day, exchanges in days]


def _add_day(day: str, exchanges: Any, builder: TranscriptBuilder) -> None:
    if exchanges == ():  # a day of which only the summary is in the file
        return
    if not isinstance(exchanges, list):
        raise NO_LIST.error(f"day {day[:40]}", kind=_(kind_of(exchanges)))
    for exchange, place in add_places(exchanges, f"{day[:40]}, exchange"):
        messages = _read_pair(exchange)
        if not messages:
            builder.leave_out(place, NOTHING_SAID)
        for role, text in messages:
            builder.add_text(role, text, place, meta=meta_with_time(day))


def _read_pair(exchange: Any) -> list[tuple[str, str]]:
    """The words of both: an object, or the pair that a running companion saves."""
    if isinstance(exchange, dict):
        exchange = [exchange.get("query"), exchange.get("response")]
    texts = exchange if isinstance(exchange, list) else []
    texts_of_roles = zip(("user", "assistant"), texts, strict=False)
    return [(role, text) for role, text in texts_of_roles if isinstance(text, str)]


def _add_summary(summary: Any, builder: TranscriptBuilder) -> None:
    text = summary if isinstance(summary, str) else first_text(summary, "content")
    if text.strip():
        builder.add_event("summary", text)


def _describe_user(user: dict[str, Any]) -> str:
    facts = object_at(user, "meta_information")
    fact_texts = drop_empty(texts_at(facts, *facts))
    fact_texts.pop("name", None)
    return "; ".join(f"{key}: {text}" for key, text in fact_texts.items())


def _is_chinese(builder: TranscriptBuilder) -> bool:
    text = "".join(message.content for message in builder.messages[:LANGUAGE_MESSAGES])
    if _KANA.search(text):
        return False
    return 2 * len(_CHINESE.findall(text)) > len(_LETTER.findall(text))
