"""SWE-agent trajectories: what the agent was told, what it did and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.json_text import describe
from memviz.transcripts.readers.chat_items import chat_item
from memviz.transcripts.readers.json_rows import Row, inside, most_rows, row_object, rows
from memviz.transcripts.readers.records import first_text, has_roles, object_at

OWN_KEYS = ("trajectory", "environment", "replay_config")
OWN_MESSAGE_KEYS = frozenset({"agent", "message_type", "thought", "is_demo"})
IS_DEMO = "is_demo"


class SweAgent(Reader):
    """An object with ``history`` beside ``trajectory``, several of them, or several attempts in one."""

    name = "swe_agent"
    title = "SWE-agent trajectory"

    def recognise(self, document: Document) -> bool:
        """Objects with a history of messages that are SWE-agent's own by what is beside or in them."""
        return most_rows(document, lambda record: any(_is_trajectory(run) for run in _runs(record)))

    def conversations(self, document: Document) -> Sequence[Row]:
        """One conversation for each trajectory; each attempt is one where no attempt was chosen."""
        found = rows(document, "an object with a list called history")
        return [
            (run, inside(place, f"attempt {number}") if run is not record else place)
            for record, place in found
            for number, run in enumerate(_runs(record))
        ]

    def read(self, piece: Row, builder: TranscriptBuilder) -> Transcript:
        """The history in order. Demonstrations are messages of it: they were sent with every request."""
        run, place = row_object(*piece), piece[1]
        history = run.get("history")
        if not isinstance(history, list):
            found = describe(run)
            raise TranscriptError(f"an object with a list called history was expected, found {found}.", place=place)
        for index, item in enumerate(history):
            builder.add_json(_message(item) if isinstance(item, dict) else item, f"index {index}")
        return builder.build(description=_description(run, builder))


def _runs(record: Any) -> list[Any]:
    if isinstance(record, dict) and not isinstance(record.get("history"), list):
        attempts = record.get("attempts")
        return attempts if isinstance(attempts, list) else [record]
    return [record]


def _is_trajectory(run: Any) -> bool:
    if not isinstance(run, dict) or not has_roles(run.get("history")):
        return False
    items = [item for item in run["history"] if isinstance(item, dict)]
    return any(key in run for key in OWN_KEYS) or any(not OWN_MESSAGE_KEYS.isdisjoint(item) for item in items)


def _message(item: dict[str, Any]) -> dict[str, Any]:
    """Thought and action are not read: the content holds them as the model wrote them."""
    ids = item.get("tool_call_ids")
    answered = {"tool_call_id": ids[0]} if isinstance(ids, list) and ids else {}
    return chat_item({**answered, **item}, **({IS_DEMO: True} if item.get(IS_DEMO) is True else {}))


def _description(run: dict[str, Any], builder: TranscriptBuilder) -> str:
    demos = sum(message.meta is not None and IS_DEMO in message.meta for message in builder.messages)
    status = first_text(object_at(run, "info"), "exit_status")
    said = [
        f"{demos} of the messages {'is' if demos == 1 else 'are'} a demonstration that the agent was shown first."
        if demos
        else "",
        f"It ended with: {status}." if status else "",
    ]
    return " ".join(sentence for sentence in said if sentence)
