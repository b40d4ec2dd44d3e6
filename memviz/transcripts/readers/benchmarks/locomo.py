"""LoCoMo: what two people said in many sessions over months, with questions about it.

The lists of evidence were written by hand and have slips, which are repaired where that is safe.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memviz.core.translation import _, noop
from memviz.transcripts.base import UNTITLED, Probe
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import describe, kind_of
from memviz.transcripts.readers.benchmarks import make_probe, read_answers
from memviz.transcripts.readers.json_access import (
    as_list,
    first_text,
    id_text,
    join_lines,
    list_at,
    object_at,
    texts_at,
)
from memviz.transcripts.readers.json_rows import RowReader, add_places
from memviz.transcripts.times import meta_with_time, moment

_SESSION = re.compile(r"session_([0-9]{1,6})")
DATE_FORMATS = ("%I:%M %p on %d %B %Y", "%H:%M on %d %B %Y", "%d %B %Y")
CATEGORIES = {
    "1": "multi-hop",
    "2": "temporal",
    "3": "open-domain",
    "4": "single-hop",
    "5": "adversarial",
}
"""The paper (Maharana et al. 2024) names them in another order; these ids are those of the released evaluation."""
UNKNOWN_EVIDENCE = noop(
    "evidence that names no message of the conversation was left out"
)
NOT_ANSWERED = noop(
    "an adversarial question, which the conversation does not answer, was left out"
)
NO_SPEAKERS = Refusal(
    noop("a speaker_a and another speaker_b were expected, found {found}.")
)
NO_LIST = Refusal(noop("a list of messages was expected, found {kind}."))
DESCRIPTION = "Two people talk: {} is shown as the user, {} as the assistant."
ADVERSARIAL = CATEGORIES["5"]
OPEN_DOMAIN = CATEGORIES["3"]
_MESSAGE = re.compile(r"(?<![\w:])D:?([0-9]{1,6}):([0-9]{1,6})(?![\w:])")
NO_ANSWER = noop("a question without an answer was left out")
NO_CONTENT = noop("has neither text nor image")
REPAIRED_EVIDENCE = noop("evidence that was run together or misspelt was repaired")


class Locomo(RowReader):
    """Samples with ``conversation``, or with the sessions at the top level."""

    name = "locomo"
    title = noop("LoCoMo conversations")
    expected = noop("samples with speaker_a and session_1")

    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether a sample has a ``speaker_a`` and a list called ``session_1`` or like it."""
        conversation = _find_conversation(row)
        has_sessions = any(
            isinstance(conversation[key], list)
            for _number, key in _list_sessions(conversation)
        )
        return isinstance(conversation.get("speaker_a"), str) and has_sessions

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add all sessions of a sample in the order of their numbers, with its questions."""
        conversation = _find_conversation(row)
        user = first_text(conversation, "speaker_a")
        other = first_text(conversation, "speaker_b")
        roles = {_key(user): "user", _key(other): "assistant"}
        if len(roles) < 2 or "" in roles:
            raise NO_SPEAKERS.error(place, found=describe(row))
        positions: dict[str, int] = {}
        dates = []
        for _number, key in _list_sessions(conversation):
            dates.append(_read_date(conversation, key))
            _add_session(conversation, key, roles, positions, builder)
            _add_summary(row, f"{key}_summary", builder)
        return {
            "title": first_text(row, "sample_id") or UNTITLED,
            "description": DESCRIPTION.format(user, other),
            "held_at": next(filter(None, dates), None),
            "probes": read_probes(row.get("qa"), positions, builder),
        }


def _find_conversation(sample: dict[str, Any]) -> dict[str, Any]:
    inner = sample.get("conversation")
    return inner if isinstance(inner, dict) else sample


def _list_sessions(conversation: dict[str, Any]) -> list[tuple[int, str]]:
    """Number and key of all sessions, by number: as texts, session 10 would come before session 2."""
    matches = filter(None, map(_SESSION.fullmatch, conversation))
    return sorted((int(match[1]), match[0]) for match in matches)


def _add_session(
    conversation: dict[str, Any],
    key: str,
    roles: dict[str, str],
    positions: dict[str, int],
    builder: TranscriptBuilder,
) -> None:
    turns = conversation[key] or []
    if not isinstance(turns, list):
        raise NO_LIST.error(key, kind=_(kind_of(turns)))
    date = _read_date(conversation, key)
    meta = meta_with_time(date.isoformat() if date else None)

    def role_of(name: object) -> str | None:
        return roles.get(_key(name)) if isinstance(name, str) else None

    for turn, place in add_places(turns, f"{key}, index"):
        role = builder.speaker(
            turn, place, "speaker", called="speaker", role_of=role_of
        )
        if role is None:
            continue
        content = _read_content(turn)
        if content is None:
            builder.leave_out(place, NO_CONTENT)
            continue
        name = turn["speaker"]
        position = builder.add_text(role, content, place, name=name, meta=meta)
        message_number = normalize_message_id(turn.get("dia_id"))
        if message_number is not None:
            positions.setdefault(message_number, position)


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _read_content(turn: dict[str, Any]) -> str | None:
    """The text and, for images that were shared with it, what the benchmark's captions say."""
    texts = list(texts_at(turn, "text", "clean_text").values())[:1]
    caption = first_text(turn, "blip_caption")
    if caption or turn.get("img_url"):
        texts.append(stand_in("image", caption))
    return join_lines(texts) if texts else None


