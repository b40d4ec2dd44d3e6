"""Guesses a mapping for a file of no known format, from the names of its fields and from their values.

``memviz mapping`` and the page Library begin with it, and the user corrects it."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import noop
from memviz.transcripts.archives import is_archive, read_archived_files
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.document import Document
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits
from memviz.transcripts.mapping.declaration import (
    MAX_PATH_CHARS,
    FileMapping,
    Role,
    Saying,
    Speaker,
)
from memviz.transcripts.mapping.paths import EACH
from memviz.transcripts.mapping.places import (
    LOOKED_AT,
    MAX_FIELDS,
    ListPlace,
    find_places,
)
from memviz.transcripts.mapping.saying import read_time

MAX_SPEAKERS = 40
MIN_SHARE = 0.5


_split_words = str.split
SPEAKER_NAMES = _split_words(
    "role speaker sender author from who name user username actor participant "
    "source direction type kind is_user is_bot isuser isbot person agent party side "
    "角色 说话人 发言人 发送者 发送方 发送人 用户 谁 身份"
)
TEXT_NAMES = _split_words(
    "content text message body utterance value said msg transcript comment parts "
    "reply line data payload say said words 内容 正文 消息 消息内容 文本 发言"
)
TIME_NAMES = _split_words(
    "timestamp time created_at createdat date datetime sent_at ts created at when "
    "时间 时刻 发送时间 日期"
)
CONVERSATION_NAMES = _split_words(
    "conversation_id conversation conversationid session_id session sessionid "
    "thread_id thread threadid chat_id chat chatid dialog_id dialogue_id dialog "
    "ticket_id ticket case_id call_id room channel conv_id trace_id 会话 会话编号 对话"
)
ASKED_NAMES = _split_words(
    "prompt question instruction query input request user human user_message q ask "
    "customer_message usr 问题 提问 问 frage"
)
ANSWERED_NAMES = _split_words(
    "completion response answer output reply assistant bot ai model bot_message a "
    "assistant_message agent_message sys bot_response 回答 答案 回复 答 antwort"
)
PAIR_NAMES = {
    "system": _split_words("system system_prompt 系统提示 hinweis"),
    "user": ASKED_NAMES,
    "assistant": ANSWERED_NAMES,
}
WORDS: dict[Role, list[str]] = {
    "user": _split_words(
        "client visitor caller guest usr incoming inbound in requester patient "
        "student end_user enduser consumer q 用户 客户 访客 顾客 买家"
    ),
    "assistant": _split_words(
        "support operator rep representative outgoing outbound out assist "
        "advisor helpdesk tutor a staff employee desk 助手 客服 店员 坐席 机器人 卖家"
    ),
    "system": _split_words("notice info event instructions 系统"),
    "tool": _split_words("api action result 工具"),
}
"""Words for a role in addition to those of all files."""
NOTHING = Refusal(
    noop("no list of rows with texts was found in it."),
    noop(
        "Choose a file with messages in rows, or write a mapping by hand: docs/mapping.md has examples."
    ),
)
MOST_WHO_TAKE_TURNS = 6
MAX_SPEAKER_CHARS = 30
NUMBERS = re.compile(r"[\d\s/:.,+TZ年月日时分秒-]*")
"""The characters of dates and amounts in all forms."""
MARKS = re.compile(r"[ 。，！？；：、]|[\u3040-\u30ff\u3400-\u9fff]{4}")
"""Signs of a sentence, which is no name: spaces, or in Chinese and Japanese marks and four characters."""


class Field(NamedTuple):
    """A field of rows: its path and the values that it has in the first of them."""

    path: str
    values: list[Any]
    share: float
    """The share of the rows that have it."""

    @property
    def name(self) -> str:
        """Return the last name of the path, as names are compared."""
        last = self.path.rpartition(".")[2]
        return last.lower().replace("-", "_").replace(" ", "_")


def guess_mapping(document: Document) -> FileMapping:
    """Return the mapping that fits a file best. Raises :class:`TranscriptError` if it holds nothing like rows."""
    guesses = []
    known_parts = set[str]()
    for rows in find_places(document):
        # A list that several lists make together comes before each of them.
        if rows.path not in known_parts:
            guess = guess_from(rows)
            if guess is None:
                continue
            guesses.append(guess)
        known_parts.update(rows.parts)
    if not guesses:
        raise NOTHING.error()
    return max(guesses, key=lambda guess: guess[0])[1]


def find_fields(rows: Sequence[Any]) -> list[Field]:
    """Return the fields of rows, with those of objects inside them."""
    values: dict[str, list[Any]] = {}
    objects = [row for row in rows[:LOOKED_AT] if isinstance(row, dict)]
    for row in objects:
        for path, value in _walk_fields(row, ""):
            if path in values or len(values) < MAX_FIELDS:
                values.setdefault(path, []).append(value)
    count = max(1, len(objects))
    return [Field(path, items, len(items) / count) for path, items in values.items()]


def _walk_fields(row: Any, above: str, level: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        path = f"{above}.{key}" if above else str(key)
        if isinstance(value, dict) and level < 3:
            yield from _walk_fields(value, path, level + 1)
        elif value not in (None, "", [], {}) and len(path) <= MAX_PATH_CHARS:
            yield path, value


def guess_from(rows: ListPlace) -> tuple[float, FileMapping] | None:
    """Return how well rows look like messages, and the mapping for them; ``None`` where they have no texts."""
    fields = find_fields(rows.first)
    rows_fields: dict[str, Any] = {"table": rows.table, "rows": rows.rows}
    rows_fields["conversations"] = rows.conversations
    guess = (
        _guess_messages(fields, rows_fields, find_best_field(fields, _speaker_score))
        or _guess_pairs(fields, rows_fields, rows.path)
        or _guess_messages(fields, rows_fields, find_best_field(fields, _turns_score))
    )
    if guess is None:
        return None
    score, mapping = guess
    return score + min(len(rows.first), LOOKED_AT) / LOOKED_AT, mapping


def _guess_messages(
    fields: Sequence[Field], known: dict[str, Any], speaker: Field | None
) -> tuple[float, FileMapping] | None:
    """Return the mapping of rows that are one message each, of a speaker whom a field names."""
    text = find_best_field(
        [field for field in fields if field is not speaker], _text_score
    )
    if speaker is None or text is None:
        return None
    time = find_best_field(fields, _time_score)
    known = {**known, "time": time.path if time else ""}
    group = find_best_field(fields, _conversation_score)
    if group is not None and not known["conversations"]:
        # A date under another name, such as a deadline, need not say when a message came.
        is_order = time is not None and _rank(time.name, TIME_NAMES) > 0
        order = known["time"] if is_order else ""
        known |= {"conversation": group.path, "order": order}
    mapping = FileMapping(speaker=_speaker_of(speaker), text=(text.path,), **known)
    speaker_score = _speaker_score(speaker)
    text_score = _text_score(text)
    if not speaker_score:
        return text_score / 2, mapping
    return 4 * speaker_score + 2 * text_score, mapping


def _guess_pairs(
    fields: Sequence[Field], known: dict[str, Any], path: str
) -> tuple[float, FileMapping] | None:
    """Return the mapping of rows that are a question with its answer each."""
    field_of_role = {
        role: _find_named_field(fields, names) for role, names in PAIR_NAMES.items()
    }
    question_field = field_of_role["user"] or find_best_field(fields, _question_score)
    field_of_role["user"] = question_field
    if field_of_role["assistant"] is None and question_field is not None:
        others = [field for field in fields if field not in field_of_role.values()]
        field_of_role["assistant"] = find_best_field(others, _text_score)
    if question_field is None or field_of_role["assistant"] is None:
        return None
    sayings = [
        Saying.model_validate({"role": role, "text": field.path})
        for role, field in field_of_role.items()
        if field is not None
    ]
    group = find_best_field(fields, _conversation_score)
    if group is not None:
        known = {**known, "conversation": group.path}
    elif path == EACH:  # rows of data: each is a conversation of its own
        known = {**known, "conversations": EACH, "rows": "."}
    return 3.0, FileMapping(say=tuple(sayings), **known)


def find_best_field(
    fields: Sequence[Field], score: Callable[[Field], float]
) -> Field | None:
    """Return the first field of the highest score; ``None`` where no score is above 0."""
    scores = [score(field) for field in fields]
    best = max(scores, default=0.0)
    return fields[scores.index(best)] if best > 0 else None


def _find_named_field(fields: Sequence[Field], names: Sequence[str]) -> Field | None:
    """Return the field with the first of these names whose values are texts or parts in most rows."""
    for name in names:
        for field in fields:
            are_texts = all(isinstance(value, str | list) for value in field.values)
            if field.name == name and field.share >= MIN_SHARE and are_texts:
                return field
    return None


def _rank(name: str, names: Sequence[str]) -> float:
    """Return 1 for the first of ``names``, less for later ones, 0.2 for a name that contains one, else 0."""
    if name in names:
        return 1 - 0.6 * names.index(name) / len(names)
    parts = name.replace(".", "_").split("_")
    return 0.0 if set(parts).isdisjoint(names) else 0.2


def _speaker_score(field: Field) -> float:
    values = [word_of(value) for value in field.values]
    if field.share < MIN_SHARE or any(not word or len(word) > 60 for word in values):
        return 0
    kinds = set(values)
    if len(kinds) > MAX_SPEAKERS or (len(values) > 6 and len(kinds) * 2 > len(values)):
        return 0
    firsts = [value for value in field.values[:5] if not isinstance(value, bool)]
    if any(map(read_time, firsts)):
        return 0
    roles = {role_of(word) for word in kinds}
    meant = sum(role_of(word) is not None for word in values) / len(values)
    name_score = _rank(field.name, SPEAKER_NAMES)
    if not name_score and (meant < 0.8 or len(kinds) < 2):
        return 0
    score = name_score + meant
    if {"user", "assistant"}.issubset(roles):
        score += 1
    return score - 0.8 if len(kinds) < 2 else score


def _turns_score(field: Field) -> float:
    """Return the share of rows at which a field of few short words changes; 0 if it is less than a third."""
    words = [value for value in field.values if isinstance(value, str)]
    kinds = set(words)
    is_few = 2 <= len(kinds) <= MOST_WHO_TAKE_TURNS and 2 * len(kinds) <= len(words)
    if field.share < MIN_SHARE or len(words) < len(field.values) or not is_few:
        return 0
    if max(map(len, kinds)) > MAX_SPEAKER_CHARS or not all(map(_is_name, kinds)):
        return 0
    turns = sum(word != before for before, word in pairwise(words))
    return turns / len(words) if 3 * turns >= len(words) else 0


def _is_name(word: str) -> bool:
    has_letter = any(map(str.isalpha, word))
    return has_letter and not MARKS.search(word) and not read_time(word)


def _question_score(field: Field) -> float:
    """Return the share of a field's values that are questions; 0 where fewer than four of five are."""
    if field.share < MIN_SHARE:
        return 0
    endings = [str(value).rstrip()[-1:] for value in field.values]
    share = sum(ending in ("?", "？") for ending in endings) / len(endings)
    return share if share >= 0.8 else 0


