"""Real conversations from outside the repository, brought into messages by hand: pages have to work with what people
really said, whatever format it was kept in. They are read where they lie, if MEMVIZ_TEST_DATA names the folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memviz import Message

VARIABLE = "MEMVIZ_TEST_DATA"
FOLDER = Path(os.environ.get(VARIABLE, "")) / "real"
MISSING = f"set {VARIABLE} to the folder with real/ to run these"
Talk = tuple[str, list[Message]]


def is_there() -> bool:
    return bool(os.environ.get(VARIABLE)) and FOLDER.is_dir()


def real_conversations() -> list[Talk]:
    """All of them, each with a name."""
    return [*_airline_chats(), *_agent_runs(), *_agent_file(), *_trees(), *_days()]


def _read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def _airline_chats() -> Iterator[Talk]:
    for item in _read("tau_bench_airline_20.json"):
        yield f"airline {item['task_id']}", [Message.of(message) for message in item["traj"]]


def _agent_runs() -> Iterator[Talk]:
    for path in sorted(FOLDER.glob("swe_agent_*.traj")):
        yield path.stem, [Message(item["role"], item["content"]) for item in _read(path.name)["history"]]


def _agent_file() -> Iterator[Talk]:
    messages = []
    for item in _read("letta_memgpt_agent_with_convo.af")["messages"]:
        text = "\n".join(part.get("text") or "" for part in item["content"] or ())
        messages.append(
            Message(item["role"], text, tool_calls=item["tool_calls"] or (), tool_call_id=item["tool_call_id"])
        )
    yield "agent file", messages


def _trees() -> Iterator[Talk]:
    """The path of first replies through each tree."""
    lines = (FOLDER / "oasst_3_trees.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        node, messages = json.loads(line)["prompt"], list[Message]()
        while node:
            messages.append(Message("user" if node["role"] == "prompter" else "assistant", node["text"]))
            node = next(iter(node["replies"]), None)
        yield f"tree {number}", messages


def _days() -> Iterator[Talk]:
    for language in ("en", "cn"):
        for name, user in _read(f"memorybank_{language}_2_users.json").items():
            exchanges = [exchange for day in user["history"].values() for exchange in day]
            yield (
                name,
                [
                    Message(role, exchange[key])
                    for exchange in exchanges
                    for role, key in (("user", "query"), ("assistant", "response"))
                ],
            )