def _read_date(conversation: dict[str, Any], key: str) -> datetime | None:
    """Return when a session was held. The times have no zone: like everywhere in memviz they are taken for UTC."""
    date = first_text(conversation, f"{key}_date_time")
    text = " ".join(date.replace(",", " ").split())[:60]
    for form in DATE_FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return moment(date)


def _add_summary(sample: dict[str, Any], key: str, builder: TranscriptBuilder) -> None:
    text = first_text(object_at(sample, "session_summary"), key)
    text = text or first_text(sample, key)
    if text:
        builder.add_event("summary", text)


def normalize_message_id(id: object) -> str | None:
    """The id of a message without leading zeros; ``None`` for what is no id."""
    match = _MESSAGE.fullmatch(id_text(id).strip())
    return _plain(match) if match else None


def read_probes(
    items: object, positions: Mapping[str, int], builder: TranscriptBuilder
) -> tuple[Probe, ...]:
    """The probes of a list of questions. ``positions`` gives the log position of each message's id.

    Questions without an answer are left out and noted: so are nearly all adversarial ones, which ask for what was
    never said.
    """
    probes = []
    for value, place in add_places(list_at(items), "question"):
        item = object_at(value)
        probe = _read_probe(item, positions, builder, place)
        if probe:
            probes.append(probe)
        elif _name_category(item.get("category")) == ADVERSARIAL:
            builder.note(NOT_ANSWERED, place)
        else:
            builder.note(NO_ANSWER, place)
    return tuple(probes)


def _read_probe(
    item: dict[str, Any],
    positions: Mapping[str, int],
    builder: TranscriptBuilder,
    place: str,
) -> Probe | None:
    answers = read_answers(item.get("answer"))
    category = _name_category(item.get("category"))
    if category == OPEN_DOMAIN and len(answers) == 1:
        # What follows a semicolon explains the answer: the benchmark compares what stands before it.
        short = answers[0].split(";")[0].strip()
        answers = tuple(dict.fromkeys((*answers, short))) if short else answers
    probe = make_probe(item.get("question"), answers, (), category)
    if not probe:
        return None
    evidence = _read_evidence(item.get("evidence"), positions, builder, place)
    return replace(probe, evidence=tuple(sorted(set(evidence))))


def _name_category(value: object) -> object:
    return CATEGORIES.get(str(value).strip(), value)


def _read_evidence(
    value: object, positions: Mapping[str, int], builder: TranscriptBuilder, place: str
) -> list[int]:
    evidence = []
    is_repaired = False
    is_unknown = False
    for text in map(id_text, as_list(value) if value else []):
        if text in positions:
            evidence.append(positions[text])
            continue
        keys = [_plain(match) for match in _MESSAGE.finditer(text)]
        known_positions = [positions[key] for key in keys if key in positions]
        is_repaired = is_repaired or bool(known_positions)
        is_unknown = is_unknown or len(known_positions) < max(len(keys), 1)
        evidence += known_positions
    if is_repaired:
        builder.note(REPAIRED_EVIDENCE, place)
    if is_unknown:
        builder.note(UNKNOWN_EVIDENCE, place)
    return evidence


def _plain(match: re.Match[str]) -> str:
    return f"D{int(match[1])}:{int(match[2])}"
