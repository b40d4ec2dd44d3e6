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


class _Turn(_Shape):
    turn: Count
    memory: Triple
    summaries: Pair
    history: list[Pair]
    recalled_positions: list[Count]
    input: Pair | Count | None
    tools: list[Text] = []
    exchange: Pair = (0, 0)
    tokens: dict[Text, Count]
    reply_tokens: Count
    compactions: Pair
    flags: list[Text]
    recalled: _Recalled | None
    facts: _Facts | None
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
    turns: list[_Turn]
    earlier_settings: list[_EarlierSetting] = []
    review: bool = False
    drafts: list[_Draft] = []


def expect_sound_answer(answer: object) -> None:
    """Raise ValueError unless ``answer`` is what :meth:`memviz.engine.judged_answer.JudgedAnswer.to_dict` gives."""
    _JudgedAnswer.model_validate(answer)


def expect_sound(record: Mapping[str, Any], log: Log) -> None:
    """Raise ValueError unless ``record`` has the shape of :meth:`memviz.engine.run.Run.to_record`, and names
    nothing that its conversation ``log`` and its own lists do not have."""
    run = _Run.model_validate(dict(record))
    if [summary.version for summary in run.summaries] != list(range(1, len(run.summaries) + 1)):
        raise ValueError("a summary is missing")
    if [turn.turn for turn in run.turns] != list(range(1, len(run.turns) + 1)):
        raise ValueError("a turn is missing")
    _expect_within(_turn_numbers(run), log.turn_count, "turn")
    _expect_within(_positions(run), len(log), "message")
    _expect_within(_versions(run), len(run.summaries), "summary")
    _expect_within((turn.compactions[1] for turn in run.turns), len(run.compactions), "summarization")
    _expect_within((setting.compactions for setting in run.earlier_settings), len(run.compactions), "summarization")
    _expect_in_order([setting.last_turn for setting in run.earlier_settings])
    _expect_in_order([setting.compactions for setting in run.earlier_settings])


def _expect_within(numbers: Iterator[int], bound: int, what: str) -> None:
    largest = max(numbers, default=0)
    if largest > bound:
        raise ValueError(f"it names {what} {largest}, and there are {bound}")


def _expect_in_order(numbers: Sequence[int]) -> None:
    if list(numbers) != sorted(numbers):
        raise ValueError("its earlier settings are not in order")


def _turn_numbers(run: _Run) -> Iterator[int]:
    yield from (turn.turn for turn in run.turns)
    yield from (setting.last_turn for setting in run.earlier_settings)
    yield from (compaction.turn for compaction in run.compactions)
    yield from (summary.turn for summary in run.summaries)


def _positions(run: _Run) -> Iterator[int]:
    """Everything that may be at most the number of messages."""
    for turn in run.turns:
        yield from (*_memory_positions(turn.memory), *turn.exchange)
        yield from (position for part in turn.history for position in part)
        asked = turn.input if isinstance(turn.input, tuple) else (0, 0 if turn.input is None else turn.input + 1)
        yield from (*_behind(turn.recalled_positions), *asked)
        yield from _behind(turn.recalled.indices if turn.recalled else ())
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
    for turn in run.turns:
        yield from (turn.memory[1], *turn.summaries)
    for compaction in run.compactions:
        yield from (compaction.before[1], compaction.after[1])
        yield from (number or 0 for number in (compaction.version, compaction.replaces, compaction.revises))
    for summary in run.summaries:
        yield summary.replaces or 0
