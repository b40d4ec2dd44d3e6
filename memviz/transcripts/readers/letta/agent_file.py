"""Agent files of Letta (.af): one agent in the first version, a list of agents in the second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.letta.messages import AgentLog
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
        system = piece.get("system")
        log = AgentLog(builder, piece["messages"], system if isinstance(system, str) else "")
        for index, item in enumerate(piece["messages"]):
            log.take(item, f"index {index}")
        times = (moment(item.get("created_at")) for item in piece["messages"] if isinstance(item, dict))
        texts = {key: piece[key] for key in ("description",) if isinstance(piece.get(key), str)}
        name = piece.get("name")
        return builder.build(
            title=name if isinstance(name, str) else "",
            system_prompt=log.system_prompt or None,
            held_at=next((time for time in times if time is not None), None),
            **texts,
        )


def _agents(found: dict[str, Any]) -> list[dict[str, Any]]:
    if _is_agent(found):
        return [found]
    agents = found.get("agents")
    return [agent for agent in agents if _is_agent(agent)] if isinstance(agents, list) else []


def _is_agent(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    in_context = "in_context_message_indices" in value or "in_context_message_ids" in value
    return in_context or ("agent_type" in value and "llm_config" in value)
