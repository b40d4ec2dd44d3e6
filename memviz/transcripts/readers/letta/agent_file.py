"""Agent files of Letta (.af): one agent in the first version, a list of agents in the second.

The user's words are in JSON inside a text, and replies may be inside the arguments of a tool call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.json_access import objects_at, text_at
from memviz.transcripts.readers.letta.agent_log import AgentLog
from memviz.transcripts.times import moment


class Letta(Reader):
    """What each agent of the file heard, said and called, also what is no longer in its context."""

    name = "letta"
    title = "Letta agent file"

    def recognise(self, document: Document) -> bool:
        """An object that is an agent with messages, or that has a list of such."""
        return bool(_agents(document.object))

    def conversations(self, document: Document) -> Sequence[dict[str, Any]]:
        """One conversation for each agent."""
        agents = _agents(document.object)
        if not agents:
            raise mismatch("an agent, or a list of agents, with messages", document)
        return agents

    def read(self, piece: dict[str, Any], builder: TranscriptBuilder) -> Transcript:
        """The whole conversation of an agent; summaries are events where the agent wrote them."""
        log = AgentLog(builder, piece["messages"], text_at(piece, "system"))
        for index, item in enumerate(piece["messages"]):
            log.add(item, f"index {index}")
        log.end()
        times = (
            moment(item.get("created_at")) for item in objects_at(piece, "messages")
        )
        return builder.build(
            title=text_at(piece, "name"),
            description=text_at(piece, "description"),
            system_prompt=log.system_prompt or None,
            held_at=next((time for time in times if time is not None), None),
        )


def _agents(found: dict[str, Any]) -> list[dict[str, Any]]:
    if _is_agent(found):
        return [found]
    return list(filter(_is_agent, objects_at(found, "agents")))


def _is_agent(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    in_context = (
        "in_context_message_indices" in value or "in_context_message_ids" in value
    )
    return in_context or ("agent_type" in value and "llm_config" in value)
