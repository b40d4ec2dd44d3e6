"""Reads messages that consist of blocks, and makes the messages of a transcript from them.

A product declares its kinds of blocks as a :class:`Vocabulary`, which reads a content as :class:`Part` values: texts,
thoughts, tool calls and results in the order in which they came. :func:`add_parts` makes messages of them. Files write
one reply of a model as one object, also if the model called tools in the middle of it and went on after their
results. In a conversation those are several messages: an assistant message with the calls, a tool message for each
result, and the next assistant message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from memviz.core.messages import ToolCall
from memviz.core.translation import Said
from memviz.transcripts.base import REASONING
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    NOT_TEXT,
    UNKNOWN_KIND,
    Note,
    describe_non_call,
    read_tool_name,
    stand_in,
)
from memviz.transcripts.readers.json_access import (
    as_list,
    first_under,
    first_value,
    id_text,
    join_lines,
    json_text,
    list_at,
    texts_under,
)

NAME_KEYS = ("name", "tool_name", "toolName")
ARGUMENT_KEYS = ("arguments", "args", "input", "tool_kwargs", "parameters")
ID_KEYS = ("id", "tool_call_id", "call_id", "toolUseId")
MEDIA = ("image", "audio", "video")
PartKind = Literal["text", "reasoning", "call", "result", "step"]


class Part(NamedTuple):
    """One part of a message. A "step" has no content: it ends a message within a reply."""

    kind: PartKind
    text: str = ""
    """The text of a text, a thought or a result."""
    call: ToolCall | None = None
    id: str | None = None
    """For a result: the id of the call that it answers."""
    name: str | None = None
    """For a result: the name of its tool."""
    meta: Mapping[str, Any] = {}
    """For a result: the ``meta`` of its message."""
    is_parallel: bool = False
    """For a call: it belongs to the step whose results came before it."""


def read_call(value: Mapping[str, Any], note: Note) -> Part:
    """Return the tool call that a JSON object describes, whatever its vendor calls the fields. One without a name gets
    a name that says so, and is noted."""
    function = value.get("function")
    inner = function if isinstance(function, dict) else value
    arguments = json_text(first_value(inner, *ARGUMENT_KEYS), "{}")
    id = id_text(first_value(value, *ID_KEYS))
    tool = read_tool_name(inner, note, *NAME_KEYS)
    return Part("call", call=ToolCall(id, tool, arguments))


def list_calls(message: Mapping[str, Any]) -> list[Any]:
    """Return the tool calls that a message of the OpenAI chat API lists, with the one of its older form."""
    legacy = message.get("function_call")
    return [*list_at(message, "tool_calls"), *([legacy] if legacy else [])]


def read_calls(values: Iterable[object], note: Note) -> list[Part]:
    """Return the tool calls that JSON values describe; what is no object is left out and noted."""
    parts = []
    for value in values:
        if isinstance(value, dict):
            parts.append(read_call(value, note))
        else:
            note(Said("{what}, was left out", what=describe_non_call(value)))
    return parts


def make_call(id: object, name: object, arguments: object, note: Note) -> Part:
    """Return a tool call whose fields are known; one without a name is noted."""
    tool = read_tool_name({"name": name}, note)
    return Part("call", call=ToolCall(id_text(id), tool, json_text(arguments, "{}")))


def make_result(id: object, text: str, name: object = None, **meta: Any) -> Part:
    """Return the result of a tool. ``meta`` that is ``None`` is dropped."""
    known_meta = {key: value for key, value in meta.items() if value is not None}
    tool = name if isinstance(name, str) and name else None
    return Part("result", text, id=id_text(id) or None, name=tool, meta=known_meta)


def read_thought(text: object) -> list[Part]:
    """Return a thought as a part; no part for anything but text, such as an encrypted thought."""
    if isinstance(text, str) and text.strip():
        return [Part("reasoning", text)]
    return []


def add_result(
    builder: TranscriptBuilder,
    place: str,
    id: object,
    text: str,
    name: object = None,
    **meta: Any,
) -> None:
    """Add the result of a tool as a message. ``meta`` that is ``None`` is dropped."""
    _add_result(builder, place, make_result(id, text, name, **meta), {})


def add_parts(
    builder: TranscriptBuilder,
    role: str,
    parts: Sequence[Part],
    place: str,
    *,
    name: str | None = None,
    tool_call_id: str | None = None,
    meta: Mapping[str, Any] = {},
    beside: Mapping[str, Any] = {},
) -> None:
    """Add the messages that these parts make.

    Results of tools become messages of their own: in a reply at their position, in any other message before its text.
    ``beside`` is ``meta`` of the last message alone, such as the sources of a reply.
    """
    if role == "assistant":
        _add_reply(builder, parts, place, name, meta, beside)
        return
    results = [part for part in parts if part.kind == "result"]
    for result in results:
        named_result = result._replace(name=result.name or name)
        _add_result(builder, place, named_result, meta)
    text = join_texts(parts)
    if text or not results:
        builder.add_text(
            role,
            text,
            place,
            name=name,
            tool_call_id=tool_call_id,
            meta={**meta, **beside},
        )


class _Step(NamedTuple):
    """One step of a reply: a message of the model, and the results of the tools that it called."""

    said: list[Part]
    results: list[Part]


def _add_reply(
    builder: TranscriptBuilder,
    parts: Sequence[Part],
    place: str,
    name: str | None,
    meta: Mapping[str, Any],
    beside: Mapping[str, Any],
) -> None:
    steps = _split_steps(parts)
    last = steps[-1]  # gets ``beside``
    is_empty = not any(step.said or step.results for step in steps)
    for step in steps:
        if step.said or is_empty:  # an empty reply was stopped by the user
            thought = join_lines(
                part.text for part in step.said if part.kind == "reasoning"
            )
            step_meta = {**meta, **beside} if step is last else dict(meta)
            if thought:
                step_meta[REASONING] = thought
            calls = tuple(part.call for part in step.said if part.call)
            text = join_texts(step.said)
            builder.add_text(
                "assistant", text, place, name=name, tool_calls=calls, meta=step_meta
            )
            is_empty = False
        for result in step.results:
            _add_result(builder, place, result, {})


def _split_steps(parts: Iterable[Part]) -> list[_Step]:
    """Split a reply into its steps: a part behind a result begins the next step, while calls without a result between
    them are of one step. Empty texts and thoughts are dropped."""
    step = _Step([], [])
    steps = [step]
    for part in parts:
        if part.kind in ("text", "reasoning") and not part.text:
            continue
        if part.kind == "result":
            step.results.append(part)
            continue
        if part.kind == "step" or (step.results and not part.is_parallel):
            step = _Step([], [])
            steps.append(step)
        if part.kind != "step":
            step.said.append(part)
    return steps


def _add_result(
    builder: TranscriptBuilder, place: str, result: Part, meta: Mapping[str, Any]
) -> None:
    builder.add_text(
        "tool",
        result.text,
        place,
        name=result.name,
        tool_call_id=result.id,
        meta={**meta, **result.meta},
    )


def join_texts(parts: Iterable[Part]) -> str:
    """Return the texts among parts, one a line."""
    return join_lines(part.text for part in parts if part.kind == "text")


Block = dict[str, Any]
Rule = Callable[[Block, Note, "Vocabulary"], "str | list[Part]"]
"""Returns a block as text or as parts; it reads inner blocks by the vocabulary."""


def show_kind(block: Block, note: Note, words: Vocabulary) -> str:
    """Return the name of an unknown kind of block in brackets; a block that names none is shown as JSON text."""
    kind = words.kind_of(block)
    note(UNKNOWN_KIND if kind else NOT_TEXT)
    return stand_in(kind) if kind else json_text(block)


def show_text_or_kind(block: Block, note: Note, words: Vocabulary) -> str:
    """Return the ``text`` of a block of an unknown kind; of one without a text its kind in brackets."""
    text = block.get("text")
    return text if isinstance(text, str) else show_kind(block, note, words)


def show_json(block: Block, note: Note, words: Vocabulary) -> str:
    """Return a block as JSON text."""
    return json_text(block)


def kind_by_type(block: Block) -> str:
    """Return the ``type`` of a block; empty if it says none."""
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


def show_nothing(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    """Return no part, for a block that only a program needs."""
    return []


@dataclass(frozen=True)
class Vocabulary:
    """The kinds of blocks of a product, each with the rule that reads it."""

    kinds: Mapping[str, Rule]
    beginnings: Mapping[str, Rule] = field(default_factory=dict)
    """The rules of kinds that begin with these texts."""
    endings: Mapping[str, Rule] = field(default_factory=dict)
    other: Rule = show_text_or_kind
    """The rule of all other kinds."""
    kind_of: Callable[[Block], str] = kind_by_type
    is_key: bool = False
    """The kind is a key of the block, and its rule reads the object under that key."""

    def parts(self, content: object, note: Note, role: str = "assistant") -> list[Part]:
        """Return the parts of a content: a text, a block, or a list of them; none for ``None``. ``note`` is called for
        every repair. Only what the role of the assistant says holds calls and thoughts; in any other content they are
        shown by their kind.
        """
        parts = []
        for block in as_list(content):
            if isinstance(block, dict):
                parts += self._parts(block, note, role)
            elif block is not None:
                if not isinstance(block, str):
                    note(NOT_TEXT)
                parts.append(Part("text", json_text(block)))
        return parts

    def text(self, content: object, note: Note) -> str:
        """Return the text of a content, one block a line."""
        return join_lines(part.text for part in self.parts(content, note, "user"))

    def _parts(self, block: Block, note: Note, role: str) -> list[Part]:
        kind = self.kind_of(block)
        rule = self.kinds.get(kind) or self._rule_for(kind)
        fields = block.get(kind) if self.is_key else block
        if rule is self.other or not isinstance(fields, dict):
            return _as_parts(self.other(block, note, self))
        parts = _as_parts(rule(fields, note, self))
        is_silent = role != "assistant" and bool(parts)
        if is_silent and parts[0].kind in ("call", "reasoning"):
            return _as_parts(self.other(block, note, self))
        return parts

    def _rule_for(self, kind: str) -> Rule:
        for beginning, rule in self.beginnings.items():
            if kind.startswith(beginning):
                return rule
        for ending, rule in self.endings.items():
            if kind.endswith(ending):
                return rule
        return self.other


def _as_parts(content: str | list[Part]) -> list[Part]:
    """Return parts as they are, a text as the only one."""
    return [Part("text", content)] if isinstance(content, str) else content


@dataclass(frozen=True)
class Text:
    """Rule of a block with text under these paths ("source.text"), one a line, and then in its ``text`` or, where that
    is none, in its ``content``, which may be blocks."""

    paths: tuple[str, ...] = ()

    def __call__(self, block: Block, note: Note, words: Vocabulary) -> str:
        """Return the text."""
        text = block.get("text")
        if not isinstance(text, str):
            text = json_text(text) or words.text(block.get("content"), note)
        if self.paths:
            text = join_lines([*texts_under(block, *self.paths), text])
        return text


@dataclass(frozen=True)
class File:
    """Rule of a file: a stand-in such as "[file: plan.pdf]", and the texts that were read from it."""

    kind: str
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def __call__(self, block: Block, note: Note, words: Vocabulary) -> str:
        """Return the stand-in, with the texts below it."""
        label = stand_in(self.kind, first_under(block, *self.names))
        return join_lines([label, *texts_under(block, *self.paths)])


@dataclass(frozen=True)
class Thought:
    """Rule of what the model thought, under these paths, one a line; encrypted thoughts have no text there."""

    paths: tuple[str, ...]

    def __call__(self, block: Block, note: Note, words: Vocabulary) -> list[Part]:
        """Return the thought, if it can be read."""
        return read_thought(join_lines(texts_under(block, *self.paths)))


def read_call_block(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    """Return the tool call that a block is."""
    return [read_call(block, note)]


@dataclass(frozen=True)
class Result:
    """Rule of a tool's result: the keys of its fields, and the key and value that mark a failure (``error``)."""

    id: str
    content: str
    error: tuple[str, object]
    name: str = "name"

    def __call__(self, block: Block, note: Note, words: Vocabulary) -> list[Part]:
        """Return the result with the text of its blocks."""
        text = words.text(block.get(self.content), note)
        key, failed = self.error
        is_error = True if block.get(key) == failed else None
        name = block.get(self.name)
        return [make_result(block.get(self.id), text, name, is_error=is_error)]


def file_label(mime: object) -> str:
    """Return the word for a file of this media type: image, audio, video, or file for any other."""
    family = mime.split("/")[0] if isinstance(mime, str) else ""
    return family if family in MEDIA else "file"
