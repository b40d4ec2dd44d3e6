"""What the stored records of a run have to look like, so that damage is found when it is read and not on a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memviz.conversation import Log

Count = Annotated[int, Field(strict=True, ge=0)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Text = Annotated[str, Field(strict=True)]
Pair = tuple[Count, Count]
Triple = tuple[Count, Count, Count]


class _Shape(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)  # conversations do not belong into error texts


class _Usage(_Shape):
    input_tokens: Count
    output_tokens: Count
    cached_tokens: Count = 0


class _Facts(_Shape):
    model: Text
    usage: _Usage | None
    cost_usd: Amount | None
    seconds: Amount


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


class _Call(_Shape):
    kind: Literal["recall", "thinking"]
    sent_tokens: Count
    reply_tokens: Count
    facts: _Facts
    messages: list[dict[str, Any]]


class _Recalled(_Shape):
    indices: list[Count]
    missing: list[Text]
    cut: Count
    asked: list[dict[str, Any]]
    by_model: Count = 0


class _Sent(_Shape):
    turn: Count
    memory: Triple
    summaries: Pair
    history: list[Pair]
    recalled_positions: list[Count]
    tokens: dict[Text, Count]
    reply_tokens: Count
    compactions: Pair
    flags: list[Text]
    recalled: _Recalled | None
    facts: _Facts | None


class _Request(_Sent):
    call: Count
    kind: Literal["answer", "recall", "thinking"]
    input: Pair
    tools: list[Text]
    exchange: Pair
    thoughts: list[dict[str, Any]]


class _Turn(_Sent):
    """A turn as earlier versions recorded it; see ``memviz/engine/old_records.py``."""

    input: Pair | Count | None
    tools: list[Text] = []
    exchange: Pair = (0, 0)
    calls: list[_Call] = []


class _Draft(_Shape):
    text: Text
    instruction: Text | None = None
    error: Text | None
    seconds: Amount
    cost: Amount | None
    usage: _Usage | None
    model: Text
    prompt_tokens: Count


class _Compaction(_Shape):
    turn: Count
    after_message: int
    reason: Text
    keep_from: Count
    replaces: Count | None
    error: Text | None
    seconds: Amount
    cost: Amount | None
    model: Text
    by_thinking: bool = False
    kind: Literal["summary", "skip", "edit", "undo"] = "summary"
    instruction: Text | None = None
    proposed: Text | None = None
    revises: Count | None = None
    tokens_before: Count
    tokens_after: Count
    output_tokens: Count = 0
    prompt_tokens: Count
    summarized: Pair
    before: Triple
    after: Triple
    version: Count | None
    usage: _Usage | None
    discarded: list[_Draft] = []


class _Summary(_Shape):
    version: Count
    turn: Count
    text: Text
    tokens: Count
    covers: Pair
    added: Pair
    replaces: Count | None


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
    requests: list[_Request] | None = None
    turns: list[_Turn] | None = None
    earlier_settings: list[_EarlierSetting] = []
    review: bool = False
    drafts: list[_Draft] = []

    @property
    def sent(self) -> Sequence[_Request | _Turn]:
        """The records of what was sent: one a request, or one a turn."""
        return self.requests if self.requests is not None else self.turns or []


def expect_sound_answer(answer: object) -> None:
    """Raise ValueError unless ``answer`` is what :meth:`memviz.engine.judged_answer.JudgedAnswer.to_dict` gives."""
    _JudgedAnswer.model_validate(answer)


def expect_sound(record: Mapping[str, Any], log: Log) -> None:
    """Raise ValueError unless ``record`` has the shape of :meth:`memviz.engine.run.Run.to_record`, and names
    nothing that its conversation ``log`` and its own lists do not have."""
    run = _Run.model_validate(dict(record))
    if [summary.version for summary in run.summaries] != list(range(1, len(run.summaries) + 1)):
        raise ValueError("a summary is missing")
    if (run.requests is None) == (run.turns is None):
        raise ValueError("it has to have either requests or turns")
    _expect_every_call(run)
    _expect_within(_turn_numbers(run), log.turn_count, "turn")
    _expect_within(_positions(run), len(log), "message")
    _expect_within(_versions(run), len(run.summaries), "summary")
    _expect_within((sent.compactions[1] for sent in run.sent), len(run.compactions), "summarization")
    _expect_within((setting.compactions for setting in run.earlier_settings), len(run.compactions), "summarization")
    _expect_in_order([setting.last_turn for setting in run.earlier_settings])
    _expect_in_order([setting.compactions for setting in run.earlier_settings])


def _expect_every_call(run: _Run) -> None:
    """The turns are numbered from 1 on without a gap, and so are the calls of each."""
    turn, call = 0, 0
    for sent in run.sent:
        found = sent.call if isinstance(sent, _Request) else 1
        turn, call = (turn, call + 1) if sent.turn == turn else (turn + 1, 1)
        if sent.turn != turn:
            raise ValueError("a turn is missing")
        if found != call:
            raise ValueError(f"a request of turn {turn} is missing")


def _expect_within(numbers: Iterator[int], bound: int, what: str) -> None:
    largest = max(numbers, default=0)
    if largest > bound:
        raise ValueError(f"it names {what} {largest}, and there are {bound}")


def _expect_in_order(numbers: Sequence[int]) -> None:
    if list(numbers) != sorted(numbers):
        raise ValueError("its earlier settings are not in order")


def _turn_numbers(run: _Run) -> Iterator[int]:
    yield from (sent.turn for sent in run.sent)
    yield from (setting.last_turn for setting in run.earlier_settings)
    yield from (compaction.turn for compaction in run.compactions)
    yield from (summary.turn for summary in run.summaries)


def _positions(run: _Run) -> Iterator[int]:
    """Everything that may be at most the number of messages."""
    for sent in run.sent:
        yield from (*_memory_positions(sent.memory), *sent.exchange)
        yield from (position for part in sent.history for position in part)
        asked = sent.input if isinstance(sent.input, tuple) else (0, 0 if sent.input is None else sent.input + 1)
        yield from (*_behind(sent.recalled_positions), *asked)
        yield from _behind(sent.recalled.indices if sent.recalled else ())
    for compaction in run.compactions:
        yield from (compaction.after_message + 1, compaction.keep_from, *compaction.summarized)
        yield from (*_memory_positions(compaction.before), *_memory_positions(compaction.after))
    for summary in run.summaries:
        yield from (*summary.covers, *summary.added)


def _behind(positions: Sequence[int]) -> Iterator[int]:
    return (position + 1 for position in positions)


def _memory_positions(memory: tuple[int, int, int]) -> tuple[int, int]:
    length, _, cursor = memory
    return length, cursor


def _versions(run: _Run) -> Iterator[int]:
    for sent in run.sent:
        yield from (sent.memory[1], *sent.summaries)
    for compaction in run.compactions:
        yield from (compaction.before[1], compaction.after[1])
        yield from (number or 0 for number in (compaction.version, compaction.replaces, compaction.revises))
    for summary in run.summaries:
        yield summary.replaces or 0
