"""The names that programs have for the fields of a message: one table of role names, and the keys under which its
text may stand."""

from collections.abc import Iterator, Mapping
from typing import Any

from memviz.core.errors import MessageError
from memviz.core.translation import Said

ROLE_NAMES = {
    "user": "user human you me customer prompter",
    "assistant": "assistant ai bot chatbot chatgpt gpt claude gemini model agent bing bard gpt4 gpt_4 gpt_3.5 "
    "gpt_3.5_turbo",
    "system": "system developer",
    "tool": "tool function observation function_response tool_response function_result tool_result function_output "
    "tool_output",
}
"""The names under which each role speaks in files: in JSON, in tables and in texts."""
_ROLES = {name: role for role, names in ROLE_NAMES.items() for name in names.split()}
MAX_NAME_CHARS = 20

TEXT_KEYS = (
    "text",
    "message",
    "value",
    "message_content",
    "message_text",
    "body",
    "utterance",
)
"""The fields in which a message without ``content`` has its text."""
PART_KEYS = ("blocks", "parts")
"""The fields in which the text stands in pieces, as LlamaIndex and Gemini write it."""
_MAY_BE_SILENT = (
    "content",
    "tool_calls",
    "function_call",
    "refusal",
    "audio",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
)
"""A message that has any of these may have no text."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_BLOCK_LABELS = {"document": "file"}
_UNSAID_BLOCKS = ("tool_call", "thinking", "cache")
MAX_KEYS_SHOWN = 8


def role_named(name: object) -> str | None:
    """The role of a name in any letter case, with spaces, hyphens or underscores; ``None`` for
    any other value. "Function-Response" is the role ``tool``."""
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        return None
    # Nearly every message names its role as it is known.
    if name in _ROLES:
        return _ROLES[name]
    return _ROLES.get(name.strip().lower().replace("-", "_").replace(" ", "_"))


def text_beside_content(value: Mapping[str, Any]) -> Any:
    """The value in place of a ``content``: a text, a list of parts, or an object; ``None`` where a message of this
    kind may have no text.

    Raises :class:`MessageError`, which completes "the message ...", where there is no text and nothing that explains
    why: then the text stands under a key that nobody knows, and would be lost.
    """
    filled_keys = [key for key, item in value.items() if item not in _EMPTY]
    text = None
    for key in (*TEXT_KEYS, *PART_KEYS):
        if key in filled_keys:
            text = value[key]
            break
    text = text or refusal_and_speech(value) or None
    if isinstance(text, Mapping):
        inner = text.get("content")
        return inner if inner is not None else text_beside_content(text)
    if text is not None:
        return text
    if any(key in value for key in (*_MAY_BE_SILENT, *TEXT_KEYS, *PART_KEYS)):
        return None
    # An assistant that said nothing may be saved without its null fields.
    if value.get("role") == "assistant" and filled_keys == ["role"]:
        return None
    keys = tuple(repr(str(key)[:40]) for key in list(value)[:MAX_KEYS_SHOWN])
    raise MessageError(
        Said(
            "has no text: it has {keys}, and none of content, {names}",
            keys=keys or Said("no key"),
            names=TEXT_KEYS[:3],
        )
    )


def refusal_and_speech(value: Mapping[str, Any]) -> str:
    """The words of a model of OpenAI's API outside of ``content``: its reason to refuse, and the transcript of its
    audio, one a line; empty where it said neither."""
    audio = value.get("audio")
    transcript = audio.get("transcript") if isinstance(audio, Mapping) else None
    texts = []
    for text in (value.get("refusal"), transcript):
        if isinstance(text, str) and text and text not in texts:
            texts.append(text)
    return "\n".join(texts)


def flat_message(value: Mapping[str, Any]) -> dict[str, Any]:
    """A message without ``content`` in the OpenAI chat shape: its text as ``content``, and what LlamaIndex keeps in
    blocks or in ``additional_kwargs`` where that shape has it. Raises :class:`MessageError` as
    :func:`text_beside_content` does."""
    text = text_beside_content(value)
    # A list stands in the blocks of LlamaIndex; any other text is the content as it is.
    if not isinstance(text, list | tuple):
        return {**value, "content": value.get("content") if text is None else text}
    flat: dict[str, Any] = {}
    extra = value.get("additional_kwargs")
    for key in ("tool_calls", "tool_call_id", "name"):
        if isinstance(extra, Mapping) and key in extra:
            flat[key] = extra[key]
    blocks = [block for block in text if isinstance(block, Mapping)]
    calls = [_call(block) for block in blocks if block.get("block_type") == "tool_call"]
    if calls:
        flat["tool_calls"] = calls
    contents = [str(block["content"]) for block in blocks if _is_thought(block)]
    thoughts = "\n".join(contents)
    if thoughts:
        flat["meta"] = {"reasoning": thoughts}
    # What the message says itself counts for more than what was read out of blocks.
    flat |= {key: item for key, item in value.items() if item is not None}
    flat["content"] = "\n".join(_read_blocks(text))
    return flat


def _read_blocks(blocks: list[Any] | tuple[Any, ...]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, str):
            yield block
        elif isinstance(block, Mapping) and isinstance(block.get("text"), str):
            yield block["text"]
        elif isinstance(block, Mapping):
            # A picture or a file is named in brackets; thoughts and calls were not said.
            if block.get("block_type") in _UNSAID_BLOCKS:
                continue
            kind = str(block.get("block_type") or block.get("type") or "part")
            yield f"[{_BLOCK_LABELS.get(kind, kind)[:40]}]"


def _is_thought(block: Mapping[str, Any]) -> bool:
    is_thinking = block.get("block_type") == "thinking"
    return is_thinking and isinstance(block.get("content"), str)


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    id = block.get("tool_call_id")
    return {
        "id": id,
        "name": block.get("tool_name"),
        "arguments": block.get("tool_kwargs"),
    }
