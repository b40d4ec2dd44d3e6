"""Recordings as files: JSON lines that a person can read and compare.

The first line says what it is. Every message that was sent is one line, before the first request that holds it; a
request names its messages by their numbers and has the reply beside them. A line ``made_for`` follows the requests of
a run that came to its end. Lines are only ever added, so a recorder that is killed leaves at most a torn last line,
which is not read and is taken off when the recorder goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from memviz.core.bounds import is_whole_number, quoted, read_json
from memviz.core.errors import MemvizError
from memviz.core.messages import Message, ToolCall
from memviz.core.model_errors import RecordingError
from memviz.core.translation import _
from memviz.models.base import ModelRequest, Reply, ToolChoice, Usage
from memviz.models.recordings.recording import (
    About,
    RecordedReply,
    RecordedSetting,
    Recording,
)
from memviz.models.tools import Tool

FORMAT = 1
SUFFIX = ".recording"
MAX_BYTES = 100_000_000
"""The most bytes of a recording that is opened: four bundled ones have about one million each."""
Line = dict[str, Any]


def read_recording(source: str | Path | bytes, name: str = "") -> Recording:
    """The recording in a file, or in the bytes of one. Raises
    :class:`memviz.core.model_errors.RecordingError`, which says the line and the reason."""
    content, place = _read_content(source)
    reader = _Reader(place)
    lines = content.split(b"\n")
    is_cut = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            reader.read(number, line.decode("utf-8", "replace"))
        except RecordingError:
            # A last line without its end was torn off by a kill.
            if number < len(lines) or number == 1:
                raise
            is_cut = True
    if reader.about is None:
        raise RecordingError(
            _(
                "{place} is empty: a recording begins with a line that says so.",
                place=place,
            )
        )
    recording = Recording.of(
        name or place.removesuffix(SUFFIX),
        reader.about,
        reader.replies,
        reader.settings,
    )
    return replace(recording, is_cut=is_cut)


def write_recording(recording: Recording) -> str:
    """A recording as the text of a file."""
    writer = _Writer()
    lines = [writer.about(recording.about)]
    for reply in recording.replies.values():
        lines += writer.reply(reply)
    lines += [
        {"made_for": setting.to_dict()} for setting in recording.settings.values()
    ]
    return "".join(map(_as_text, lines))


class RecordingFile:
    """A recording that grows: each reply is on the disk before the next request is made. Use it in a ``with``.

    One that exists is gone on with: :attr:`recording` is what it held. Raises
    :class:`memviz.core.model_errors.RecordingError` if the file is no recording, or cannot be
    written.
    """

    def __init__(self, path: str | Path, about: About) -> None:
        self.path = Path(path)
        self._writer = _Writer()
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
            # What follows the last line was torn off when the recorder was killed.
            end_of_lines = content.rfind(b"\n") + 1
            whole = content[:end_of_lines]
            if whole:
                self.recording = read_recording(whole, self.path.stem)
            else:
                self.recording = Recording.of(self.path.stem, about, ())
            self._file = self.path.open("r+b" if content else "wb")
            self._file.truncate(len(whole))
            self._file.seek(0, os.SEEK_END)
        except OSError as error:
            raise RecordingError(
                _(
                    "{path} cannot be written ({error}): choose another place.",
                    path=self.path,
                    error=error.strerror,
                )
            ) from None
        for reply in self.recording.replies.values():
            self._writer.reply(reply)  # its messages are in the file
        if not whole:
            self._append([self._writer.about(about)])

    def __enter__(self) -> RecordingFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, reply: RecordedReply) -> None:
        """Write one more reply."""
        self._append(self._writer.reply(reply))

    def add_setting(self, setting: RecordedSetting) -> None:
        """Write that every reply that this setting needs is in the file."""
        self._append([{"made_for": setting.to_dict()}])

    def _append(self, lines: Sequence[Line]) -> None:
        self._file.write("".join(map(_as_text, lines)).encode())
        # On the disk before the next request is made: whoever is killed then has paid for nothing twice.
        self._file.flush()
        os.fsync(self._file.fileno())


class _Writer:
    """Numbers messages and tools, and gives each its line once."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {"message": {}, "tool": {}}

    @staticmethod
    def about(about: About) -> Line:
        return {"memviz_recording": FORMAT, **about.to_dict()}

    def reply(self, recorded: RecordedReply) -> list[Line]:
        """Return the line of a reply, behind those of its messages and tools that have none yet."""
        lines: list[Line] = []
        request = recorded.request
        messages = []
        for message in request.messages:
            messages.append(self._number("message", message.to_request(), lines))
        tools = []
        for tool in request.tools:
            tools.append(self._number("tool", tool.to_request()["function"], lines))
        reply = recorded.reply
        line: Line = {"request": messages}
        if tools:
            line |= {"tools": tools, "tool_choice": request.tool_choice}
        line["reply"] = reply.text
        if reply.tool_calls:
            line["tool_calls"] = [call.to_dict() for call in reply.tool_calls]
        line |= {
            "finish_reason": reply.finish_reason,
            "model": reply.model,
            "at": recorded.at,
            "usage": asdict(reply.usage) if reply.usage else None,
            "seconds": reply.recorded_seconds,
            "cost_usd": reply.cost_usd,
        }
        return [*lines, line]

    def _number(self, kind: str, content: Line, lines: list[Line]) -> int:
        """Return the number of a message or a tool; a new one gets the next number, and its line in ``lines``."""
        numbers = self._numbers[kind]
        key = json.dumps(content, sort_keys=True)
        if key not in numbers:
            numbers[key] = len(numbers) + 1
            lines.append({kind: numbers[key], **content})
        return numbers[key]


