"""A model's reply that calls tools and goes on after their results, as the separate messages it stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memviz.conversation import Message, ToolCall
from memviz.transcripts.base import REASONING
from memviz.transcripts.builder import TranscriptBuilder

NO_CALL = "a tool call without a name was left out"


def json_text(value: object, empty: str = "") -> str:
    """A text as it is, anything else as JSON text; ``empty`` for ``None``."""
    if isinstance(value, str):
        return value
    return empty if value is None else json.dumps(value, ensure_ascii=False)


def id_text(value: object) -> str:
    """An id as text; empty where there is none."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def joined(texts: list[str]) -> str:
    """The parts of one text, without the empty ones, one a line."""
    return "\n".join(text for text in texts if text)


def add_result(builder: TranscriptBuilder, place: str, id: object, text: str, name: object = None, **meta: Any) -> int:
    """Add the result of a tool to a reading; ``meta`` that is ``None`` is not kept. Returns its log position."""
    return builder.add_message(result_message(id, text, name, meta), place)


def result_message(id: object, text: str, name: object, meta: Mapping[str, Any]) -> Message:
    """The message that a tool's result is."""
    kept = {key: value for key, value in meta.items() if value is not None}
    named = name if isinstance(name, str) and name else None
    return Message("tool", text, name=named, tool_call_id=id_text(id) or None, meta=kept or None)


class Reply:
    """One reply on its way into a reading, part by part; :meth:`end` it.

    What comes before the result of a tool is one assistant message, what comes after it the next one, because that
    is what the model was asked in separate steps. Calls of which no result lies between belong to one message.
    """

    def __init__(self, builder: TranscriptBuilder, place: str, meta: Mapping[str, Any] | None = None) -> None:
        self._builder, self._place, self._meta = builder, place, dict(meta or {})
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[ToolCall] = []
        self._results: list[Message] = []
        self._is_empty = True

    def text(self, text: str) -> None:
        """What the model said."""
        if text:
            self._after_results()
            self._texts.append(text)

    def think(self, text: object) -> None:
        """What the model thought; anything but text is passed over, as encrypted thoughts are."""
        if isinstance(text, str) and text.strip():
            self._after_results()
            self._thoughts.append(text)

    def call(self, id: object, name: object, arguments: object, *, is_parallel: bool = False) -> None:
        """A tool that the model called. ``is_parallel``: in the same step as the call whose result came before."""
        if not isinstance(name, str) or not name:
            self._builder.note(NO_CALL, self._place)
            return
        if not is_parallel:
            self._after_results()
        self._calls.append(ToolCall(id_text(id), name, json_text(arguments, "{}")))

    def result(self, id: object, text: str, name: object = None, **meta: Any) -> None:
        """What a tool answered; ``meta`` that is ``None`` is not kept."""
        self._results.append(result_message(id, text, name, meta))

    def step(self) -> None:
        """End the message at hand: what follows is the next one."""
        if self._texts or self._thoughts or self._calls:
            self._say()
        for result in self._results:
            self._builder.add_message(result, self._place)
            self._is_empty = False
        self._results = []

    def end(self) -> None:
        """End the reply. One of which nothing is left, such as one that was stopped, is an empty message."""
        self.step()
        if self._is_empty:
            self._say()

    def _after_results(self) -> None:
        if self._results:
            self.step()

    def _say(self) -> None:
        thoughts = {REASONING: joined(self._thoughts)} if self._thoughts else {}
        meta = {**self._meta, **thoughts} or None
        self._builder.add_text("assistant", joined(self._texts), self._place, tool_calls=tuple(self._calls), meta=meta)
        self._texts, self._thoughts, self._calls, self._is_empty = [], [], [], False