def _text_score(field: Field) -> float:
    if field.share < MIN_SHARE:
        return 0
    lengths = [_text_length(value) for value in field.values]
    if max(lengths, default=0) == 0:
        return 0
    name_score = _rank(field.name, TEXT_NAMES)
    texts = [value for value in field.values if isinstance(value, str)]
    if texts and all(read_time(value) for value in texts[:5]):
        return 0
    if texts and not name_score and all(map(NUMBERS.fullmatch, texts)):
        return 0
    spaced = (
        sum(bool(MARKS.search(value)) for value in texts) / len(texts) if texts else 0.5
    )
    kinds = Tally(map(str, field.values[:50]))
    varied = len(kinds) / max(1, min(50, len(field.values)))
    mean = sum(lengths) / len(lengths)
    score = name_score + spaced + min(mean, 200) / 400 + varied / 2
    return score if name_score or (spaced > 0.4 and varied > 0.4) else 0


def _text_length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    return len(str(value)[:200]) if isinstance(value, list) else 0


def _time_score(field: Field) -> float:
    name_score = _rank(field.name, TIME_NAMES)
    looked_at = field.values[:20]
    are_times = sum(read_time(value) is not None for value in looked_at)
    if name_score:
        return name_score + 0.1 if 2 * are_times > len(looked_at) else 0
    # Under any other name each value has to be a date with a clock: "2025-03-01T10:00:00Z".
    have_clocks = all(isinstance(value, str) and ":" in value for value in looked_at)
    are_all = are_times == len(looked_at) and field.share >= MIN_SHARE
    return 0.1 if have_clocks and are_all else 0


