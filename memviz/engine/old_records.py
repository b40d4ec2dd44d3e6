"""Records as earlier versions kept them: before version 7 one for each turn, with the calls before its reply beside it,
and before version 8 without the pieces of a request: its summary, history, recalled messages and input apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memviz.core.conversation import Message
from memviz.core.memory import Memory, MemorySpace
from memviz.core.pieces import Messages, Picked, Piece, messages, notes, to_json
from memviz.engine.assembly import Parts, assemble, count
from memviz.engine.recall import Recalled, resolve
from memviz.engine.thinking import THINKING_INSTRUCTION
from memviz.engine.tool_pairs import in_pairs
from memviz.models.tools import RECALL_CONVERSATION
from memviz.strategies.base import Strategy


def requests_of(
    value: Mapping[str, Any], space: MemorySpace, strategy: Strategy
) -> Sequence[Mapping[str, Any]]:
    """The records of the requests in what ``Run.to_record`` described, now or in an earlier version.

    A turn that an earlier version kept as one record becomes one record for each call of the model that is on record.
    """
    if "requests" in value:
        return [
            record if "pieces" in record else in_pieces(record)
            for record in value["requests"]
        ]
    return [
        in_pieces(record)
        for turn in value["turns"]
        for record in _records_of(turn, space, strategy)
    ]


def in_pieces(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record of version 7 with its pieces."""
    apart = ("summaries", "history", "recalled_positions")
    pieces = [to_json(piece) for piece in _parts(record).pieces]
    return {
        **{name: item for name, item in record.items() if name not in apart},
        "pieces": pieces,
    }


def _records_of(
    turn: Mapping[str, Any], space: MemorySpace, strategy: Strategy
) -> Iterator[Mapping[str, Any]]:
    """The calls before the reply, each with what was recalled and said by then, and the one that gave the reply."""
    first, stop = turn.get("exchange", (0, 0))
    calls = turn.get("calls", ())
    whole = {
        **{name: item for name, item in turn.items() if name != "calls"},
        "tools": turn.get("tools", []),
        "exchange": [first, stop],
        "input": _input(turn["input"]),
        "call": len(calls) + 1,
        "kind": "answer",
        "thoughts": [message for call in calls for message in call["messages"]],
    }
    said: list[Mapping[str, Any]] = []
    position, recalls = first, 0
    for number, call in enumerate(calls, 1):
        instruction = (
            [THINKING_INSTRUCTION.to_dict()] if call["kind"] == "thinking" else []
        )
        record = {
            **whole,
            "call": number,
            "kind": call["kind"],
            "exchange": [first, position] if position > first else [0, 0],
            "thoughts": [*instruction, *said],
            "reply_tokens": call["reply_tokens"],
            "facts": call["facts"],
            "flags": [flag for flag in turn["flags"] if flag != "partial_reply"],
            **_recalled_by_then(whole, recalls, space, strategy),
        }
        yield {**record, "tokens": _counted(record, space)}
        whole["compactions"] = [
            turn["compactions"][1]
        ] * 2  # they changed the first request already
        exchanged = [Message.of(message) for message in call["messages"]]
        if position < stop and call["kind"] == "recall":
            exchanged = space.log[
                position : position + 1 + len(space.log[position].tool_calls)
            ]
            position += len(exchanged)
        said += call["messages"]
        recalls += _granted(exchanged)
    if (
        first < stop
    ):  # what the model wrote there is the output of the calls that wrote it
        whole["reply_tokens"] = space.sums.between(stop, space.log.reply_stop(stop))
    yield whole


def _input(value: int | Sequence[int] | None) -> list[int]:
    """The input; once it was the position of one message, or none."""
    if value is None or isinstance(value, int):
        return [0, 0] if value is None else [value, value + 1]
    return list(value)


def _granted(exchanged: Sequence[Message]) -> int:
    """How many recalls a reply asked for and got; ``exchanged`` are the reply and what it was told."""
    if not exchanged:
        return 0
    calls = zip(exchanged[0].tool_calls, exchanged[1:], strict=False)
    return sum(
        call.name == RECALL_CONVERSATION.name
        and not result.content.startswith("Error:")
        for call, result in calls
    )


def _recalled_by_then(
    turn: Mapping[str, Any], by_model: int, space: MemorySpace, strategy: Strategy
) -> dict[str, Any]:
    """What was recalled when the model had made the first ``by_model`` of its recalls."""
    found = (
        Recalled.from_dict(turn["recalled"], space.log) if turn["recalled"] else None
    )
    if found is None or by_model == found.by_model:
        return {}
    asked = found.asked[: len(found.asked_by_user) + by_model]
    memory, parts = Memory.from_json(space, turn["memory"]), _parts(turn)
    selection = parts.with_recalled(()).pieces
    now = resolve(
        space.log, memory.before_open_turn, asked, strategy.recall_limit_messages
    )
    fresh = assemble(memory, selection, now.indices)
    if (
        assemble(memory, selection, found.indices).recalled != parts.recalled
    ):  # tool pairs are kept whole
        fresh = in_pairs(space.log, fresh)
    known = {**now.to_dict(), "by_model": by_model}
    return {
        "recalled": known if asked else None,
        "recalled_positions": list(fresh.recalled),
    }


def _parts(record: Mapping[str, Any]) -> Parts:
    recalled, asked = tuple(record["recalled_positions"]), range(*record["input"])
    pieces: tuple[Piece, ...] = (
        *notes(range(*record["summaries"])),
        *(Messages(*part) for part in record["history"]),
        *((Picked(recalled),) if recalled else ()),
        *((messages(asked),) if asked else ()),
    )
    return Parts(pieces, asked, tuple(record["tools"]), range(*record["exchange"]))


def _counted(record: Mapping[str, Any], space: MemorySpace) -> dict[str, int]:
    thoughts = [Message.of(message) for message in record["thoughts"]]
    return count(Memory.from_json(space, record["memory"]), _parts(record), thoughts)
