"""What the stored records of a run have to look like, so that damage is found when it is read and not on a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
)

from memviz.conversation import Log, Message
from memviz.engine.compaction import CompactionKind
from memviz.forms import FORMS
from memviz.memory import SUMMARY
from memviz.pieces import Place

Count = Annotated[int, Field(strict=True, ge=0)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Text = Annotated[str, Field(strict=True)]
Pair = tuple[Count, Count]
Marks = dict[Text, Count]
MemoryValue = Annotated[
    tuple[Count, Count, Count] | tuple[Count, Count, Count, Marks],
    Field(union_mode="left_to_right"),
]  # the first one that fits: nearly all memories have no marks


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
MessagesPiece = tuple[Text, Count, Count]
FormPiece = tuple[Text, Count, Count, Form]
NotesPiece = tuple[Text, Count, Count, Place, Literal["system", "user", "assistant"]]
PickedPiece = tuple[Text, list[Count]]
RestoredPiece = tuple[Text, Annotated[list[Count], Field(min_length=1)], Form]
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
    indices: list[Count]
    missing: list[Text]
    cut: Count
    asked: list[dict[str, Any]]
    by_model: Count


class _Request(_Shape):
    turn: Count
    memory: MemoryValue
    tokens: dict[Text, Count]
    reply_tokens: Count
    compactions: Pair
    flags: list[Text]
    recalled: _Recalled | None
    facts: _Facts | None
    pieces: list[Piece]
    call: Count
    kind: Literal["answer", "recall", "thinking"]
    input: Pair
    tools: list[Text]
    exchange: Pair
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
    turn: Count
    after_message: int
    reason: Text
    keep_from: Count
    replaces: Count | None
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
    revises: Count | None
    tokens_before: Count
    tokens_after: Count
    output_tokens: Count
    prompt_tokens: Count
    summarized: Pair
    before: MemoryValue
    after: MemoryValue
    version: Count | None
    usage: _Usage | None
    discarded: list[_Draft]


class _Summary(_Shape):
    version: Count
    turn: Count
    text: Text
    tokens: Count
    covers: Pair
    added: Pair
    replaces: Count | None
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
    last_turn: Count
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

    @property
    def shown(self) -> Sequence[_Request]:
        """Those of what was sent, and of the request that nobody has answered yet."""
        return (
            [*self.requests, self.pending]
            if self.pending is not None
            else self.requests
        )

    @property
    def all_compactions(self) -> Sequence[_Compaction]:
        """Those that were made, and those that are foreseen."""
        return (
            [*self.compactions, *self.pending.foreseen]
            if self.pending is not None
            else self.compactions
        )

    @property
    def all_summaries(self) -> Sequence[_Summary]:
        """Those that were written, and those that are foreseen."""
        return (
            [*self.summaries, *self.pending.foreseen_summaries]
            if self.pending is not None
            else self.summaries
        )


def expect_sound_answer(answer: object) -> None:
    """Raise ValueError unless ``answer`` is what :meth:`memviz.engine.judged_answer.JudgedAnswer.to_dict` gives."""
    _JudgedAnswer.model_validate(answer)


def expect_sound(record: Mapping[str, Any], log: Log) -> None:
    """Raise ValueError unless ``record`` has the shape of :meth:`memviz.engine.run.Run.to_record`, and names
    nothing that its conversation ``log`` and its own lists do not have."""
    run = _Run.model_validate(dict(record))
    if [summary.version for summary in run.all_summaries] != list(
        range(1, len(run.all_summaries) + 1)
    ):
        raise ValueError("a summary is missing")
    _expect_every_call(run, log)
    _expect_within(_turn_numbers(run), log.turn_count, "turn")
    _expect_within(_positions(run), len(log), "message")
    _expect_within(_versions(run), len(run.all_summaries), "summary")
    _expect_within(
        (sent.compactions[1] for sent in run.shown),
        len(run.all_compactions),
        "summarization",
    )
    _expect_within(
        (setting.compactions for setting in run.earlier_settings),
        len(run.compactions),
        "summarization",
    )
    _expect_in_order([setting.last_turn for setting in run.earlier_settings])
    _expect_in_order([setting.compactions for setting in run.earlier_settings])


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


def _expect_within(numbers: Iterator[int], bound: int, what: str) -> None:
    largest = max(numbers, default=0)
    if largest > bound:
        raise ValueError(f"it names {what} {largest}, and there are {bound}")


def _expect_in_order(numbers: Sequence[int]) -> None:
    if list(numbers) != sorted(numbers):
        raise ValueError("its earlier settings are not in order")


def _turn_numbers(run: _Run) -> Iterator[int]:
    yield from (sent.turn for sent in run.shown)
    yield from (setting.last_turn for setting in run.earlier_settings)
    yield from (compaction.turn for compaction in run.all_compactions)
    yield from (summary.turn for summary in run.all_summaries)


def _positions(run: _Run) -> Iterator[int]:
    """Everything that may be at most the number of messages."""
    for sent in run.shown:
        yield from (*_memory_positions(sent.memory), *sent.exchange, *sent.input)
        for piece in sent.pieces:
            yield from _piece_positions(piece)
        yield from _behind(sent.recalled.indices if sent.recalled else ())
    for compaction in run.all_compactions:
        yield from (
            compaction.after_message + 1,
            compaction.keep_from,
            *compaction.summarized,
        )
        yield from (
            *_memory_positions(compaction.before),
            *_memory_positions(compaction.after),
        )
    for summary in run.all_summaries:
        yield from (*summary.covers, *summary.added)


def _behind(positions: Sequence[int]) -> Iterator[int]:
    return (position + 1 for position in positions)


def _memory_positions(memory: MemoryValue) -> Iterator[int]:
    length, _, cursor, *marks = memory
    yield from (length, cursor)
    for named in marks:
        yield from named.values()


def _piece_positions(piece: tuple[Any, ...]) -> Sequence[int]:
    name, first, *rest = piece
    if name == "messages":
        return first, rest[0]
    return [*_behind(first)] if name == "picked" else ()


def _note_versions(piece: tuple[Any, ...]) -> tuple[Any, ...]:
    return piece[1:3] if piece[0] == "notes" else ()


def _versions(run: _Run) -> Iterator[int]:
    for sent in run.shown:
        yield sent.memory[1]
        for piece in sent.pieces:
            yield from _note_versions(piece)
    for compaction in run.all_compactions:
        yield from (compaction.before[1], compaction.after[1])
        yield from (
            number or 0
            for number in (compaction.version, compaction.replaces, compaction.revises)
        )
    for summary in run.all_summaries:
        yield summary.replaces or 0
