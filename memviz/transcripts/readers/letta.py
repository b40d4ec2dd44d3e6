"""Agent files of Letta (.af): one agent in the first version, a list of agents in the second.

The user's words are in JSON inside a text, and replies may be inside the arguments of a tool call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.core.messages import ToolCall
from memviz.transcripts.base import REASONING, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import UNKNOWN_KIND, named
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.blocks import read_call
from memviz.transcripts.readers.json_access import id_text, joined, objects_at, text_at
from memviz.transcripts.readers.letta_parts import (
    SUMMARY_ROLE,
    Decision,
    calls_of,
    compaction,
    decisions_of,
    is_event,
    is_reply,
    is_role,
    is_unknown,
    parts_of,
    printed,
    reply_of,
    returned_text,
    spoken,
    text_of,
    texts_of,
    thoughts_of,
)
from memviz.transcripts.times import moment, with_time

KINDS = {kind: kind for kind in ("user", "assistant", "tool", "system", "approval")} | {
    SUMMARY_ROLE: "user"
}
"""How items are read, by their role. An approval asks the user whether a tool may be called, or is the answer."""
SAME_PROMPT_CHARS = 80
EDITED_PROMPT = (
    "later copies of the system prompt, with an edited memory, were left out"
)
PROMPT_MARKS = (
    "<memory_blocks>",
    "<memory_metadata>",
    "### Memory [last modified",
    "### Core Memory",
)


class AgentLog:
    """Adds the messages of one agent to a transcript.

    The file has a new copy of the system prompt after every edit of the agent's memory. The first is
    ``system_prompt``, the others are ignored. An agent that answers by calling a tool writes its thoughts as text.
    """

    def __init__(
        self, builder: TranscriptBuilder, items: Sequence[object], system: str
    ) -> None:
        self._builder = builder
        self._open: list[
            tuple[str, bool]
        ] = []  # calls without a result: their id, and whether they are replies
        self._decided: dict[
            str, tuple[Decision, str, dict[str, str]]
        ] = {}  # and no message of the tool yet
        self._answers_by_tool = any(
            is_reply(call) for item in items for call in calls_of(item)
        )
        first = items[0] if items else None
        self.system_prompt = (is_role(first, "system") and text_of(first)) or system

    def add(self, item: Any, place: str) -> None:
        """Add the next item."""
        kind = self._builder.speaker(item, place, role_of=named(KINDS))
        if kind is None:
            return
        meta = with_time(item.get("created_at"))
        if kind == "tool":
            self._add_results(item, place, meta)
            return
        self.end()
        if any(map(is_unknown, parts_of(item))):
            self._builder.note(UNKNOWN_KIND, place)
        if kind == "user":
            self._add_prompt(item, place, meta)
        elif kind == "system":
            self._add_instruction(item, place, meta)
        elif kind == "assistant" or calls_of(item):
            self._add_reply(item, place, meta)
        else:
            asked = self._open[-1][0] if self._open else ""
            for decision in decisions_of(item, asked):
                self._decided[decision.id] = (decision, place, meta)

    def end(self) -> None:
        """End what the calls before were followed by: decisions that no message of the tool repeats are results."""
        decided = self._decided
        self._decided = {}
        for decision, place, meta in decided.values():
            if decision.result is not None:
                self._add_result(decision.id, decision.result, place, meta)
            elif decision.said:
                self._builder.note(
                    "why the user allowed a call, which has no result, was left out",
                    place,
                )

    def _add_prompt(
        self, item: Mapping[str, Any], place: str, meta: dict[str, str]
    ) -> None:
        text = text_of(item)
        summary = compaction(text, len(self._builder.messages), item)
        if summary is not None:
            self._builder.events.append(summary)
        elif not is_event(text):
            content = joined([spoken(part) for part in texts_of(item)])
            self._builder.add_text("user", content, place, meta=meta)

    def _add_instruction(
        self, item: Mapping[str, Any], place: str, meta: dict[str, str]
    ) -> None:
        text = text_of(item)
        prompt = self.system_prompt
        if text == prompt:
            return
        begins_so = bool(prompt) and text.startswith(prompt[:SAME_PROMPT_CHARS])
        if begins_so or any(mark in text for mark in PROMPT_MARKS):
            self._builder.note(EDITED_PROMPT, place)
            return
        summary = compaction(text, len(self._builder.messages), item)
        if summary is not None:
            self._builder.events.append(summary)
        else:
            self._builder.add_text(
                "system", spoken(text, "system_alert"), place, meta=meta
            )

    def _add_reply(
        self, item: Mapping[str, Any], place: str, meta: dict[str, Any]
    ) -> None:
        texts = texts_of(item)
        thoughts = thoughts_of(item)
        calls = list[ToolCall]()
        replies = list[str]()
        for call in calls_of(item):
            tool_call = read_call(call, self._builder.note_at(place))
            reply = reply_of(call)
            self._open.append((tool_call.id, reply is not None))
            if reply is None:
                calls.append(tool_call)
            else:
                replies.append(reply)
        if self._answers_by_tool and (calls or replies):
            thoughts = [*thoughts, *texts]
            texts = []
        if isinstance(item.get("model"), str):
            meta = {**meta, "model": item["model"]}
        if joined(thoughts):
            meta = {**meta, REASONING: joined(thoughts)}
        content = joined([*texts, *replies])
        if content or calls or replies:
            self._builder.add_text(
                "assistant", content, place, tool_calls=tuple(calls), meta=meta
            )

    def _add_results(
        self, item: Mapping[str, Any], place: str, meta: dict[str, str]
    ) -> None:
        returns = objects_at(item, "tool_returns")
        answers = [part for part in returns if returned_text(part) is not None]
        parts = [part for part in parts_of(item) if part.get("type") == "tool_return"]
        if "role" in item and len(answers) < 2 and not parts:
            only = answers[0] if answers else {}
            id = id_text(item.get("tool_call_id")) or id_text(only.get("tool_call_id"))
            text = text_of(item) or returned_text(only) or ""
            self._add_result(id, text, place, {**meta, **printed(only)})
            return
        for part in parts or answers:
            id = id_text(part.get("tool_call_id"))
            text = returned_text(part) or ""
            self._add_result(id, text, place, {**meta, **printed(part)})

    def _add_result(self, id: str, text: str, place: str, meta: dict[str, Any]) -> None:
        """Add the result of the nearest open call with this id, unless the call was a reply."""
        decision, *_ = self._decided.pop(id, (None, ""))
        for position in range(len(self._open) - 1, -1, -1):
            if self._open[position][0] == id:
                _, is_reply = self._open.pop(position)
                if is_reply:
                    return
                break
        if decision:
            meta = {**meta, **decision.beside(text)}
        self._builder.add_text("tool", text, place, tool_call_id=id or None, meta=meta)


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
