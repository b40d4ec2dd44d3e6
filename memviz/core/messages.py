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
"""Key in a message's ``meta``: when it was said, as ISO text."""
RECALL_EXCHANGE = "recall_exchange"
"""Key in a message's ``meta``: a call of the recall tool, or its result."""


def clean_text(text: str) -> str:
    """Text without lone surrogates, which UTF-8, Arrow, SQLite and the browser all refuse."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise MessageError(f"{what} is {type_of(value)}; it has to be text.")
    return value


def _plain_role(role: Any) -> Any:
    """The text of a role that a library has as a member of an enumeration."""
    return role.value if isinstance(role, Enum) else role


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool that an assistant message asks for. ``arguments`` is JSON text, as sent."""

    id: str
    name: str
    arguments: str = "{}"

    @classmethod
    def of(cls, value: ToolCall | Mapping[str, Any]) -> ToolCall:
        """A tool call from the OpenAI shape ``{"id", "function": {"name", "arguments"}}`` or a flat one."""
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
        arguments = source.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps(
                {} if arguments is None else arguments, ensure_ascii=False
            )
        return cls(
            clean_text(str(value.get("id") or "")),
            clean_text(name),
            clean_text(arguments),
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

    ``content`` is text (``None`` becomes the empty text, as tool-calling assistants send it);
    ``tool_calls`` takes :class:`ToolCall` objects or OpenAI dictionaries; ``tool_call_id`` names the
    call that a tool message answers; ``meta`` carries anything else and is never sent to a model.

    Raises :class:`MessageError` for an unknown role or a content that is not text.
    """

    role: str
    content: str
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    meta: Mapping[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.role, str) or self.role not in ROLES:
            raise MessageError(
                f"Role {self.role!r} is unknown; allowed are {', '.join(sorted(ROLES))}."
            )
        content = "" if self.content is None else self.content
        if not isinstance(content, str):
            raise MessageError(
                f"The content of a {self.role} message is {type_of(content)}; it has to be text."
            )
        if content is not self.content or not content.isascii():
            object.__setattr__(self, "content", clean_text(content))
        if self.name is not None or self.tool_call_id is not None:
            self._clean_labels()
        if self.tool_calls or self.tool_calls is None:
            object.__setattr__(
                self,
                "tool_calls",
                tuple(ToolCall.of(call) for call in self.tool_calls or ()),
            )
        if self.meta is not None:
            if not isinstance(self.meta, Mapping):
                raise MessageError(
                    f"The meta of a {self.role} message is not an object of keys and values."
                )
            object.__setattr__(self, "meta", dict(self.meta))

    def _clean_labels(self) -> None:
        for label in ("name", "tool_call_id"):
            value = getattr(self, label)
            if value is not None:
                object.__setattr__(
                    self,
                    label,
                    clean_text(_text(value, f"The {label} of a {self.role} message")),
                )

    @property
    def said_at(self) -> datetime | None:
        """The time at which it was said, in UTC where no zone is named; ``None`` where that is not known."""
        text = self.meta.get(TIME) if self.meta else None
        try:
            moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        except ValueError:
            return None
        return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)

    @property
    def is_recall_exchange(self) -> bool:
        """True if it only says that the model recalled earlier messages: nothing that a summary should keep."""
        return self.meta is not None and bool(self.meta.get(RECALL_EXCHANGE))

    @classmethod
    def of(cls, value: object) -> Message:
        """A message from a message, from a dictionary with ``role`` and ``content``, or from a message object of
        LangChain, LlamaIndex or OpenAI's client.

        A ``content`` that is a list of parts is read as one text, a part a line. Where there is none, the text is read
        where it stands: under ``text``, ``message``, ``value``, or in the ``blocks`` of LlamaIndex's ``model_dump()``.
        Raises :class:`MessageError` where no text is found.
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
        try:
            if value.get("content") in (None, ""):
                value = flat_message(value)
            elif isinstance(value["content"], list | tuple):
                value = with_flat_content(value)
        except MessageError as error:
            raise MessageError(f"A message {error}.") from None
        calls = value.get("tool_calls") or ()
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise MessageError("The tool_calls of a message have to be a list.")
        return cls(
            role=_plain_role(value["role"]),
            content=value.get("content"),  # type: ignore[arg-type]  # None and wrong types are judged above
            name=value.get("name"),
            tool_calls=tuple(calls),
            tool_call_id=value.get("tool_call_id"),
            meta=value.get("meta"),
        )

    def to_dict(self) -> dict[str, Any]:
        """The OpenAI chat shape of the message, without what is not set, plus ``meta`` if there is any."""
        out = self.to_request()
        if self.meta is not None:
            out["meta"] = dict(self.meta)
        return out

    def to_request(self) -> dict[str, Any]:
        """The message as it is sent to a model: the OpenAI chat shape, never ``meta``."""
        out: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.name is not None:
            out["name"] = self.name
        if self.tool_calls:
            out["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.tool_call_id is not None:
            out["tool_call_id"] = self.tool_call_id
        return out
