"""Models and views that the tests of the engine share."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from threading import Event
from typing import Any

import memviz
from memviz import Message, Model, Reply, Run
from tests.strategies.conversations import RUN_HERE, small_parameters

IDS = RUN_HERE
"""All strategies, for the laws of the engine."""
REPRESENTATIVES = [
    id
    for id in RUN_HERE
    if id
    in {
        "window",  # nothing is written and messages are dropped: buffer, head_and_tail, token_buffer
        "recent_only",  # a note a turn: summary_only, facts_store
        "summary_buffer",  # one summary, looked at after each message: summary, working_memory, observations
        "chat_summary_buffer",  # the same before a request, and it drops: threshold_summary, hand_off
        "fifo_facts",  # a note that is a list of facts
        "retrieval",  # messages are looked up for each request
        "clear_tool_results",  # messages are sent in another form
        "pipeline",  # several effects at one request
        "llama_index",  # a library decides: all that are built upon memviz/strategies/library.py
    }
]
"""One strategy for each way through the engine. What is made of a run (metrics, charts, files, commands, exported code)
cannot know any other difference between strategies, for it reads records alone; that all strategies make the same kind
of records is what the laws of the engine say."""
SUMMARIZING = [
    "recent_only",
    "summary",
    "summary_buffer",
    "chat_summary_buffer",
    "summary_only",
]


def small(id: str, **parameters: Any) -> memviz.Strategy:
    """The strategy with parameters so small that a short conversation makes it act."""
    return memviz.strategy(id, **{**small_parameters(id), **parameters})


class Digest(Model):
    """Answers every request with words that depend on that request alone."""

    name = "digest"

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        text = json.dumps([message.to_request() for message in messages])
        reply = f"digest {hashlib.sha256(text.encode()).hexdigest()[:12]}"
        yield reply
        yield Reply(reply)


class Waiting(Model):
    """Summarizes when it is let."""

    name = "waiting"

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        self.asked.set()
        self.may_answer.wait(120)
        yield Reply("a summary")


class Slow(Digest):
    """Lets other threads go first."""

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        time.sleep(0.005)
        return super().stream(messages)


def sent(run: Run) -> list[bytes]:
    """The bytes of every request."""
    return [
        json.dumps([m.to_request() for m in record.context.messages]).encode()
        for record in run.requests
    ]


def timeless(run: Run) -> dict[str, Any]:
    """The run without what differs between a live conversation and its replay: clocks, billing, tools."""
    view = run.to_dict()
    for compaction in (
        *view["compactions"],
        *view.get("pending", {}).get("foreseen", ()),
    ):
        compaction.pop("seconds")
    for turn in view["requests"]:
        turn.pop("facts")
        if turn.pop("tools"):  # a replay calls no model, so it offers none
            turn["tokens"].pop("tools")
        turn.pop("kind")
        turn["flags"] = [flag for flag in turn["flags"] if flag != "partial_reply"]
    for message in view["messages"]:
        message.pop("meta", None)
    return view


def talk(turns: int) -> list[Message]:
    """Questions and answers in turn, each with its own number."""
    return [
        Message(role, f"{role} says number {i}")
        for i in range(turns)
        for role in ("user", "assistant")
    ]
