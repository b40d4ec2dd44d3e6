"""Agent files of Letta (.af): one agent in the first version, a list of agents in the second.

Letta packs JSON into the texts of user messages: the words of the user, and events that nobody said. Replies may be
inside the arguments of a tool call."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from memviz.core.messages import ToolCall
from memviz.core.translation import noop
from memviz.transcripts.base import EDITED_PROMPT, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import Note, ignore_note, named, stand_in
from memviz.transcripts.document import Document, Reader, require_pieces
from memviz.transcripts.readers.blocks import (
    Block,
    File,
    Part,
    PartKind,
    Thought,
    Vocabulary,
    add_parts,
    join_texts,
    read_call_block,
    read_calls,
    show_kind,
    show_nothing,
)
from memviz.transcripts.readers.json_access import (
    count_at,
    drop_empty,
    first_text,
    first_value,
    id_text,
    join_lines,
    json_text,
    object_at,
    objects_at,
    pick_fields,
    text_at,
    texts_at,
)
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.times import meta_with_time, parse_first_moment, time_text

EXPECTED = noop("an agent, or a list of agents, with messages")
REPLY_TOOL = "send_message"
REPLY_ARGUMENT = "message"
SUMMARY_ROLE = "summary"
ROLES = ("user", "assistant", "tool", "system", "approval")
KINDS = {**dict(zip(ROLES, ROLES, strict=True)), SUMMARY_ROLE: "user"}
"""How items are read, by their role. An approval asks the user whether a tool may be called, or is the answer."""
WORDS = "user_message"
ALERT = "system_alert"
EVENTS = frozenset({"heartbeat", "login", ALERT})
HIDDEN = re.compile(r"prior messages .{0,200}have been hidden from view", re.DOTALL)
SUMMARY = re.compile(
    r"The following is a summary of the previous (?:\d+ )?messages:\s*"
)
"""What stands before the summary in an alert that older messages have left the context."""
SAME_PROMPT_CHARS = 80
PROMPT_MARKS = (
    "<memory_blocks>",
    "<memory_metadata>",
    "### Memory [last modified",
    "### Core Memory",
)
APPROVAL = "approval"
"""Key in the ``meta`` of a result: what the user said about the call, where the result itself does not say it."""
ALLOWED = noop("why the user allowed a call, which has no result, was left out")


def _show_text_or_kind(block: Block, note: Note, words: Vocabulary) -> str:
    if block.get("text") is not None:
        return json_text(block["text"])
    return show_kind(block, note, words)


THOUGHT = Thought(("reasoning", "summary", "summary[].text"))
CONTENT = Vocabulary(
    {
        "image": File("image"),
        "reasoning": THOUGHT,
        "summarized_reasoning": THOUGHT,
        "redacted_reasoning": show_nothing,
        "omitted_reasoning": show_nothing,
        "tool_call": read_call_block,
        "tool_return": show_nothing,
    },
    other=_show_text_or_kind,
)


def read_parts(item: object, note: Note = ignore_note) -> list[Part]:
    """The texts, thoughts and calls of an item. Calls may stand beside the content, in the shape of the OpenAI API."""
    message = object_at(item)
    parts = CONTENT.parts(message.get("content", message.get("text")), note)
    calls = objects_at(item, "tool_calls")
    if calls:
        parts = [part for part in parts if not part.call]
    return [*parts, *read_calls(calls, note)]


def text_of(item: object) -> str:
    """All texts of an item as one."""
    return join_texts(read_parts(item))


def read_reply_to_user(call: ToolCall | None) -> str | None:
    """Return the words of a call to the user; ``None`` if it calls another tool, or says nothing that can be read."""
    if call is None or call.name != REPLY_TOOL:
        return None
    reply = unpack_json(call.arguments).get(REPLY_ARGUMENT)
    return reply if isinstance(reply, str) else None


def text_of_returned(part: Mapping[str, Any]) -> str | None:
    """The text of a result that is a part; ``None`` where it has none."""
    returned = first_value(part, "func_response", "tool_return", "content")
    if isinstance(returned, list):
        return text_of({"content": returned})
    return None if returned is None else json_text(returned)


def unpack_json(text: str) -> dict[str, Any]:
    """The object that a text is in JSON; empty for any other text."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        return object_at(json.loads(text, strict=False))
    except (ValueError, RecursionError):
        return {}


def read_packed_words(text: str, kind: str = WORDS) -> str:
    """The words in a packed message of this kind; any other text as it is."""
    event = unpack_json(text)
    words = event.get("message")
    return words if event.get("type") == kind and isinstance(words, str) else text


