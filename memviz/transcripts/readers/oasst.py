"""OpenAssistant (OASST): trees of prompts and replies, as whole trees or as single messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.json_text import describe
from memviz.transcripts.readers.json_access import first_text, list_at, value_at
from memviz.transcripts.readers.json_rows import most_rows, rows
from memviz.transcripts.readers.message_trees import branch, leaves
from memviz.transcripts.times import moment, with_time

ROLES = {"prompter": "user", "assistant": "assistant"}
TREE = "message_tree_id"


class Node(NamedTuple):
    """A message of a tree: the id of the one before it, where it stands, and its record."""

    parent: str | None
    place: str
    record: Any


Nodes = dict[str, Node]


class Oasst(Reader):
    """Trees with ``prompt`` and ``replies``, or messages with ``parent_id``; mostly one a line."""

    name = "oasst"
    title = "OpenAssistant trees (OASST)"

    def recognise(self, document: Document) -> bool:
        """Records of a message tree: the tree itself, or one of its messages."""
        return most_rows(
            document, lambda record: _is_tree(record) or _is_message(record)
        )

    def conversations(self, document: Document) -> Sequence[Nodes]:
        """One conversation for each tree."""
        trees: dict[str, Nodes] = {}
        for index, (record, place) in enumerate(
            rows(document, f"trees or messages with a {TREE}")
        ):
            if isinstance(record, dict) and _is_message(record):
                nodes = trees.setdefault(str(record[TREE]), {})
                nodes.setdefault(
                    first_text(record, "message_id") or str(index),
                    Node(_parent(record), place, record),
                )
            else:
                trees[f"{index}, a tree"] = _nodes_of_tree(record, place)
        return list(trees.values())

    def read(self, piece: Nodes, builder: TranscriptBuilder) -> Transcript:
        """The branch of the replies that people ranked best."""
        path = _best_path(piece)
        for id in path:
            _add(piece[id], builder)
        _note_others(piece, set(path), builder)
        first = piece[path[0]].record
        language = {"language": first["lang"]} if first_text(first, "lang") else {}
        return builder.build(held_at=moment(first.get("created_date")), **language)


def _is_tree(record: dict[str, Any]) -> bool:
    return TREE in record and isinstance(record.get("prompt"), dict)


def _is_message(record: dict[str, Any]) -> bool:
    return isinstance(record.get(TREE), str) and "role" in record and "text" in record


def _parent(record: dict[str, Any]) -> str | None:
    return first_text(record, "parent_id") or None


def _nodes_of_tree(record: Any, place: str) -> Nodes:
    """The messages of a whole tree, by numbers of their own: ids are not needed where the nesting says it all."""
    prompt = value_at(record, "prompt")
    if not isinstance(prompt, dict):
        return {"": Node(None, place, record)}
    nodes: Nodes = {}
    waiting: list[tuple[str | None, int, Any]] = [(None, 1, prompt)]
    for (
        parent,
        depth,
        message,
    ) in waiting:  # grows while it is walked: level after level
        id = str(len(nodes))
        where = f"{place}, message {depth}" if place else f"message {depth}"
        nodes[id] = Node(parent, where, message)
        waiting.extend((id, depth + 1, reply) for reply in list_at(message, "replies"))
    return nodes


def _best_path(nodes: Nodes) -> list[str]:
    roots = [id for id, node in nodes.items() if node.parent not in nodes]
    if not roots:
        raise TranscriptError(
            "its messages name each other in a circle.", remedy="Export the tree again."
        )
    children: dict[str | None, list[str]] = {}
    for id, node in nodes.items():
        children.setdefault(node.parent, []).append(id)
    whole = [
        id for id in roots if nodes[id].parent is None
    ]  # the others answer messages that the file does not have
    at, options = "", _usable(whole or roots, nodes)
    if not options:
        found = describe(nodes[roots[0]].record)
        raise TranscriptError(
            f"its first message was deleted or is none: found {found}.",
            place=nodes[roots[0]].place,
        )
    while options:
        at = min(options, key=lambda id: _rank(nodes[id].record))
        options = _usable(children.get(at, []), nodes)
    return branch(at, {id: node.parent for id, node in nodes.items()})[0]


def _usable(ids: list[str], nodes: Nodes) -> list[str]:
    return [id for id in ids if _is_there(nodes[id].record)]


def _is_there(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and "text" in record
        and record.get("deleted") is not True
    )


def _rank(record: dict[str, Any]) -> tuple[bool, float]:
    """What reviewers rejected comes last; then the rank, 0 being the best; then the order in the file."""
    rank = record.get("rank")
    known = (
        rank
        if isinstance(rank, (int, float)) and not isinstance(rank, bool)
        else math.inf
    )
    return record.get("review_result") is False, known


def _add(node: Node, builder: TranscriptBuilder) -> None:
    record = node.record
    role, text = ROLES.get(first_text(record, "role")), record["text"]
    if role is None or not isinstance(text, str):
        builder.leave_out(
            node.place, "has no known role" if role is None else "has no text"
        )
        return
    model = {"model": record["model_name"]} if first_text(record, "model_name") else {}
    builder.add_text(
        role,
        text,
        node.place,
        meta={**with_time(record.get("created_date")), **model} or None,
    )


def _note_others(nodes: Nodes, shown: set[str], builder: TranscriptBuilder) -> None:
    there = {id: node.parent for id, node in nodes.items() if _is_there(node.record)}
    others, gone = len(there.keys() - shown), len(nodes) - len(there)
    if others:
        branches = max(len(leaves(there)) - 1, 1)
        builder.note(
            f"left out {_count(others, 'message')} of {_count(branches, 'other branch')}"
        )
    if gone:
        builder.note(f"left out {_count(gone, 'message')}, deleted or broken")


def _count(number: int, thing: str) -> str:
    plural = "es" if thing.endswith("h") else "s"
    return f"{number} {thing}{'' if number == 1 else plural}"
