"""What the stored records of a run have to look like, so that damage is found when it is read and not on a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields as dataclass_fields
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)

from memviz.core.conversation import Log
from memviz.core.forms import FORMS
from memviz.core.memory import SUMMARY
from memviz.core.messages import Message
from memviz.core.pieces import Place
from memviz.engine.compaction import CompactionKind

Count = Annotated[int, Field(strict=True, ge=0)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Text = Annotated[str, Field(strict=True)]


def _within(what: str, behind: int = 0) -> AfterValidator:
    """Expect a number to be at most that of what there is, which the context says; with ``behind`` the number that is
    so many behind it."""

    def expect(number: int, info: ValidationInfo[Mapping[str, int]]) -> int:
        bound = info.context[what]
        if number + behind > bound:
            raise ValueError(
                f"it names {what} {number + behind}, and there are {bound}"
            )
        return number

    return AfterValidator(expect)


Turn = Annotated[Count, _within("turn")]
Position = Annotated[Count, _within("message", 1)]
Stop = Annotated[Count, _within("message")]
Version = Annotated[Count, _within("summary")]
CompactionStop = Annotated[Count, _within("summarization")]
Positions = tuple[Stop, Stop]


class MemoryValue(NamedTuple):
    """A memory as :meth:`memviz.core.memory.Memory.to_json` has it."""

    length: Stop
    summary_count: Version
    cursor: Stop
    marks: dict[Text, Stop] | None = None


def _sound_form(form: dict[str, Any]) -> dict[str, Any]:
    _expect_form(json.dumps(form, sort_keys=True))
    return form


@lru_cache(maxsize=64)
def _expect_form(text: str) -> None:
    """Raise ValueError unless this is a form. The requests of a run have few different ones."""
    fields = json.loads(text)
    name = fields.pop("form", None)
    if name not in FORMS:
        raise ValueError("the form is unknown")
    if not fields.keys() <= {field.name for field in dataclass_fields(FORMS[name])}:  # type: ignore[arg-type]
        raise ValueError(f"the form {name!r} has a field that is unknown")
    try:
        TypeAdapter(FORMS[name]).validate_json(json.dumps(fields), strict=True)
    except ValidationError:
        raise ValueError(f"the form {name!r} has a field with a wrong value") from None


def _sound_message(message: dict[str, Any]) -> dict[str, Any]:
    Message.of(message)
    return message


def _name_of(piece: object) -> object:
    """The name of a piece; messages in a form, and those that stand whole in place of one, have one item more."""
    if not isinstance(piece, list | tuple) or not piece:
        return None
    if piece[0] == "picked" and len(piece) > 2:
        return "picked instead of a form"
    return (
        "messages in a form" if piece[0] == "messages" and len(piece) > 3 else piece[0]
    )


Form = Annotated[dict[Text, Any], AfterValidator(_sound_form)]
SentMessage = Annotated[dict[Text, Any], AfterValidator(_sound_message)]
MessagesPiece = tuple[Text, Stop, Stop]
FormPiece = tuple[Text, Stop, Stop, Form]
NotesPiece = tuple[
    Text, Version, Version, Place, Literal["system", "user", "assistant"]
]
PickedPiece = tuple[Text, list[Position]]
RestoredPiece = tuple[Text, Annotated[list[Position], Field(min_length=1)], Form]
LinePiece = tuple[Text, SentMessage, Place]
Piece = Annotated[
    Annotated[MessagesPiece, Tag("messages")]
    | Annotated[FormPiece, Tag("messages in a form")]
    | Annotated[NotesPiece, Tag("notes")]
    | Annotated[PickedPiece, Tag("picked")]
    | Annotated[RestoredPiece, Tag("picked instead of a form")]
    | Annotated[LinePiece, Tag("line")],
    Discriminator(
        _name_of,
        custom_error_type="unknown_piece",
        custom_error_message="the piece is unknown",
    ),
]


class _Shape(BaseModel):
    model_config = ConfigDict(
        hide_input_in_errors=True
    )  # conversations do not belong into error texts


class _Usage(_Shape):
    input_tokens: Count
    output_tokens: Count
    cached_tokens: Count = 0


class _Facts(_Shape):
    model: Text
    usage: _Usage | None
    cost_usd: Amount | None
    seconds: Amount | None
    recorded: bool = False


class _Probe(_Shape):
    question: Text
    answers: list[Text]
    evidence: list[Count]
    category: Text
    stale: list[Text] = []


class _JudgedAnswer(_Shape):
    probe: _Probe
    run: Count
    reply: Text | None
    verdict: Literal["right", "wrong"] | None
    error: Text | None
    sent_tokens: Count
    calls: list[_Facts]
    summaries: list[_Facts]
    judging: list[_Facts]


class _Recalled(_Shape):
    indices: list[Position]
    missing: list[Text]
    cut: Count
    asked: list[dict[str, Any]]
    by_model: Count


class _Request(_Shape):
    turn: Turn
    memory: MemoryValue
    tokens: dict[Text, Count]
    reply_tokens: Count
    compactions: tuple[CompactionStop, CompactionStop]
    flags: list[Text]
    recalled: _Recalled | None
    facts: _Facts | None
    pieces: list[Piece]
    call: Count
    kind: Literal["answer", "recall", "thinking"]
    input: Positions
    tools: list[Text]
    exchange: Positions
    thoughts: list[dict[str, Any]]


class _LibraryCall(_Shape):
    request: list[SentMessage]
    answer: Text


class _Draft(_Shape):
    text: Text
    instruction: Text | None = None
    error: Text | None
    seconds: Amount | None
    cost: Amount | None
    usage: _Usage | None
    model: Text
    prompt_tokens: Count
    answer: Text | None = None
    recorded: bool = False


class _Compaction(_Shape):
    turn: Turn
    after_message: Annotated[int, _within("message", 1)]
    reason: Text
    keep_from: Stop
    replaces: Version | None
    error: Text | None
    seconds: Amount | None
    cost: Amount | None
    model: Text
    by_thinking: bool
    kind: CompactionKind
    track: Text = SUMMARY
    policy: Literal["leave", "drop", "raise", "instead"] = "leave"
    is_fixed: bool = False
    asked_by_library: _LibraryCall | None = None
    answer: Text | None = None
    recorded: bool = False
    instruction: Text | None
    proposed: Text | None
    revises: Version | None
    tokens_before: Count
    tokens_after: Count
    output_tokens: Count
    prompt_tokens: Count
    summarized: Positions
    before: MemoryValue
    after: MemoryValue
    version: Version | None
    usage: _Usage | None
    discarded: list[_Draft]


class _Summary(_Shape):
    version: Count
    turn: Turn
    text: Text
    tokens: Count
    covers: Positions
    added: Positions
    replaces: Version | None
    track: Text = SUMMARY


class _Pending(_Request):
    """The request that nobody has answered yet, with what is foreseen for it alone."""

    foreseen: list[_Compaction] = []
    foreseen_summaries: list[_Summary] = []


class _Strategy(_Shape):
    id: Text
    parameters: dict[str, Any]


class _EarlierSetting(_Shape):
    strategy: _Strategy
    counter: Text
    last_turn: Turn
    compactions: Count


class _Run(_Shape):
    counter: Text
    system_prompt: Text | None
    system_tokens: Count
    summaries: list[_Summary]
    compactions: list[_Compaction]
    requests: list[_Request]
    earlier_settings: list[_EarlierSetting] = []
    review: bool = False
    drafts: list[_Draft] = []
    pending: _Pending | None = None


def expect_sound_answer(answer: object) -> None:
    """Raise ValueError unless ``answer`` is what :meth:`memviz.engine.judging.JudgedAnswer.to_dict` gives."""
    _JudgedAnswer.model_validate(answer)


def expect_sound(record: Mapping[str, Any], log: Log) -> None:
    """Raise ValueError unless ``record`` has the shape of :meth:`memviz.engine.run.Run.to_record`, and names
    nothing that its conversation ``log`` and its own lists do not have."""
    pending = record.get("pending") or {}
    summaries = [*record["summaries"], *pending.get("foreseen_summaries", ())]
    compactions = [*record["compactions"], *pending.get("foreseen", ())]
    there_are = {
        "turn": log.turn_count,
        "message": len(log),
        "summary": len(summaries),
        "summarization": len(compactions),
    }
    run = _Run.model_validate(dict(record), context=there_are)
    if [one["version"] for one in summaries] != list(range(1, len(summaries) + 1)):
        raise ValueError("a summary is missing")
    _expect_every_call(run, log)
    _expect_in_order([setting.last_turn for setting in run.earlier_settings])
    made = [setting.compactions for setting in run.earlier_settings]
    _expect_in_order([*made, len(run.compactions)])


def _expect_every_call(run: _Run, log: Log) -> None:
    """The turns are numbered from 1 on without a gap, but for those that nobody answered, and so are the calls of
    each."""
    turn, call = 0, 0
    for sent in run.requests:
        call = call + 1 if sent.turn == turn else 1
        skipped = range(turn + 1, min(sent.turn, log.turn_count + 1))
        turn = sent.turn if sent.turn >= turn else -1
        if turn < 0 or any(log.requests_of(log.turn(number)) for number in skipped):
            raise ValueError("a turn is missing")
        if sent.call != call:
            raise ValueError(f"a request of turn {turn} is missing")


def _expect_in_order(numbers: Sequence[int]) -> None:
    if list(numbers) != sorted(numbers):
        raise ValueError("its earlier settings are not in order")
