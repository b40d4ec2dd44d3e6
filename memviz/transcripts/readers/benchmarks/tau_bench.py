"""tau-bench: what an agent, its tools and a simulated customer said, in both generations of the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.json_access import (
    first_text,
    list_at,
    object_at,
    objects_at,
)
from memviz.transcripts.readers.json_rows import listed, most_rows, row_object, rows
from memviz.transcripts.readers.role_lists import chat_item
from memviz.transcripts.times import moment, with_time


class Run(NamedTuple):
    """One try at a task: its record, where that stands, and, of the second generation, what the file says of it."""

    record: Any
    place: str
    policy: str | None = None
    task: str = ""
    is_second: bool = False


class TauBench(Reader):
    """Results with ``traj``; or one object with ``simulations`` (tau2-bench)."""

    name = "tau_bench"
    title = "tau-bench results"

    def recognise(self, document: Document) -> bool:
        """Records with a list ``traj``, or an object with simulations that have a list of messages."""
        return most_rows(
            document, lambda row: isinstance(row.get("traj"), list)
        ) or any(_simulations(document.object))

    def conversations(self, document: Document) -> Sequence[Run]:
        """One conversation for each run."""
        if any(_simulations(document.object)):
            return _second_generation(document.object)
        return [
            Run(record, place)
            for record, place in rows(document, "results with a list called traj")
        ]

    def read(self, piece: Run, builder: TranscriptBuilder) -> Transcript:
        """The messages of a run in order."""
        key = "messages" if piece.is_second else "traj"
        record = row_object(piece.record, piece.place)
        for index, message in enumerate(
            listed(record, key, f"a result with a list called {key}", piece.place)
        ):
            _add(message, f"index {index}", piece.is_second, builder)
        return builder.build(
            title=_title(record),
            description=piece.task or _instruction(record),
            system_prompt=piece.policy,
            held_at=moment(record.get("start_time")),
        )


def _add(message: Any, place: str, is_second: bool, builder: TranscriptBuilder) -> None:
    if not isinstance(message, dict):
        builder.add_json(message, place)
    elif not is_second:
        builder.add_json(chat_item(message), place)
    elif isinstance(
        message.get("tool_messages"), list
    ):  # results of parallel calls, kept in one record
        for result in message["tool_messages"]:
            _add(
                {**result, "role": "tool"} if isinstance(result, dict) else result,
                place,
                True,
                builder,
            )
    else:
        _add_second(message, place, builder)


def _add_second(
    message: dict[str, Any], place: str, builder: TranscriptBuilder
) -> None:
    item = (
        {"tool_call_id": message.get("id"), **message}
        if message.get("role") == "tool"
        else message
    )
    if message.get("is_audio") is True:
        item = {
            **item,
            "content": first_text(message, "audio_script_gold") or "[audio]",
        }
    if _is_of_user(message):
        # The customer of the second generation has a phone or a computer of its own, which the agent does not see.
        builder.note(
            "the simulated customer's own tool calls and their results, which the agent never sees, "
            "were left out",
            place,
        )
        if not first_text(message, "content") or message.get("role") == "tool":
            return
        item = {**item, "tool_calls": None}
    builder.add_json(chat_item(item, **with_time(message.get("timestamp"))), place)


def _is_of_user(message: dict[str, Any]) -> bool:
    role = message.get("role")
    return bool(role == "user" and message.get("tool_calls")) or (
        role == "tool" and message.get("requestor") == "user"
    )


def _simulations(record: dict[str, Any]) -> list[Any]:
    """The simulations with messages of a tau2-bench file, with everything that stands between them."""
    has_messages = any(
        isinstance(item.get("messages"), list)
        for item in objects_at(record, "simulations")
    )
    return list_at(record, "simulations") if has_messages else []


def _second_generation(results: dict[str, Any]) -> list[Run]:
    policy = (
        first_text(object_at(results, "info", "environment_info"), "policy") or None
    )
    tasks = objects_at(results, "tasks")
    named = {
        str(task.get("id")): first_text(object_at(task, "description"), "purpose")
        for task in tasks
    }
    return [
        Run(
            run,
            f"simulation {index}",
            policy,
            named.get(str(object_at(run).get("task_id")), ""),
            True,
        )
        for index, run in enumerate(_simulations(results))
    ]


def _instruction(record: dict[str, Any]) -> str:
    return first_text(object_at(record, "info", "task"), "instruction")


def _title(record: dict[str, Any]) -> str:
    named = [
        (word, record.get(key))
        for word, key in (("Task", "task_id"), ("trial", "trial"))
    ]
    known = [
        f"{word} {value}"
        for word, value in named
        if type(value) in (str, int) and str(value).strip()
    ]
    return ", ".join(known) if known and record.get("task_id") is not None else UNTITLED
