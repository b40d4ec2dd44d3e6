"""Run what an export writes, and replay the same conversation with memviz."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import memviz
from memviz import Message
from memviz.code_export import Setting, targets
from memviz.code_export.program import find_template
from memviz.models.base import Model

PARAMETERS: dict[str, dict[str, Any]] = {
    "buffer": {},
    "window": {"window_size": 7},
    "token_buffer": {"max_tokens": 900},
    "recent_only": {"recent_rounds": 2},
    "summary": {"buffer_size": 5},
    "summary_buffer": {"max_token_limit": 1200},
    "chat_summary_buffer": {"token_limit": 1500},
    "summary_only": {},
    "clear_tool_results": {"trigger_tokens": 600, "keep_results": 2},
    "head_and_tail": {"head_size": 2, "tail_size": 5},
    "fifo_facts": {"token_limit": 900},
    "threshold_summary": {"trigger_tokens": 500, "keep_messages": 6},
    "langchain_summarization": {"trigger_tokens": 500, "keep_messages": 6},
}
"""Values at which every strategy acts several times in a bundled conversation."""


def with_code(target: str) -> list[str]:
    """The strategies that can be exported to this target; to a file for memviz, or its own code, all can."""
    if target in ("memory_yaml", "memviz_code"):
        return list(memviz.strategies())
    return [
        id
        for id in memviz.strategies()
        if find_template(setting(id), target) is not None
    ]


def setting(id: str, **changes: Any) -> Setting:
    """A setting with this strategy; ``parameters`` are the strategy's, the rest is the setting's."""
    parameters = {**PARAMETERS.get(id, {}), **changes.pop("parameters", {})}
    return Setting(memviz.strategy(id, **parameters), **changes)


def load(target: str, wanted: Setting, **edits: str) -> dict[str, Any]:
    """The names that the written file defines once it is run (its ``main`` is not called), with other values for some
    of the texts on its top."""
    written = targets()[target].write(wanted)
    for name, value in edits.items():
        written, number = re.subn(
            rf'(?m)^{name} = "[^"]*"', f"{name} = {value!r}", written
        )
        assert number == 1
    memviz.counter("o200k_base")(
        "warm"
    )  # tiktoken keeps the encodings that memviz found offline
    memviz.counter("cl100k_base")("warm")
    memviz.counter("p50k_base")("warm")
    names: dict[str, Any] = {"__name__": f"{target}_{wanted.strategy.id}"}
    exec(compile(written, f"<{target}>", "exec"), names)  # noqa: S102
    return names


def summarize_with(model: Model) -> Any:
    """A model of memviz as the function that an export leaves to fill in."""
    return lambda messages: (
        model.summarize([Message.of(message) for message in messages]).text
    )


def requests(
    messages: Iterable[Message],
    wanted: Setting,
    model: Model | None = None,
    **options: Any,
) -> list[Any]:
    """What memviz's replay sends: ``(length of the log, messages as dictionaries)``, one a request, also of the one
    that is open at the end: the exported code does not know that nobody answers it."""
    run = memviz.replay(
        list(messages),
        wanted.strategy,
        model=model or memviz.model("offline"),
        counter=wanted.counter,
        system_prompt=wanted.system_prompt,
        repair_tool_pairs=wanted.repair_tool_pairs,
        **options,
    )
    sent = [*run.requests, run.pending] if run.pending else run.requests
    return [
        (one.memory.length, [m.to_request() for m in one.context.messages])
        for one in sent
    ]


def talk(turns: int, words: int = 12) -> list[Message]:
    """An orderly conversation; every message has ``words`` words, and none is like another."""
    return [
        Message(role, " ".join([f"{role}{turn}", *["word"] * (words - 1)]))
        for turn in range(turns)
        for role in ("user", "assistant")
    ]


def pairs(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Questions and answers of an orderly conversation."""
    return [
        (messages[i].content, messages[i + 1].content)
        for i in range(0, len(messages) - 1, 2)
    ]


def texts(messages: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    """Role and content of messages as dictionaries."""
    return [(message["role"], message["content"]) for message in messages]
