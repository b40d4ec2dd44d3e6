"""Messages of other libraries, read by their shape: what LangChain, LlamaIndex and OpenAI's client hand around.

None of these libraries is imported. What is no text in a message is named in its place, such as ``[image]``; thoughts
of a model and cache marks are left out, because they are no part of what was said.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from memviz.core.bounds import type_of
from memviz.core.errors import MessageError
from memviz.core.message_fields import refusal_and_speech
from memviz.core.translation import Said

LANGCHAIN_ROLES = {
    "human": "user", "ai": "assistant", "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
"""Roles by the ``type`` of LangChain's messages."""
OTHER_ROLES = {
    "developer": "system",
    "function": "tool",
    "chatbot": "assistant",
    "model": "assistant",
}
"""Roles of LlamaIndex and OpenAI that are called otherwise here; all other names stay as they are."""
TEXT_TYPES = frozenset({"text", "output_text", "input_text", "refusal"})
UNSAID_TYPES = frozenset(
    {"thinking", "reasoning", "redacted_thinking", "cache", "tool_call", "tool_use"}
)
"""Parts that are not said: thoughts, cache marks, and calls, which have a place of their own in a message."""

USES = frozenset({"tool_use", "tool_call"})
UNTYPED = "content"
"""What stands for a part that does not say what it is."""


def as_dictionary(value: object) -> dict[str, Any] | None:
    """The message as ``{"role", "content", "name", "tool_calls", "tool_call_id"}``; ``None`` if it has no shape that
    is known: of LlamaIndex (``role`` and ``blocks``), of LangChain (``type`` and ``content``) or of OpenAI's client
    (``role`` and ``content``)."""
    if isinstance(value, str | bytes | Mapping | type):
        return None
    # LlamaIndex's messages have a content too, which leaves out all blocks that are no text: they are asked first.
    if isinstance(getattr(value, "blocks", None), list) and hasattr(value, "role"):
        return _of_llama_index(value)
    if isinstance(getattr(value, "type", None), str) and hasattr(value, "content"):
        return _of_langchain(value)
    if hasattr(value, "role") and hasattr(value, "content"):
        return _of_openai(value)
    return None


def _of_llama_index(message: Any) -> dict[str, Any]:
    extra = getattr(message, "additional_kwargs", None)
    if not isinstance(extra, Mapping):
        extra = {}
    in_blocks = [
        _call(block.tool_call_id, block.tool_name, block.tool_kwargs)
        for block in message.blocks
        if _type_of(block) == "tool_call"
    ]
    return {
        "role": _role(message.role),
        "content": _join_parts(message.blocks, between="\n"),
        "name": extra.get("name"),
        "tool_calls": in_blocks or _read_openai_calls(extra.get("tool_calls")),
        "tool_call_id": extra.get("tool_call_id"),
    }


def _of_langchain(message: Any) -> dict[str, Any]:
    # A piece of a stream has the name of its class.
    kind = message.type.removesuffix("MessageChunk").lower()
    role = LANGCHAIN_ROLES.get(kind, kind)
    if kind == "chat":
        role = getattr(message, "role", None)
    # Calls whose arguments are no JSON stand apart, and were made all the same.
    tool_calls = [*(getattr(message, "tool_calls", None) or ())]
    tool_calls += getattr(message, "invalid_tool_calls", None) or ()
    calls = [
        _call(call.get("id"), call["name"], call.get("args"))
        for call in tool_calls
        if call.get("name")
    ]
    # Models of Anthropic have their calls among the parts of the content.
    if not tool_calls:
        calls = _find_calls(message.content)
    return _make_dictionary(message, role, _join_parts(message.content), calls)


def _find_calls(content: Any) -> list[dict[str, Any]]:
    """The calls that are parts of a content and stand nowhere else in the message, as Anthropic writes them:
    ``{"type": "tool_use", "id": "1", "name": "search", "input": {}}``."""
    calls = []
    for part in content if isinstance(content, list | tuple) else []:
        if not isinstance(part, Mapping):
            continue
        if part.get("type") in USES and part.get("name"):
            arguments = part.get("input", part.get("args"))
            calls.append(_call(part.get("id"), part["name"], arguments))
    return calls


