"""SWE-agent trajectories: what the agent was told, what it did and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Placed
from memviz.transcripts.readers.json_access import (
    first_text,
    list_at,
    object_at,
    objects_at,
)
from memviz.transcripts.readers.json_rows import RowReader, inside, listed
from memviz.transcripts.readers.role_lists import chat_item, has_roles

OWN_KEYS = ("trajectory", "environment", "replay_config")
OWN_MESSAGE_KEYS = frozenset({"agent", "message_type", "thought", "is_demo"})
IS_DEMO = "is_demo"


class SweAgent(RowReader):
    """An object with ``history`` beside ``trajectory``, several of them, or several attempts in one."""

    name = "swe_agent"
    title = "SWE-agent trajectory"
    expected = "an object with a list called history"

    def is_row(self, row: dict[str, Any]) -> bool:
        """Whether a row has a history of messages that are SWE-agent's own by what is beside or in them."""
        return any(map(_is_trajectory, _runs(row)))

    def conversations(self, document: Document) -> Sequence[Placed]:
        """One conversation for each trajectory; for each attempt, if no attempt was chosen."""
        return [
            (run, inside(place, f"attempt {number}") if run is not record else place)
            for record, place in super().conversations(document)
            for number, run in enumerate(_runs(record))
        ]

    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the history in order. Demonstrations are messages of it: they were sent with every request."""
        for index, item in enumerate(listed(row, "history", self.expected, place)):
            builder.add_json(
                _message(item) if isinstance(item, dict) else item, f"index {index}"
            )
        _note_unsent(row, builder)
        return {"description": _description(row, builder)}


def _runs(record: Any) -> list[Any]:
    if isinstance(record, dict) and not isinstance(record.get("history"), list):
        attempts = record.get("attempts")
        return attempts if isinstance(attempts, list) else [record]
    return [record]


def _is_trajectory(run: Any) -> bool:
    if not isinstance(run, dict) or not has_roles(run.get("history")):
        return False
    messages = objects_at(run, "history")
    return any(key in run for key in OWN_KEYS) or any(
        not OWN_MESSAGE_KEYS.isdisjoint(item) for item in messages
    )


def _message(item: dict[str, Any]) -> dict[str, Any]:
    """Thought and action are not read: the content holds them as the model wrote them."""
    ids = list_at(item, "tool_call_ids")
    answered = {"tool_call_id": ids[0]} if ids else {}
    return chat_item(
        {**answered, **item}, **({IS_DEMO: True} if item.get(IS_DEMO) is True else {})
    )


def _note_unsent(run: dict[str, Any], builder: TranscriptBuilder) -> None:
    """Say what the steps of a run hold that its history does not."""
    said = "\n".join(message.content for message in builder.messages)
    steps = objects_at(run, "trajectory")
    if builder.messages and steps and _is_missing(steps[-1], "observation", said):
        builder.note(
            "what came of the last action, which the model never saw, was left out"
        )
    retried = sum(_is_missing(step, "response", said) for step in steps)
    if retried and builder.messages:
        builder.note(
            f"replies that were asked for again, and are not in the history, were left out: {retried}"
        )


def _is_missing(step: dict[str, Any], key: str, said: str) -> bool:
    text = first_text(step, key).strip()
    return bool(text) and text not in said


def _description(run: dict[str, Any], builder: TranscriptBuilder) -> str:
    demos = sum(
        message.meta is not None and IS_DEMO in message.meta
        for message in builder.messages
    )
    status = first_text(object_at(run, "info"), "exit_status")
    said = [
        f"{demos} of the messages {'is' if demos == 1 else 'are'} a demonstration that the agent was shown first."
        if demos
        else "",
        f"It ended with: {status}." if status else "",
    ]
    return " ".join(sentence for sentence in said if sentence)
