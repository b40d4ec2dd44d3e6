"""Defines the forms in which a message of the log can be sent with less in it: cleared, cut, or stored elsewhere.

Strategies select messages in a form, such as ``Messages(0, 6, ClearedResults())``. A form is a pure function of one
message, and a value, so that the tokens of a whole log in one form are counted once and kept as running sums
(:meth:`memviz.core.conversation.Log.token_sums`)."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal

from memviz.core.file_reads import reads_files
from memviz.core.messages import Message, ToolCall

FormFate = Literal["cleared", "shortened"]


class Form(ABC):
    """A way to send a message. Subclasses are frozen dataclasses of plain values."""

    name: ClassVar[str]
    """The name of the form in files."""
    fate: ClassVar[FormFate] = "shortened"
    """The fate of the messages that the form changes."""
    stores: ClassVar[bool] = False
    """True if what is left out is stored, and a tool can read it."""
    is_older_read: ClassVar[bool] = False
    """True if the form is for files that were read again later."""

    @abstractmethod
    def sent(self, message: Message, tool: str | None) -> Message:
        """Return ``message`` in this form; the same object if the form changes nothing. ``tool`` is the name of the
        tool whose result it is, ``None`` if it answers no call (:meth:`memviz.core.conversation.Log.answered_tool`)."""

    @property
    def superseded(self) -> Superseded | None:
        """The form itself if it sends files that were read again in another form, so that the log has to choose."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the form as JSON."""
        values: dict[str, Any] = asdict(self)  # type: ignore[call-overload]  # every form is a dataclass
        return {"form": self.name, **values}


def _replace_calls(message: Message, calls: tuple[ToolCall, ...]) -> Message:
    """Return ``message`` with these calls; the same object if it has them already."""
    if calls == message.tool_calls:
        return message
    return replace(message, tool_calls=calls)


def _replace_content(message: Message, content: str) -> Message:
    """Return ``message`` with this content; the same object if it has it already."""
    if content == message.content:
        return message
    return replace(message, content=content)


@dataclass(frozen=True)
class ClearedResults(Form):
    """Replaces tool results by a placeholder, except results that answer no call."""

    name: ClassVar[str] = "cleared results"
    fate: ClassVar[FormFate] = "cleared"

    placeholder: str = "[cleared]"
    kept_tools: tuple[str, ...] = ()
    """Tools whose results stay, and the arguments of their calls."""
    without_arguments: bool = False
    """True if the arguments of all other calls are emptied as well."""

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return a result with the placeholder, and a call without its arguments if they are cleared."""
        if message.role == "tool":
            is_kept = tool is None or (message.name or tool) in self.kept_tools
            return message if is_kept else _replace_content(message, self.placeholder)
        if not self.without_arguments or not message.tool_calls:
            return message
        cleared_ids = tuple(
            call.id for call in message.tool_calls if call.name not in self.kept_tools
        )
        return WithoutArguments(cleared_ids).sent(message, tool)


@dataclass(frozen=True)
class OlderReads(Form):
    """Replaces the results of tools that read a file by a ``placeholder``, whether the file was read again or not.

    A message alone does not tell that; :class:`Superseded` applies this form where it was.
    """

    name: ClassVar[str] = "older reads"
    fate: ClassVar[FormFate] = "cleared"
    is_older_read: ClassVar[bool] = True

    placeholder: str = "[an older read of this file]"

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return a read with the placeholder, any other message as it is."""
        is_read = message.role == "tool" and tool is not None and reads_files(tool)
        return _replace_content(message, self.placeholder) if is_read else message


@dataclass(frozen=True)
class WithoutArguments(Form):
    """Empties the arguments of the calls with these ids; of all calls with ``None``."""

    name: ClassVar[str] = "without arguments"
    fate: ClassVar[FormFate] = "cleared"

    ids: tuple[str, ...] | None = None

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message with ``{}`` as the arguments of these calls."""
        calls = []
        for call in message.tool_calls:
            if self.ids is None or call.id in self.ids:
                call = replace(call, arguments="{}")
            calls.append(call)
        return _replace_calls(message, tuple(calls))


@dataclass(frozen=True)
class Cut(Form):
    """Cuts a content of more than ``head`` + ``tail`` characters to its first ``head`` and last ``tail`` characters,
    with ``between`` in place of the rest."""

    name: ClassVar[str] = "cut"

    head: int
    tail: int = 0
    between: str = "…"
    roles: tuple[str, ...] = ("system", "user", "assistant", "tool")
    """The roles whose messages are cut."""

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message with both ends of its content."""
        content = message.content
        longest = self.head + self.tail + len(self.between)
        if message.role not in self.roles or len(content) <= longest:
            return message
        head = content[: self.head]
        tail = content[len(content) - self.tail :]
        return replace(message, content=head + self.between + tail)


@dataclass(frozen=True)
class Offloaded(Form):
    """Stores a tool result of more than ``over`` characters, as in a file. Its first ``chars`` are sent, and how much
    can be read there."""

    name: ClassVar[str] = "offloaded"
    stores: ClassVar[bool] = True

    chars: int = 4000
    over: int = 10_000

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return a long result with its beginning alone."""
        content = message.content
        if message.role != "tool" or len(content) <= self.over:
            return message
        preview = content[: self.chars]
        stored = f"[{len(content):,} characters are stored; a tool can read them]"
        return replace(message, content=f"{preview}\n{stored}")


@dataclass(frozen=True)
class Digest(Form):
    """Replaces a content by one line with its length and its beginning."""

    name: ClassVar[str] = "digest"

    chars: int = 60
    """Characters of the beginning that stand in the line."""
    roles: tuple[str, ...] = ("tool",)
    """The roles whose messages are replaced."""

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message with one line as its content."""
        if message.role not in self.roles:
            return message
        content = message.content
        beginning = " ".join(content.split())[: self.chars]
        line = f"[{len(content):,} characters: {beginning}]"
        return replace(message, content=line) if len(line) < len(content) else message