class _Reader:
    """Takes the lines of a file one after the other."""

    def __init__(self, place: str) -> None:
        self.about: About | None = None
        self.replies: list[RecordedReply] = []
        self.settings: list[RecordedSetting] = []
        self._place = place
        self._messages: dict[int, Message] = {}
        self._tools: dict[int, Tool] = {}

    def read(self, number: int, line: str) -> None:
        """Take in one line. What later versions may add beside the known keys is passed over."""
        try:
            value = _read_object(line)
            if self.about is None:
                self.about = _about(value)
            elif "message" in value:
                number_of_message = _number(value, "message")
                del value["message"]
                self._messages[number_of_message] = Message.of(value)
            elif "tool" in value:
                self._tools[_number(value, "tool")] = _read_tool(value)
            elif "request" in value:
                self.replies.append(self._reply(value))
            elif "made_for" in value:
                self.settings.append(_read_setting(value["made_for"]))
        except KeyError as error:
            self._refuse(number, _("it has no {name}", name=quoted(error.args[0])))
        except (
            ValueError,
            TypeError,
            AttributeError,
            RecursionError,
            MemvizError,
        ) as error:
            self._refuse(number, str(error))

    def _refuse(self, number: int, reason: str) -> None:
        if number == 1:
            raise RecordingError(
                _(
                    "{place} is no recording of memviz: {reason}.",
                    place=self._place,
                    reason=reason.rstrip(".。"),
                ),
                line=1,
            )
        raise RecordingError(
            _(
                "Line {number} of the recording {place} cannot be read: {reason}. Take an unchanged copy of the file, "
                "or record it again.",
                number=number,
                place=self._place,
                reason=reason.rstrip(".。"),
            ),
            line=number,
        )

    def _reply(self, value: Line) -> RecordedReply:
        messages = tuple(self._messages[index] for index in value["request"])
        tools = tuple(self._tools[index] for index in value.get("tools", ()))
        choice: ToolChoice = "none" if value.get("tool_choice") == "none" else "auto"
        calls = tuple(ToolCall.of(call) for call in value.get("tool_calls", ()))
        usage = value.get("usage")
        reply = Reply(
            text=_read_text(value, "reply"),
            tool_calls=calls,
            usage=_read_usage(usage) if usage is not None else None,
            cost_usd=_read_amount(value, "cost_usd"),
            model=_read_text(value, "model"),
            finish_reason=_read_text(value, "finish_reason"),
            recorded=True,
            recorded_seconds=_read_amount(value, "seconds"),
        )
        request = ModelRequest(messages, tools, choice)
        return RecordedReply(request, reply, _read_text(value, "at"))


