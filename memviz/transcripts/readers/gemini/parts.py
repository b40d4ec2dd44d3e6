"""Contents of the Gemini API: a role and parts, which are texts, files, calls of functions and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.gemini.fields import field, part_text
from memviz.transcripts.readers.gemini.fields import response_text as response_text
from memviz.transcripts.readers.replies import Reply, add_result, id_text, joined, json_text

CODE_TOOL = "code_execution"
RESULT_FIELDS = ("functionResponse", "function_response")


def are_contents(items: object) -> bool:
    """Whether at least half of a list are contents of the user or the model, and none has parts of another kind."""
    if not isinstance(items, Sequence) or isinstance(items, str) or not items:
        return False
    roles = [item.get("role") for item in items if isinstance(item, dict) and _has_gemini_parts(item)]
    spoken = sum(role in ("user", "model") for role in roles)
    foreign = any(isinstance(item, dict) and _is_foreign(item) for item in items)
    return 2 * spoken >= len(items) and not foreign


def instruction_text(value: object, note: Callable[[str], None]) -> str | None:
    """The text of a system instruction: a content without role, or a text."""
    if isinstance(value, str):
        return value or None
    parts = _parts(value) if isinstance(value, dict) else value
    return joined([part_text(part, note) for part in parts]) or None if isinstance(parts, list) else None


def read_content(content: object, builder: TranscriptBuilder, place: str, role: str = "", **meta: Any) -> None:
    """Add the messages that a content stands for; ``role`` is what one without a role has, if that is known."""
    if not isinstance(content, dict):
        builder.leave_out(place, f"is {kind_of(content)}, not an object")
        return
    given, parts = content.get("role") or role, _parts(content)
    speaker = "assistant" if given == "model" else known_role(given)
    if speaker is None:
        unknown = f"has the unknown role {given[:40]!r}" if isinstance(given, str) and given else "has no role"
        builder.leave_out(place, unknown)
    elif not isinstance(parts, list):
        builder.leave_out(place, f"has parts that are {kind_of(parts)}, not a list")
    elif speaker == "assistant":
        _read_reply(parts, Reply(builder, place, meta), lambda what: builder.note(what, place))
    else:
        _read_prompt(speaker, parts, builder, place)


def _parts(content: Mapping[str, Any]) -> object:
    parts = content.get("parts")
    if parts is None:
        return []
    return [parts] if isinstance(parts, (str, dict)) else parts


def _has_gemini_parts(item: Mapping[str, Any]) -> bool:
    parts = _parts(item)
    return "parts" in item and isinstance(parts, list) and (bool(parts) or item.get("role") == "model")


def _is_foreign(item: Mapping[str, Any]) -> bool:
    """Whether its parts say their type or kind, as those of other products do."""
    parts = _parts(item)
    typed = isinstance(parts, list) and any(
        isinstance(part, dict) and ("type" in part or "kind" in part) for part in parts
    )
    return typed or "parentId" in item or "chat_messages" in item


def _read_prompt(speaker: str, parts: list[Any], builder: TranscriptBuilder, place: str) -> None:
    texts, answered = [], False
    for part in parts:
        result = field(part, *RESULT_FIELDS) if isinstance(part, dict) else None
        if isinstance(result, dict):
            answered = True
            add_result(builder, place, result.get("id"), _result_text(result, builder, place), result.get("name"))
        else:
            texts.append(part_text(part, lambda what: builder.note(what, place)))
    if joined(texts) or not answered:
        builder.add_text(speaker, joined(texts), place)


def _result_text(result: Mapping[str, Any], builder: TranscriptBuilder, place: str) -> str:
    media = result.get("parts")
    shown = (
        [part_text(part, lambda what: builder.note(what, place)) for part in media] if isinstance(media, list) else []
    )
    return joined([response_text(result.get("response")), *shown])


def _read_reply(parts: list[Any], reply: Reply, note: Callable[[str], None]) -> None:
    for part in parts:
        if not isinstance(part, dict) or not _read_tool_part(part, reply):
            if isinstance(part, dict) and part.get("thought") is True:
                reply.think(part.get("text"))
            else:
                reply.text(part_text(part, note))
    reply.end()


def _read_tool_part(part: Mapping[str, Any], reply: Reply) -> bool:
    """Whether the part is a call or a result that the reply now has."""
    call = field(part, "functionCall", "function_call", "toolCall", "tool_call")
    code = field(part, "executableCode", "executable_code")
    output = field(part, "codeExecutionResult", "code_execution_result")
    result = field(part, *RESULT_FIELDS, "toolResponse", "tool_response")
    if isinstance(call, dict):
        reply.call(call.get("id"), field(call, "name", "toolType", "tool_type"), call.get("args"))
    elif isinstance(code, dict):
        reply.call(code.get("id"), CODE_TOOL, {key: code[key] for key in ("language", "code") if key in code})
    elif isinstance(output, dict):
        text = json_text(output.get("output")) or id_text(output.get("outcome"))
        reply.result(output.get("id"), text, CODE_TOOL)
    elif isinstance(result, dict):
        name = field(result, "name", "toolType", "tool_type")
        reply.result(result.get("id"), response_text(result.get("response")), name)
    else:
        return False
    return True
