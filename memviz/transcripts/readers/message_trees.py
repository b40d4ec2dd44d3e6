"""Conversations that are trees: every message names the one before it, and only one branch is the conversation.

A branch starts where a user edited a message or asked for another answer. The file should say on which leaf the
conversation ended; if it does not, the newest leaf counts. Files are not trusted: parents may be missing, and messages
may form a cycle, so every walk remembers where it has been.
"""

from collections.abc import Callable, Mapping

from memviz.core.translation import Said, noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.times import moment

CYCLE = noop("the messages form a cycle, so each was taken once")
LOST_PARENT = noop("what came before this message is not in the file")
OTHER_MESSAGE = noop(
    "1 message of another branch was left out: only the branch that was continued last is read"
)
OTHER_MESSAGES = noop(
    "{number} messages of other branches were left out: only the branch that was continued last is read"
)
NO_LEAF = noop(
    "the file does not say which branch was the conversation, so the newest was taken"
)


def walk_branch(
    leaf: str, parent_of: Mapping[str, str | None]
) -> tuple[list[str], bool]:
    """The ids from the root to ``leaf``, and whether the walk ended because it met a cycle.

    ``parent_of`` gives the id before each. An id that it does not have ends the walk as well.
    """
    # From the leaf upwards, because only that way is unique: a message has one parent, but may have many children.
    path: list[str] = []
    visited: set[str] = set()
    node: str | None = leaf
    while node is not None and node in parent_of and node not in visited:
        visited.add(node)
        path.append(node)
        node = parent_of[node]
    return path[::-1], node is not None and node in visited


def find_leaves(parent_of: Mapping[str, str | None]) -> list[str]:
    """The ids that are nobody's parent, in the order of the mapping; all ids, if every one is part of a cycle."""
    parents = set(parent_of.values())
    return [id for id in parent_of if id not in parents] or list(parent_of)


def find_newest_leaf(
    parent_of: Mapping[str, str | None], time_of: Callable[[str], object]
) -> str | None:
    """Return the leaf that was said last; ``None`` if there is no message at all.

    If times are equal or unknown, the deepest leaf, then the last one in the file.
    ``time_of`` gives the time of a message as the file has it.
    """
    depth_of = _depths(parent_of)
    rank = {}
    for number, leaf in enumerate(find_leaves(parent_of)):
        leaf_time = moment(time_of(leaf))
        seconds = leaf_time.timestamp() if leaf_time else 0.0
        rank[leaf] = (seconds, depth_of.get(leaf, 0), number)
    return max(rank, key=rank.__getitem__, default=None)


def find_branch_taken(
    parent_of: Mapping[str, str | None],
    current: object,
    time_of: Callable[[str], object],
    builder: TranscriptBuilder,
    is_message: Callable[[str], bool],
    unit: str,
    *,
    note_if_unsure: bool,
) -> list[str]:
    """Return the ids from the root to the message ``current``, or to the newest leaf
    where the file does not have it.

    ``note_if_unsure`` notes that the newest was taken. ``time_of`` gives the time of a
    message as the file has it.
    """
    leaf = current if isinstance(current, str) and current in parent_of else None
    if leaf is None:
        leaf = find_newest_leaf(parent_of, time_of)
        if note_if_unsure:
            builder.note(NO_LEAF)
    if leaf is None:
        return []
    return find_branch_to(leaf, parent_of, builder, is_message, unit)


def find_branch_to(
    leaf: str,
    parent_of: Mapping[str, str | None],
    builder: TranscriptBuilder,
    is_message: Callable[[str], bool],
    unit: str = "message",
) -> list[str]:
    """The ids from the root to ``leaf``. A cycle, a missing parent and the messages of other branches are noted.

    ``is_message`` says which ids are messages that a user would miss.
    """
    path, is_cycle = walk_branch(leaf, parent_of)
    if is_cycle:
        builder.note(CYCLE)
    elif path and parent_of[path[0]] is not None:
        builder.note(LOST_PARENT, place_of(path[0], unit))
    left_out = sum(map(is_message, parent_of.keys() - set(path)))
    if left_out:
        template = OTHER_MESSAGE if left_out == 1 else OTHER_MESSAGES
        builder.note(Said(template, number=left_out))
    return path


def place_of(id: str, unit: str) -> str:
    """Return where a message with this id stands, for the user."""
    return f"{unit} {id[:40]}"


def _depths(parent_of: Mapping[str, str | None]) -> dict[str, int]:
    """Return how many messages come before each. Messages of a cycle are missing, because they have no root."""
    children: dict[str, list[str]] = {}
    for id, parent in parent_of.items():
        if parent in parent_of and parent is not None:
            children.setdefault(parent, []).append(id)
    # Level by level from the roots: recursion would fail on a conversation of more than a thousand messages.
    level = [id for id, parent in parent_of.items() if parent not in parent_of]
    depths = {}
    depth = 0
    while level:
        depths.update(dict.fromkeys(level, depth))
        level = [child for id in level for child in children.get(id, ())]
        depth += 1
    return depths
