"""Messages: who said what, and which tools an assistant's words call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Literal, get_args

from memviz.core.bounds import type_of
from memviz.core.errors import MessageError
from memviz.core.foreign_messages import as_dictionary, with_flat_content
from memviz.core.message_fields import flat_message

Role = Literal["system", "user", "assistant", "tool"]
ROLES: frozenset[str] = frozenset(get_args(Role))
TIME = "time"
"""Key in a message's ``meta``: the time at which it was said, as ISO text."""
RECALL_EXCHANGE = "recall_exchange"
"""Key in a message's ``meta``: a call of the recall tool, or its result."""


def clean_text(text: str) -> str:
    """Return ``text`` without lone surrogates, which UTF-8, Arrow, SQLite and browsers all
    refuse."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool that an assistant message asks for. ``arguments`` is JSON text, as sent."""

    id: str
    name: str
    arguments: str = "{}"

    @classmethod
    def of(cls, value: ToolCall | Mapping[str, Any]) -> ToolCall:
        """Return a tool call from the OpenAI shape ``{"id", "function": {"name",
        "arguments"}}`` or a flat one, ``{"id", "name", "arguments"}``."""
        if isinstance(value, ToolCall):
            return value
        if not isinstance(value, Mapping):
            raise MessageError(
                f"A tool call is {type_of(value)}; it has to be an object with id and function."
            )
        function = value.get("function")
        source: Mapping[str, Any] = function if isinstance(function, Mapping) else value
        name = source.get("name")
        if not isinstance(name, str) or not name:
            raise MessageError("A tool call has no function name.")
        # OpenAI has the arguments as JSON text, most libraries as an object.
        arguments = source.get("arguments")
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        return cls(
            id=clean_text(str(value.get("id") or "")),
            name=clean_text(name),
            arguments=clean_text(arguments),
        )

    def to_dict(self) -> dict[str, Any]:
        """The OpenAI shape of the call."""
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Immutable.

    Raises :class:`MessageError` for an unknown role or a content that is not text.
    """

    role: str
    content: str
    """Text. ``None``, which tool-calling assistants send, becomes the empty text."""
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that an assistant's message makes. OpenAI dictionaries are taken too."""
    tool_call_id: str | None = None
    """The ``id`` of the call that a tool's message answers."""
    meta: Mapping[str, Any] | None = field(default=None, hash=False)
    """Anything else. It is never sent to a model."""

    def __post_init__(self) -> None:
        if not isinstance(self.role, str) or self.role not in ROLES:
            raise MessageError(
                f"Role {self.role!r} is unknown; allowed are {', '.join(sorted(ROLES))}."
            )
        # Logs have tens of thousands of messages, and most of them need none of the rest.
        if not isinstance(self.content, str) or not self.content.isascii():
            content = "" if self.content is None else self.content
            self._set_text("content", content)
        if self.name is not None:
            self._set_text("name", self.name)
        if self.tool_call_id is not None:
            self._set_text("tool_call_id", self.tool_call_id)
        if self.tool_calls is None:
            self._set("tool_calls", ())
        elif self.tool_calls:
            calls = [ToolCall.of(call) for call in self.tool_calls]
            self._set("tool_calls", tuple(calls))
        if self.meta is not None:
            self._set("meta", self._copied_meta())

    def _set(self, field_name: str, value: object) -> None:
        object.__setattr__(self, field_name, value)

    def _set_text(self, field_name: str, value: object) -> None:
        if not isinstance(value, str):
            raise MessageError(
                f"The {field_name} of a {self.role} message is {type_of(value)}; it has to be text."
            )
        self._set(field_name, clean_text(value))

    def _copied_meta(self) -> dict[str, Any]:
        if not isinstance(self.meta, Mapping):
            raise MessageError(
                f"The meta of a {self.role} message is not an object of keys and values."
            )
        return dict(self.meta)

    @property
    def said_at(self) -> datetime | None:
        """The time at which it was said, in UTC where no zone is named; ``None`` where it
        is not known."""
        text = self.meta.get(TIME) if self.meta else None
        if not isinstance(text, str):
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    @property
    def is_recall_exchange(self) -> bool:
        """True for a call of the recall tool and its result, which no summary should keep."""
        return self.meta is not None and bool(self.meta.get(RECALL_EXCHANGE))

    @classmethod
    def of(cls, value: object) -> Message:
        """Return ``value`` as a message.

        It may be a message, a dictionary with ``role`` and ``content``, or a message object
        of LangChain, LlamaIndex or OpenAI's client. A ``content`` that is a list of parts
        becomes one text, each part on a line. Without a ``content`` the text is looked for
        under ``text``, ``message``, ``value``, and in the ``blocks`` of LlamaIndex's
        ``model_dump()``. Raises :class:`MessageError` where no text is found.
        """
        if isinstance(value, Message):
            return value
        value = as_dictionary(value) or value
        if not isinstance(value, Mapping):
            raise MessageError(
                f"A message is {type_of(value)}; it has to be an object with role and content."
            )
        if "role" not in value:
            raise MessageError(
                "A message has no role; give one of " + ", ".join(sorted(ROLES)) + "."
            )
        value = _with_text(value)
        calls = value.get("tool_calls") or ()
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise MessageError("The tool_calls of a message have to be a list.")
        role = value["role"]
        if isinstance(role, Enum):
            # A library has it as a member of an enumeration.
            role = role.value
        return cls(
            role=role,
            # None and wrong types are judged as the message is made.
            content=value.get("content"),  # type: ignore[arg-type]
            name=value.get("name"),
            tool_calls=tuple(calls),
            tool_call_id=value.get("tool_call_id"),
            meta=value.get("meta"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the message in the OpenAI chat shape, and its ``meta`` if there is any."""
        out = self.to_request()
        if self.meta is not None:
            out["meta"] = dict(self.meta)
        return out

    def to_request(self) -> dict[str, Any]:
        """Return the message as it is sent to a model: the OpenAI chat shape, never ``meta``."""
        out: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.name is not None:
            out["name"] = self.name
        if self.tool_calls:
            out["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.tool_call_id is not None:
            out["tool_call_id"] = self.tool_call_id
        return out


def _with_text(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the dictionary of a message with its text under ``content``, wherever a library keeps it."""
    try:
        if value.get("content") in (None, ""):
            return flat_message(value)
        if isinstance(value["content"], list | tuple):
            return with_flat_content(value)
    except MessageError as error:
        raise MessageError(f"A message {error}.") from None
    return value