class Decision(NamedTuple):
    """The user's answer for the call with this ``id``."""

    id: str
    said: str
    """A reason, or a result."""
    result: str | None
    """The text of the result where no message of the tool follows; ``None`` if there has to be one, because the call
    was allowed."""
    place: str
    meta: dict[str, str]


def _make_decision(
    answer: Mapping[str, Any], id: str, place: str, meta: dict[str, str]
) -> Decision:
    result = text_of_returned(answer)
    if result is not None:
        return Decision(id, result, result, place, meta)
    reason = first_text(answer, "reason")
    if answer.get("approve") is False:
        result = stand_in("denied", reason)
    return Decision(id, reason, result, place, meta)


@dataclass(eq=False)
class AgentLog:
    """Adds the messages of one agent to a transcript.

    The file has a new copy of the system prompt after every edit of the agent's memory. The first is
    ``system_prompt``, the others are ignored. An agent that answers by calling a tool writes its thoughts as text.
    """

    builder: TranscriptBuilder
    items: Sequence[object]
    system_prompt: str
    _open: list[tuple[str, bool]] = field(default_factory=list)
    """Calls without a result: their id, and whether they are replies."""
    _decided: dict[str, Decision] = field(default_factory=dict)
    """The user's answers, of which no message of the tool has come yet."""

    def __post_init__(self) -> None:
        first = self.items[0] if self.items else None
        if text_at(first, "role") == "system":
            self.system_prompt = text_of(first) or self.system_prompt

    @cached_property
    def _answers_by_tool(self) -> bool:
        calls = [part.call for item in self.items for part in read_parts(item)]
        return any(read_reply_to_user(call) is not None for call in calls)

    def add(self, item: Any, place: str) -> None:
        """Add the next item."""
        kind = self.builder.speaker(item, place, role_of=named(KINDS))
        if kind is None:
            return
        meta = meta_with_time(item.get("created_at"))
        if kind == "tool":
            self._add_results(item, place, meta)
            return
        self.end()
        parts = read_parts(item, self.builder.note_at(place))
        if kind in ("user", "system"):
            self._add_words(item, kind, parts, place, meta)
        elif kind == "assistant" or any(part.call for part in parts):
            self._add_reply(item, parts, place, meta)
        else:
            self._decide(item, place, meta)

    def end(self) -> None:
        """End what the calls before were followed by: decisions that no message of the tool repeats are results."""
        decisions = self._decided.values()
        self._decided = {}
        for decision in decisions:
            if decision.result is not None:
                self._add_result(
                    decision.id, decision.result, decision.place, decision.meta
                )
            elif decision.said:
                self.builder.note(ALLOWED, decision.place)

    def _decide(
        self, item: Mapping[str, Any], place: str, meta: dict[str, str]
    ) -> None:
        """Keep the decisions of an answer. Older files have one, which does not name its call: that is the last."""
        answers = objects_at(item, "approvals")
        if not answers and isinstance(item.get("approve"), bool):
            last = self._open[-1][0] if self._open else ""
            answer = {"approve": item["approve"], "reason": item.get("denial_reason")}
            answers = [{**answer, "tool_call_id": last}]
        for answer in answers:
            id = id_text(answer.get("tool_call_id"))
            self._decided[id] = _make_decision(answer, id, place, meta)

    def _add_words(
        self,
        item: Mapping[str, Any],
        role: str,
        parts: list[Part],
        place: str,
        meta: dict[str, str],
    ) -> None:
        """Add what the user said or how the agent was instructed, or the compaction that a message reports."""
        texts = [part.text for part in parts if part.kind == "text"]
        text = join_lines(texts)
        if role == "system":
            prompt = self.system_prompt
            if text == prompt:
                return
            begins_so = bool(prompt) and text.startswith(prompt[:SAME_PROMPT_CHARS])
            if begins_so or any(mark in text for mark in PROMPT_MARKS):
                self.builder.note(EDITED_PROMPT, place)
                return
        if self._add_compaction(text, item):
            return
        if role == "system":
            self.builder.add_text(
                role, read_packed_words(text, ALERT), place, meta=meta
            )
        elif text_at(unpack_json(text), "type") not in EVENTS:
            self.builder.add_text(
                role, join_lines(map(read_packed_words, texts)), place, meta=meta
            )

    def _add_compaction(self, text: str, item: Mapping[str, Any]) -> bool:
        """Add the compaction that a message reports, with the summary if there is one; returns whether it does."""
        event = unpack_json(text)
        alert = read_packed_words(text, ALERT)
        beginning = SUMMARY.search(alert)
        tells_of_it = bool(beginning or HIDDEN.search(alert))
        is_alert = event.get("type") == ALERT and tells_of_it
        if not is_alert and item.get("role") != SUMMARY_ROLE:
            return False
        summary = "" if is_alert else alert
        summary = texts_at(event, "summary").get("summary", summary)
        if beginning:
            summary = alert[beginning.end() :]
        stats = object_at(event, "compaction_stats")
        self.builder.add_event(
            "compaction",
            summary,
            reason=text_at(stats, "trigger"),
            tokens_before=count_at(stats, "context_tokens_before"),
            tokens_after=count_at(stats, "context_tokens_after"),
            time=time_text(item.get("created_at")),
        )
        return True

    def _add_reply(
        self,
        item: Mapping[str, Any],
        parts: list[Part],
        place: str,
        meta: dict[str, Any],
    ) -> None:
        message_parts: list[Part] = []
        texts: PartKind = "text"
        if self._answers_by_tool and any(part.call for part in parts):
            texts = "reasoning"
        for part in parts:
            reply = read_reply_to_user(part.call)
            if part.call:
                self._open.append((part.call.id, reply is not None))
            if reply is not None:
                message_parts.append(Part("text", reply))
            elif part.kind == "text":
                message_parts.append(Part(texts, part.text))
            else:
                message_parts.append(part)
        meta = {**meta, **texts_at(item, "model")}
        if any(part.kind != "reasoning" for part in message_parts):
            add_parts(self.builder, "assistant", message_parts, place, meta=meta)

    def _add_results(
        self, item: Mapping[str, Any], place: str, meta: dict[str, str]
    ) -> None:
        returns = objects_at(item, "tool_returns")
        answers = [part for part in returns if text_of_returned(part) is not None]
        content = objects_at(item.get("content"))
        parts = [part for part in content if part.get("type") == "tool_return"]
        if not parts and len(answers) < 2:
            only = answers[0] if answers else {}
            id = id_text(item.get("tool_call_id")) or only.get("tool_call_id")
            text = text_of(item) or text_of_returned(only)
            answers = [{**only, "tool_call_id": id, "func_response": text}]
        for part in parts or answers:
            id = id_text(part.get("tool_call_id"))
            text = text_of_returned(part) or ""
            self._add_result(id, text, place, {**meta, **_read_printed_output(part)})

    def _add_result(self, id: str, text: str, place: str, meta: dict[str, Any]) -> None:
        """Add the result of the nearest open call with this id, unless the call was a reply."""
        decision = self._decided.pop(id, None)
        for opened in reversed(self._open):
            if opened[0] == id:
                self._open.remove(opened)
                if opened[1]:
                    return
                break
        if decision and decision.said not in text:
            meta = {**meta, APPROVAL: decision.said}
        self.builder.add_text("tool", text, place, tool_call_id=id or None, meta=meta)