@dataclass(frozen=True)
class WithoutThinking(Form):
    """Removes the text between ``<thinking>`` and ``</thinking>`` (or ``<think>``) from the assistant's messages."""

    name: ClassVar[str] = "without thinking"

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message without the thinking."""
        if message.role != "assistant" or "<think" not in message.content:
            return message
        return replace(message, content=_without_thinking(message.content))


def _without_thinking(text: str) -> str:
    for tag in ("thinking", "think"):
        opening = f"<{tag}>"
        closing = f"</{tag}>"
        while opening in text:
            before, _, following = text.partition(opening)
            # Thinking that was cut off goes to the end.
            _, _, behind = following.partition(closing)
            text = before + behind
    return text.strip()


@dataclass(frozen=True)
class WithCalls(Form):
    """Keeps the calls of a message with these ``numbers`` (from 0). The others have no result, and providers reject a
    call without one."""

    name: ClassVar[str] = "with calls"

    numbers: tuple[int, ...] = ()

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message with the calls that are kept."""
        calls = tuple(
            call
            for number, call in enumerate(message.tool_calls)
            if number in self.numbers
        )
        return _replace_calls(message, calls)


@dataclass(frozen=True)
class CutArguments(Form):
    """Cuts arguments of calls that are longer than ``over`` characters to their first ``chars``.

    They stay a JSON object, as providers require one; its only field has the rest of their text.
    """

    name: ClassVar[str] = "cut arguments"

    chars: int = 20
    over: int = 2000

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message with the beginnings of its calls' long arguments."""
        calls = []
        for call in message.tool_calls:
            if len(call.arguments) > self.over:
                beginning = call.arguments[: self.chars]
                call = replace(call, arguments=json.dumps({"cut": beginning}))
            calls.append(call)
        return _replace_calls(message, tuple(calls))


@dataclass(frozen=True)
class InTurn(Form):
    """Applies several ``forms`` in order, each to the result of the one before."""

    name: ClassVar[str] = "in turn"

    forms: tuple[Form, ...] = ()

    @property
    def fate(self) -> FormFate:  # type: ignore[override]  # that of the forms it is made of
        """``cleared`` if one of the forms clears."""
        fates: set[FormFate] = {form.fate for form in self.forms}
        return "cleared" if "cleared" in fates else "shortened"

    @property
    def stores(self) -> bool:  # type: ignore[override]  # that of the forms it is made of
        """True if one of the forms stores."""
        return any(form.stores for form in self.forms)

    @property
    def is_older_read(self) -> bool:  # type: ignore[override]  # that of the forms it is made of
        """True if one of the forms is for older reads."""
        return any(form.is_older_read for form in self.forms)

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message after all forms."""
        for form in self.forms:
            message = form.sent(message, tool)
        return message

    def to_dict(self) -> dict[str, Any]:
        """Return the forms in their order, as JSON."""
        return {"form": self.name, "forms": [form.to_dict() for form in self.forms]}


@dataclass(frozen=True)
class Superseded(Form):
    """Two forms, one for results that were read again later, one for all else. The log chooses
    (:meth:`memviz.core.conversation.Log.form_at`), so that a stretch of it is one piece of a request, however many
    reads in it are superseded."""

    name: ClassVar[str] = "superseded"

    length: int
    """How many of the first messages count: a file that was read again among them is superseded."""
    older: Form
    """The form of superseded results."""
    others: Form | None = None
    """The form of all other messages; ``None`` if they are sent whole."""

    @property
    def superseded(self) -> Superseded:
        """Itself."""
        return self

    @property
    def fate(self) -> FormFate:  # type: ignore[override]  # that of the forms it is made of
        """The fate of superseded results."""
        return self.older.fate

    @property
    def stores(self) -> bool:  # type: ignore[override]  # that of the forms it is made of
        """True if the form of all other messages stores."""
        return self.others is not None and self.others.stores

    def sent(self, message: Message, tool: str | None) -> Message:
        """Return the message in the form of all other messages: alone it is no older read."""
        return message if self.others is None else self.others.sent(message, tool)

    def to_dict(self) -> dict[str, Any]:
        """Return both forms and the length, as JSON."""
        other_form = {"others": self.others.to_dict()} if self.others else {}
        older = self.older.to_dict()
        return {"form": self.name, "length": self.length, "older": older, **other_form}


FORMS: dict[str, type[Form]] = {
    form.name: form
    for form in (
        ClearedResults,
        OlderReads,
        WithoutArguments,
        Cut,
        Offloaded,
        Digest,
        WithoutThinking,
        WithCalls,
        CutArguments,
        InTurn,
        Superseded,
    )
}


def form_from(value: Mapping[str, Any]) -> Form:
    """Return the form that :meth:`Form.to_dict` described. Raises ValueError for an unknown one."""
    kind = FORMS.get(str(value.get("form")))
    if kind is None:
        raise ValueError(f"the form {value.get('form')!r} is unknown")
    if kind is InTurn:
        return InTurn(tuple(map(form_from, value["forms"])))
    if kind is Superseded:
        others = value.get("others")
        other_form = None if others is None else form_from(others)
        return Superseded(value["length"], form_from(value["older"]), other_form)
    fields = {}
    for name, item in value.items():
        if name != "form":
            fields[name] = tuple(item) if isinstance(item, list) else item
    return kind(**fields)
