"""What LangChain and LangGraph keep their messages in: memories, states of a graph, and dictionaries of sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memviz.transcripts.document import HEAD_ITEMS, Placed
from memviz.transcripts.readers.json_access import id_text, text_at, value_at
from memviz.transcripts.readers.langchain.messages import SPOKEN, shape_of
from memviz.transcripts.times import moment

MESSAGE_PATHS = (
    ("messages",), ("values", "messages"), ("channel_values", "messages"), ("checkpoint", "channel_values", "messages"),
    ("kwargs", "messages"),
)  # fmt: skip
EMPTY: tuple[Any, ...] = ([], {"messages": []})
"""Histories in which nothing was said yet."""
THREAD_PATHS = (
    ("thread_id",),
    ("checkpoint", "thread_id"),
    ("config", "configurable", "thread_id"),
)
TIME_PATHS = (("created_at",), ("ts",), ("checkpoint", "ts"))


class Held(NamedTuple):
    """The messages of one conversation with what is kept beside them.

    ``summary`` is one that was stored; ``is_pruned`` says that the messages it replaced are gone. ``thread`` is the
    id of a LangGraph thread, ``saved_at`` when this state of it was saved, and ``states`` how many states the file
    holds. ``is_text``: the messages are JSON text still, as in the cells of a table.
    """

    items: Sequence[Placed]
    title: str = ""
    summary: str = ""
    is_pruned: bool = False
    thread: str = ""
    saved_at: datetime | None = None
    states: int = 1
    is_text: bool = False


def are_messages(items: object) -> bool:
    """Whether at least half of a list are messages, and one of them is not of a type that other products have too."""
    if not isinstance(items, Sequence) or isinstance(items, str):
        return False
    head = items[:HEAD_ITEMS]
    shapes = [shape for shape in map(shape_of, head) if shape]
    is_own = any(
        shape.type in SPOKEN or "additional_kwargs" in shape.data for shape in shapes
    )
    serialised = any(
        isinstance(item, dict) and "lc" in item and shape_of(item) for item in head
    )
    return 2 * len(shapes) >= len(head) and (is_own or serialised)


def held_in(value: Mapping[str, Any]) -> list[Held]:
    """The conversations that an object holds; none where it is of another kind."""
    return _one(value) or [held._replace(title=key) for key, held in _by_session(value)]


def newest_states(found: Iterable[Held]) -> list[Held]:
    """The conversations, of several saved states of one thread the newest alone."""
    chosen: dict[str, Held] = {}
    for number, held in enumerate(found):
        key = held.thread or f"\0{number}"
        other = chosen.get(key)
        if other is None:
            chosen[key] = held
            continue
        is_newer = bool(
            held.saved_at and (other.saved_at is None or held.saved_at > other.saved_at)
        )
        chosen[key] = (held if is_newer else other)._replace(states=other.states + 1)
    return list(chosen.values())


def listed(items: Iterable[Any], inside: str = "") -> list[Placed]:
    """The items of a list with their places, which is ``inside`` another."""
    return [
        (item, f"{inside}, index {n}" if inside else f"index {n}")
        for n, item in enumerate(items)
    ]


def _one(value: Mapping[str, Any]) -> list[Held]:
    if shape_of(value):
        return [Held(listed([value]))] if are_messages([value]) else []
    memory = value.get("chat_memory")
    if isinstance(memory, dict) and isinstance(memory.get("messages"), list):
        return [_of_memory(value, memory["messages"])]
    for path in MESSAGE_PATHS:
        items = value_at(value, *path)
        if isinstance(items, list) and items and are_messages(items):
            return [
                Held(
                    listed(items),
                    summary=text_at(value, *path[:-1], "summary"),
                    thread=next(
                        (
                            text
                            for at in THREAD_PATHS
                            if (text := id_text(value_at(value, *at)))
                        ),
                        "",
                    ),
                    saved_at=next(
                        (
                            time
                            for at in TIME_PATHS
                            if (time := moment(value_at(value, *at)))
                        ),
                        None,
                    ),
                )
            ]
    return []


def _of_memory(memory: Mapping[str, Any], items: list[Any]) -> Held:
    pruned = text_at(memory, "moving_summary_buffer")
    return Held(
        listed(items),
        summary=pruned or text_at(memory, "buffer"),
        is_pruned=bool(pruned),
    )


def _by_session(value: Mapping[str, Any]) -> list[tuple[str, Held]]:
    """Dictionaries of session ids, which programs keep their histories in."""
    found: list[tuple[str, Held]] = []
    for key, inner in value.items():
        if inner in EMPTY:
            continue
        if isinstance(inner, list) and inner and are_messages(inner):
            found.append((key, Held(listed(inner))))
        elif isinstance(inner, dict) and (held := _one(inner)) and not shape_of(inner):
            found.append((key, held[0]))
        else:
            return []
    return found