def _conversation_score(field: Field) -> float:
    words = [word_of(value) for value in field.values]
    name_score = _rank(field.name, CONVERSATION_NAMES)
    if name_score < 0.3 or field.share < 0.9 or not all(words):
        return 0
    return name_score if len(set(words)) < len(words) or len(words) == 1 else 0


def _speaker_of(field: Field) -> Speaker:
    """Return the field as the speaker of a mapping, with the words in it that name no role by themselves."""
    kinds = dict.fromkeys(map(word_of, field.values))
    words: dict[str, list[str]] = {}
    unknown = []
    for word in kinds:
        role = _role_of_truth_value(word, field.name) or role_of(word)
        if role is None:
            unknown.append(word)
        elif known_role(word) is None:
            words.setdefault(role, []).append(word)
    others = "known"
    is_user_known = any(role_of(word) == "user" for word in kinds)
    if unknown:
        others = "assistant" if is_user_known or "user" in words else "first_is_user"
    return Speaker.model_validate({"field": field.path, "others": others, **words})


def _role_of_truth_value(word: str, name: str) -> Role | None:
    """Return the role of a truth value: ``true`` in a field ``is_bot`` is the assistant, in ``is_user`` the user."""
    if word not in ("true", "false"):
        return None
    is_about_bot = any(map(name.__contains__, ("bot", "assistant", "ai", "agent")))
    return "assistant" if (word == "true") == is_about_bot else "user"


def role_of(word: str) -> Role | None:
    """Return the role that a word means, as far as programs and people use it."""
    plain = word.strip().lower().replace("-", "_").replace(" ", "_")
    for role, words in WORDS.items():
        if plain in words:
            return role
    known: Any = known_role(word)
    return known if known is not None else None


def word_of(value: Any) -> str:
    """Return a value as a word that may name a speaker; empty for anything that cannot."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and abs(value) < 100 else ""


def find_mappable_document(data: bytes, name: str, limits: Limits) -> Document:
    """Return the file to map; of an archive the first file with rows. Raises :class:`TranscriptError` if none has."""
    if not is_archive(data):
        document = Document(data, name, limits)
        find_places(document)
        return document
    for inner, content in read_archived_files(data, limits):
        document = Document(content, inner, limits)
        with suppress(TranscriptError):
            guess_mapping(document)
            return document
    raise NOTHING.error()