def _of_openai(message: Any) -> dict[str, Any]:
    content = _join_parts(message.content)
    if content in (None, ""):
        content = _refusal_and_speech(message)
    calls = _read_openai_calls(getattr(message, "tool_calls", None))
    return _make_dictionary(message, message.role, content, calls)


def _make_dictionary(
    message: Any, role: Any, content: Any, calls: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "role": _role(role),
        "content": content,
        "name": getattr(message, "name", None),
        "tool_calls": calls,
        "tool_call_id": getattr(message, "tool_call_id", None),
    }


def _refusal_and_speech(message: Any) -> str | None:
    """The reason why the model refuses, and the transcript of its audio; ``None`` where it said neither."""
    transcript = _field(getattr(message, "audio", None), "transcript")
    refusal = getattr(message, "refusal", None)
    words = {"refusal": refusal, "audio": {"transcript": transcript}}
    return refusal_and_speech(words) or None


def with_flat_content(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message whose ``content`` is a list of parts, in the shape of the chat API, with the parts as one text and
    the calls among them under ``tool_calls``. Raises :class:`MessageError` for a part that has to be a message."""
    parts = message["content"]
    for part in parts:
        if isinstance(part, str):
            continue
        if _type_of(part) == UNTYPED and not isinstance(_field(part, "text"), str):
            raise MessageError(
                Said(
                    "has a part that is {kind} without a type or a text",
                    kind=type_of(part),
                )
            )
        if _type_of(part) == "tool_result":
            raise MessageError(
                Said(
                    "has the result of a tool as a part; it has to be a message of its own, of role tool"
                )
            )
    flat = {**message, "content": _join_parts(parts, between="\n")}
    calls = message.get("tool_calls") or _find_calls(parts)
    if calls:
        flat["tool_calls"] = calls
    return flat


def _role(role: Any) -> Any:
    role = getattr(role, "value", role)  # an enumeration's member, or the text itself
    return OTHER_ROLES.get(role, role) if isinstance(role, str) else role


def _join_parts(content: Any, between: str = "") -> Any:
    """The text of a list of parts, with ``between`` between them. Anything else stays for :class:`memviz.Message` to
    judge."""
    if not isinstance(content, list | tuple):
        return content
    texts = []
    for part in content:
        text = part if isinstance(part, str) else _read_part(part)
        if text is not None:
            texts.append(text)
    return between.join(texts)


def _read_part(part: Any) -> str | None:
    """The text of a part, or what stands for a part that is no text; ``None`` for one that was not said."""
    kind = _type_of(part)
    file = _field(part, "file")
    if kind in TEXT_TYPES:
        return str(_field(part, "text") or _field(part, "refusal") or "")
    if kind in UNSAID_TYPES:
        return None
    if kind in ("citable", "citation"):
        # LlamaIndex: a text and where it is from.
        inner = _field(part, "content") or _field(part, "cited_content")
        inner_parts = inner if isinstance(inner, list) else [inner]
        return str(_join_parts(inner_parts, between="\n"))
    if isinstance(_field(part, "text"), str):
        return str(_field(part, "text"))
    # Of a picture or a file its kind and name: "input_image" and "image_url" are both "image".
    label = kind.removesuffix("_url").removeprefix("input_")
    filename = _field(file, "filename")
    if isinstance(filename, str) and filename:
        return f"[{label}: {filename[:200]}]"
    return f"[{label}]"


def _type_of(part: Any) -> str:
    return str(_field(part, "block_type") or _field(part, "type") or UNTYPED)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _read_openai_calls(calls: Iterable[Any] | None) -> list[dict[str, Any]]:
    openai_calls = []
    for call in calls or ():
        function = _field(call, "function") or call
        name = _field(function, "name")
        arguments = _field(function, "arguments")
        openai_calls.append(_call(_field(call, "id"), name, arguments))
    return openai_calls


def _call(id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": id, "function": {"name": name, "arguments": arguments}}
