"""OpenAssistant (OASST): trees of prompts and replies, as whole trees or as single messages."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import describe
from memviz.transcripts.readers.json_access import (
    first_text,
    list_at,
    object_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import are_mostly, place_inside, rows
from memviz.transcripts.readers.message_trees import find_leaves
from memviz.transcripts.times import meta_with_time, moment

ROLES = {"prompter": "user", "assistant": "assistant"}
TREE = "message_tree_id"
OTHER_BRANCH = noop("left out {messages} of 1 other branch")
OTHER_BRANCHES = noop("left out {messages} of {branches} other branches")
GONE = noop("left out {messages}, deleted or broken")
CIRCLE = Refusal(
    noop("its messages name each other in a circle."), noop("Export the tree again.")
)
NO_FIRST = Refusal(noop("its first message was deleted or is none: found {found}."))
NO_ROLE = noop("has no known role")
NO_TEXT = noop("has no text")


class Node(NamedTuple):
    """A message of a tree: the id of the one before it, where it stands, and its record."""

    parent: str | None
    place: str
    record: Any

    @property
    def is_there(self) -> bool:
        """Return whether the message was not deleted."""
        record = object_at(self.record)
        return "text" in record and record.get("deleted") is not True


Nodes = dict[str, Node]


class Oasst(Reader):
    """Trees with ``prompt`` and ``replies``, or messages with ``parent_id``; mostly one a line."""

    name = "oasst"
    title = noop("OpenAssistant trees (OASST)")

    def recognise(self, document: Document) -> bool:
        """Records of a message tree: the tree itself, or one of its messages."""
        return are_mostly(document, lambda row: _is_tree(row) or _is_message(row))

    def conversations(self, document: Document) -> Sequence[Nodes]:
        """One conversation for each tree."""
        trees: dict[str, Nodes] = {}
        records = rows(document, f"trees or messages with a {TREE}")
        for index, (record, place) in enumerate(records):
            if isinstance(record, dict) and _is_message(record):
                id = first_text(record, "message_id") or str(index)
                parent = first_text(record, "parent_id") or None
                nodes = trees.setdefault(str(record[TREE]), {})
                nodes.setdefault(id, Node(parent, place, record))
            else:
                trees[f"{index}, a tree"] = _list_nodes(record, place)
        return list(trees.values())

    def read(self, piece: Nodes, builder: TranscriptBuilder) -> Transcript:
        """The branch of the replies that people ranked best."""
        path = _find_best_path(piece)
        for id in path:
            _add(piece[id], builder)
        _note_others(piece, path, builder)
        first = piece[path[0]].record
        language = first_text(first, "lang") or "en"
        return builder.build(
            held_at=moment(first.get("created_date")), language=language
        )


def _is_tree(record: dict[str, Any]) -> bool:
    return TREE in record and isinstance(record.get("prompt"), dict)


def _is_message(record: dict[str, Any]) -> bool:
    return isinstance(record.get(TREE), str) and "role" in record and "text" in record


def _list_nodes(record: Any, place: str) -> Nodes:
    """Return the messages of a whole tree, by numbers of their own: the nesting says what follows what."""
    prompt = value_at(record, "prompt")
    if not isinstance(prompt, dict):
        return {"": Node(None, place, record)}
    nodes: Nodes = {}
    # Level by level: what answers a message is put behind all that is there so far.
    waiting: list[tuple[str | None, Any, int]] = [(None, prompt, 1)]
    for parent, message, depth in waiting:
        id = str(len(nodes))
        nodes[id] = Node(parent, place_inside(place, f"message {depth}"), message)
        waiting += [(id, reply, depth + 1) for reply in list_at(message, "replies")]
    return nodes


def _find_best_path(nodes: Nodes) -> list[str]:
    children: dict[str | None, list[str]] = {}
    for id, node in nodes.items():
        children.setdefault(node.parent, []).append(id)
    # Those without a parent are whole; the other roots answer messages that the file does not have.
    roots = [id for id, node in nodes.items() if node.parent not in nodes]
    if not roots:
        raise CIRCLE.error()
    options = children.get(None) or roots
    path = []
    while present_ids := [id for id in options if nodes[id].is_there]:
        path.append(min(present_ids, key=lambda id: _rank(nodes[id].record)))
        options = children.get(path[-1], [])
    if not path:
        first = nodes[roots[0]]
        raise NO_FIRST.error(first.place, found=describe(first.record))
    return path


def _rank(record: dict[str, Any]) -> tuple[bool, float]:
    """Return what sorts replies: those that reviewers rejected last, then the rank, 0 being the best."""
    rank = record.get("rank")
    if not isinstance(rank, int | float) or isinstance(rank, bool):
        rank = math.inf
    return record.get("review_result") is False, rank


def _add(node: Node, builder: TranscriptBuilder) -> None:
    record = node.record
    place = node.place
    role = ROLES.get(first_text(record, "role"))
    text = record["text"]
    if role is None:
        builder.leave_out(place, NO_ROLE)
    elif not isinstance(text, str):
        builder.leave_out(place, NO_TEXT)
    else:
        model = first_text(record, "model_name")
        meta = meta_with_time(record.get("created_date"), model=model)
        builder.add_text(role, text, place, meta=meta)


def _note_others(nodes: Nodes, path: Sequence[str], builder: TranscriptBuilder) -> None:
    parent_of = {id: node.parent for id, node in nodes.items() if node.is_there}
    others = len(parent_of.keys() - set(path))
    gone = len(nodes) - len(parent_of)
    if others:
        branches = max(len(find_leaves(parent_of)) - 1, 1)
        template = OTHER_BRANCH if branches == 1 else OTHER_BRANCHES
        builder.note(Said(template, messages=_messages(others), branches=branches))
    if gone:
        builder.note(Said(GONE, messages=_messages(gone)))


def _messages(number: int) -> Said:
    if number == 1:
        return Said("1 message")
    return Said("{number:,} messages", number=number)