def _read_printed_output(part: Mapping[str, Any]) -> dict[str, Any]:
    """The output that a tool printed while it ran, which Letta keeps beside the result and does not send."""
    return drop_empty(pick_fields(part, ("stdout", "stderr")))


class Letta(Reader):
    """All that each agent of the file heard, said and called, also what is no longer in its context."""

    name = "letta"
    title = noop("Letta agent file")

    def recognise(self, document: Document) -> bool:
        """An object that is an agent with messages, or that has a list of such."""
        return bool(_find_agents(document.object))

    def conversations(self, document: Document) -> Sequence[dict[str, Any]]:
        """One conversation for each agent."""
        return require_pieces(_find_agents(document.object), EXPECTED, document)

    def read(self, piece: dict[str, Any], builder: TranscriptBuilder) -> Transcript:
        """The whole conversation of an agent; summaries are events where the agent wrote them."""
        items = piece["messages"]
        log = AgentLog(builder, items, text_at(piece, "system"))
        for item, place in add_places(items):
            log.add(item, place)
        log.end()
        times = [item.get("created_at") for item in objects_at(items)]
        return builder.build(
            title=text_at(piece, "name"),
            description=text_at(piece, "description"),
            system_prompt=log.system_prompt or None,
            held_at=parse_first_moment(times),
        )


def _find_agents(value: dict[str, Any]) -> list[dict[str, Any]]:
    return list(filter(_is_agent, [value, *objects_at(value, "agents")]))


def _is_agent(value: dict[str, Any]) -> bool:
    if not isinstance(value.get("messages"), list):
        return False
    keys = ("in_context_message_indices", "in_context_message_ids")
    is_in_context = any(key in value for key in keys)
    return is_in_context or ("agent_type" in value and "llm_config" in value)
