"""Messages that a file writes as a list of parts: texts, thoughts, tool calls and tool results, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from memviz.conversation import ToolCall
from memviz.errors import MessageError
from memviz.transcripts.base import REASONING, TIME
from memviz.transcripts.builder import TranscriptBuilder

NAME_KEYS = ("name", "tool_name")
ARGUMENT_KEYS = ("arguments", "args", "input", "tool_kwargs")
ID_KEYS = ("id", "tool_call_id", "call_id", "toolUseId")


class Part(NamedTuple):
    """One part of a message. ``text`` is that of a text, a thought or a result; a result has the ``id`` of the call
    that it answers and may have the ``name`` of its tool."""

    kind: Literal["text", "reasoning", "call", "result"]
    text: str = ""
    call: ToolCall | None = None
    id: str | None = None
    name: str | None = None


def call_part(value: object) -> Part | None:
    """The tool call that a JSON value describes under whichever names its vendor gives the fields; ``None`` where no
    tool is named."""
    if not isinstance(value, dict):
        return None
    function = value.get("function")
    inner = function if isinstance(function, dict) else value
    arguments = _first(inner, ARGUMENT_KEYS)
    call = {"id": label(_first(value, ID_KEYS)), "name": _first(inner, NAME_KEYS), "arguments": arguments}
    try:
        return Part("call", call=ToolCall.of(call))
    except MessageError:
        return None


def label(value: object) -> str | None:
    """An id or a name as text; ``None`` for what can be neither."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def say_parts(
    builder: TranscriptBuilder,
    role: str,
    parts: Sequence[Part],
    place: str,
    *,
    name: str | None = None,
    tool_call_id: str | None = None,
    meta: dict[str, Any] | None = None,
) -> None:
    """Add the messages that the parts of one message are.

    Results become tool messages: those of a user message come before its text; those that a provider's own tools gave
    in the middle of a reply come where they stand, so what follows them is another assistant message.
    """
    results = [part for part in parts if part.kind == "result"]
    if role == "assistant":
        return _say_reply(builder, parts, place, name, meta)
    for result in results:
        builder.add_text("tool", result.text, place, name=result.name or name, tool_call_id=result.id, meta=meta)
    texts = [part.text for part in parts if part.kind == "text" and part.text]
    if texts or not results:
        builder.add_text(role, "\n".join(texts), place, name=name, tool_call_id=tool_call_id, meta=meta)
    return None


def _say_reply(
    builder: TranscriptBuilder, parts: Sequence[Part], place: str, name: str | None, meta: dict[str, Any] | None
) -> None:
    runs = _runs(parts)
    time = {TIME: meta[TIME]} if meta and TIME in meta else None
    for run in runs:
        if run and run[0].kind == "result":
            for result in run:
                builder.add_text("tool", result.text, place, name=result.name, tool_call_id=result.id, meta=time)
        elif run or len(runs) == 1:
            thoughts = {REASONING: "\n".join(part.text for part in run if part.kind == "reasoning")}
            builder.add_text(
                "assistant",
                "\n".join(part.text for part in run if part.kind == "text" and part.text),
                place,
                name=name,
                tool_calls=tuple(part.call for part in run if part.call),
                meta={**(meta or {}), **(thoughts if thoughts[REASONING] else {})} or None,
            )


def _runs(parts: Iterable[Part]) -> list[list[Part]]:
    """The parts as runs of results and of everything else; the first run is never of results."""
    runs: list[list[Part]] = [[]]
    in_results = False
    for part in parts:
        if (part.kind == "result") != in_results:
            in_results = not in_results
            runs.append([])
        runs[-1].append(part)
    return runs


def _first(value: dict[str, Any], keys: Iterable[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)
