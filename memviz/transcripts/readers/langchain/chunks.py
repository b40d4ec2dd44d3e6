"""Replies of LangChain that were saved in the pieces in which they were streamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from memviz.transcripts.document import Placed
from memviz.transcripts.readers.json_access import list_at, objects_at, text_at
from memviz.transcripts.readers.langchain.messages import Shape, shape_of


def joined_chunks(placed: Iterable[Placed]) -> Iterator[Placed]:
    """The items with neighbouring chunks of one id put together, each reply in the place of its first piece."""
    run: list[Shape] = []
    started_at = ""
    for item, place in placed:
        shape = shape_of(item)
        if run and not (shape and _continues(run[-1], shape)):
            yield _joined(run), started_at
            run = []
        if shape and shape.is_chunk and _id(shape):
            started_at = started_at if run else place
            run.append(shape)
        else:
            yield item, place
    if run:
        yield _joined(run), started_at


def _continues(last: Shape, shape: Shape) -> bool:
    return shape.is_chunk and shape.type == last.type and _id(shape) == _id(last)


def _id(shape: Shape) -> str:
    return text_at(shape.data, "id")


def _joined(run: list[Shape]) -> dict[str, Any]:
    data = dict(run[0].data)
    for shape in run[1:]:
        data = {**data, **{key: value for key, value in shape.data.items() if value}}
    data["content"] = _content([shape.data.get("content") for shape in run])
    if len(run) > 1:
        data["tool_calls"] = _calls(run)
        data["invalid_tool_calls"] = []
    return {"type": run[0].type, "data": data}


def _content(pieces: list[Any]) -> Any:
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    blocks: list[Any] = []
    for piece in pieces:
        for block in piece if isinstance(piece, list) else [piece]:
            block = {"type": "text", "text": block} if isinstance(block, str) else block
            if not (blocks and _extend(blocks[-1], block)):
                blocks.append(dict(block) if isinstance(block, dict) else block)
    return blocks


def _extend(last: Any, block: Any) -> bool:
    """Add a block to the one before it, if it is the next piece of the same text or thought."""
    if not isinstance(last, dict) or not isinstance(block, dict):
        return False
    if (last.get("type"), last.get("index")) != (block.get("type"), block.get("index")):
        return False
    for key in ("text", "thinking", "reasoning"):
        if isinstance(last.get(key), str) and isinstance(block.get(key), str):
            last[key] += block[key]
            return True
    return False


def _calls(run: list[Shape]) -> list[Any]:
    """The calls of a reply: put together from their pieces by index, or whole where no pieces are kept."""
    pieces = [piece for shape in run for piece in objects_at(shape.data, "tool_call_chunks")]
    if not pieces:
        keys = ("tool_calls", "invalid_tool_calls")
        return [call for shape in run for key in keys for call in list_at(shape.data, key)]
    calls: dict[str, dict[str, Any]] = {}
    for piece in pieces:
        call = calls.setdefault(str(piece.get("index")), {"args": ""})
        call.update({key: piece[key] for key in ("name", "id") if piece.get(key)})
        call["args"] += text_at(piece, "args")
    return list(calls.values())