def _read_object(line: str) -> Line:
    try:
        value = read_json(line)
    except (ValueError, RecursionError):
        raise ValueError(_("it is no JSON")) from None
    if not isinstance(value, dict):
        raise ValueError(_("it is no JSON object"))
    return value


def _about(value: Line) -> About:
    if value.get("memviz_recording") != FORMAT:
        raise ValueError(
            _("its first line does not say memviz_recording {format}", format=FORMAT)
        )
    words = {
        name: _read_text(value, name) for name in ("title", "model", "made_on", "note")
    }
    parameters = value.get("parameters", {})
    if not isinstance(parameters, dict):
        raise ValueError(_("its parameters are no object"))
    return About(
        **words, parameters=parameters, only_by_name=value.get("only_by_name") is True
    )


def _read_setting(value: Mapping[str, Any]) -> RecordedSetting:
    strategy = value["strategy"]
    recalls = value.get("recalls", [])
    if not isinstance(strategy, dict) or not isinstance(recalls, list):
        raise ValueError(_("the setting it was made for is none"))
    return RecordedSetting(
        _read_text(value, "conversation"),
        strategy,
        _read_text(value, "counter"),
        recalls,
        bool(value.get("answers")),
        _read_marks(value, "replies"),
        _read_marks(value, "answer_replies"),
    )


def _read_marks(value: Mapping[str, Any], name: str) -> tuple[str, ...]:
    marks = value.get(name, [])
    if not isinstance(marks, list) or not all(isinstance(mark, str) for mark in marks):
        raise ValueError(_("its {name} are no list of texts", name=name))
    return tuple(marks)


def _read_tool(value: Line) -> Tool:
    parameters = value["parameters"]
    if not isinstance(parameters, dict):
        raise ValueError(_("the parameters of a tool are no object"))
    return Tool(_read_text(value, "name"), _read_text(value, "description"), parameters)


def _read_usage(value: Mapping[str, Any]) -> Usage:
    counts = (
        value["input_tokens"],
        value["output_tokens"],
        value.get("cached_tokens", 0),
    )
    if not all(is_whole_number(count) and count >= 0 for count in counts):
        raise ValueError(_("its tokens are no whole numbers"))
    return Usage(*counts)


def _number(value: Line, name: str) -> int:
    if not is_whole_number(value[name]):
        raise ValueError(
            _(
                "the number of its {name} is {value}",
                name=name,
                value=quoted(value[name]),
            )
        )
    return int(value[name])


def _read_amount(value: Line, name: str) -> float | None:
    amount = value.get(name)
    if amount is None:
        return None
    if isinstance(amount, bool) or not isinstance(amount, int | float) or amount < 0:
        raise ValueError(_("its {name} is {value}", name=name, value=quoted(amount)))
    return float(amount)


def _read_text(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name, "")
    if not isinstance(text, str):
        raise ValueError(
            _("its {name} is {value} and no text", name=name, value=quoted(text))
        )
    return text


def _read_content(source: str | Path | bytes) -> tuple[bytes, str]:
    if isinstance(source, bytes):
        content = source
        place = _("The file")
    else:
        place = Path(source).name
        try:
            with Path(source).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise RecordingError(
                _(
                    "{source} cannot be read ({error}).",
                    source=source,
                    error=error.strerror,
                )
            ) from None
    if len(content) > MAX_BYTES:
        raise RecordingError(
            _(
                "{place} has more than {most} MB: too much for a recording.",
                place=place,
                most=MAX_BYTES // 1_000_000,
            )
        )
    return content, place


def _as_text(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"
