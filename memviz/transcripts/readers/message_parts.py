"""A message made of parts: texts, thoughts, tool calls and tool results, in the order in which they came.

Files write one reply of a model as one object, also if the model called tools in the middle of it and went on after
their results. In a conversation those are several messages: an assistant message with the calls, a tool message for
each result, and the next assistant message. :class:`ReplyBuilder` and :func:`add_parts` split them up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from memviz.conversation import TIME, ToolCall
from memviz.transcripts.base import REASONING
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import Note, not_a_call, tool_name
from memviz.transcripts.readers.json_access import (
    first_value,
    id_text,
    joined,
    json_text,
)

NAME_KEYS = ("name", "tool_name")
ARGUMENT_KEYS = ("arguments", "args", "input", "tool_kwargs", "parameters")
ID_KEYS = ("id", "tool_call_id", "call_id", "toolUseId")


class Part(NamedTuple):
    """One part of a message. ``text`` is that of a text, a thought or a result.

    A result has the ``id`` of the call that it answers, and may have the ``name`` of its tool and ``meta``.
    """

    kind: Literal["text", "reasoning", "call", "result"]
    text: str = ""
    call: ToolCall | None = None
    id: str | None = None
    name: str | None = None
    meta: Mapping[str, Any] | None = None


def read_call(value: Mapping[str, Any], note: Note) -> ToolCall:
    """The tool call that a JSON object describes, whatever its vendor calls the fields. One without a name gets a
    name that says so, and is noted."""
    function = value.get("function")
    inner = function if isinstance(function, dict) else value
    id, arguments = (
        id_text(first_value(value, *ID_KEYS)),
        first_value(inner, *ARGUMENT_KEYS),
    )
    return ToolCall.of(
        {"id": id, "name": tool_name(inner, note, *NAME_KEYS), "arguments": arguments}
    )


def call_part(value: Mapping[str, Any], note: Note) -> Part:
    """The part that a tool call is, see :func:`read_call`."""
    return Part("call", call=read_call(value, note))


def call_parts(
    values: Iterable[object], builder: TranscriptBuilder, place: str
) -> list[Part]:
    """The tool calls that JSON values describe; what is no object is left out and noted."""
    parts = []
    for value in values:
        if isinstance(value, dict):
            parts.append(call_part(value, builder.note_at(place)))
        else:
            builder.note(f"{not_a_call(value)}, was left out", place)
    return parts


def result_part(id: object, text: str, name: object = None, **meta: Any) -> Part:
    """The result of a tool. ``meta`` that is ``None`` is dropped."""
    kept = {key: value for key, value in meta.items() if value is not None}
    tool = name if isinstance(name, str) and name else None
    return Part("result", text, id=id_text(id) or None, name=tool, meta=kept)


def add_result(
    builder: TranscriptBuilder,
    place: str,
    id: object,
    text: str,
    name: object = None,
    **meta: Any,
) -> None:
    """Add the result of a tool as a message. ``meta`` that is ``None`` is dropped."""
    _add_result(builder, place, result_part(id, text, name, **meta))


def add_parts(
    builder: TranscriptBuilder,
    role: str,
    parts: Sequence[Part],
    place: str,
    *,
    name: str | None = None,
    tool_call_id: str | None = None,
    meta: dict[str, Any] | None = None,
) -> None:
    """Add a message that is made of these parts.

    Results of tools become messages of their own: in a reply where they stand, in any other message before its text.
    """
    if role == "assistant":
        time = {TIME: meta[TIME]} if meta and TIME in meta else None
        reply = ReplyBuilder(builder, place, meta, name)
        for part in parts:
            reply.add(_with_meta(part, time) if part.kind == "result" else part)
        reply.end()
        return
    results = [part for part in parts if part.kind == "result"]
    for result in results:
        _add_result(
            builder, place, _with_meta(result._replace(name=result.name or name), meta)
        )
    texts = [part.text for part in parts if part.kind == "text" and part.text]
    if texts or not results:
        builder.add_text(
            role, joined(texts), place, name=name, tool_call_id=tool_call_id, meta=meta
        )


def _with_meta(result: Part, meta: Mapping[str, Any] | None) -> Part:
    return result._replace(meta={**(meta or {}), **(result.meta or {})})


class ReplyBuilder:
    """Collects the parts of one reply of a model and adds the messages that they are. Call :meth:`end` at the end.

    What comes before the result of a tool is one assistant message, what comes after it the next one, because the
    model wrote them in separate steps. Calls without a result between them belong to one message.
    """

    def __init__(
        self,
        builder: TranscriptBuilder,
        place: str,
        meta: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._builder, self._place, self._meta, self._name = (
            builder,
            place,
            dict(meta or {}),
            name,
        )
        self._parts: list[Part] = []  # of the current message
        self._results: list[Part] = []  # of the tools that it calls
        self._is_empty = True

    def text(self, text: str) -> None:
        """Add what the model said."""
        if text:
            self.add(Part("text", text))

    def think(self, text: object) -> None:
        """Add what the model thought. Anything but text is ignored, such as encrypted thoughts."""
        if isinstance(text, str) and text.strip():
            self.add(Part("reasoning", text))

    def call(
        self, id: object, name: object, arguments: object, *, is_parallel: bool = False
    ) -> None:
        """Add a tool call. ``is_parallel``: it belongs to the same step as the call whose result came before."""
        tool = tool_name({"name": name}, self._builder.note_at(self._place))
        self.add(
            Part("call", call=ToolCall(id_text(id), tool, json_text(arguments, "{}"))),
            is_parallel=is_parallel,
        )

    def result(self, id: object, text: str, name: object = None, **meta: Any) -> None:
        """Add what a tool answered. ``meta`` that is ``None`` is dropped."""
        self.add(result_part(id, text, name, **meta))

    def add(self, part: Part, *, is_parallel: bool = False) -> None:
        """Add a part. One that follows a result starts the next message, unless it ``is_parallel``."""
        if part.kind == "result":
            self._results.append(part)
            return
        if self._results and not is_parallel:
            self.step()
        self._parts.append(part)

    def step(self) -> None:
        """End the current message: what follows is the next one."""
        if self._parts:
            self._add_message()
        for result in self._results:
            _add_result(self._builder, self._place, result)
            self._is_empty = False
        self._results = []

    def end(self, beside: Mapping[str, Any] | None = None) -> None:
        """End the reply. If nothing is in it, for example because the user stopped it, it is an empty message.

        ``beside`` is ``meta`` of the last message, such as what the reply is based on.
        """
        self._meta.update(beside or {})
        self.step()
        if self._is_empty:
            self._add_message()

    def _add_message(self) -> None:
        thoughts = joined(
            [part.text for part in self._parts if part.kind == "reasoning"]
        )
        self._builder.add_text(
            "assistant",
            joined([part.text for part in self._parts if part.kind == "text"]),
            self._place,
            name=self._name,
            tool_calls=tuple(part.call for part in self._parts if part.call),
            meta={**self._meta, **({REASONING: thoughts} if thoughts else {})} or None,
        )
        self._parts, self._is_empty = [], False


def _add_result(builder: TranscriptBuilder, place: str, result: Part) -> None:
    builder.add_text(
        "tool",
        result.text,
        place,
        name=result.name,
        tool_call_id=result.id,
        meta=result.meta or None,
    )
