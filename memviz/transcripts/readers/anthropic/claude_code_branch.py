"""Which rows of a Claude Code session are the conversation as it ended."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from memviz.transcripts.readers.anthropic.claude_code_rows import (
    call_ids,
    is_boundary,
    is_conversation,
    is_message,
    is_summary,
    reply_id,
    result_ids,
)
from memviz.transcripts.readers.anthropic.claude_code_sessions import Row, is_side
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.message_trees import branch


class Branch(NamedTuple):
    """The rows of the conversation in order; how many rows are of subagents, and how many messages of branches that
    were left."""

    rows: list[Row]
    subagent: int
    abandoned: int


def main_branch(rows: Sequence[Row]) -> Branch:
    """The branch that ends with the last message of the session. If all of it is of a subagent, this is its own
    conversation."""
    talk = [row for row in rows if is_conversation(row.value)]
    side = [row for row in talk if is_side(row.value)]
    if len(side) == len(talk):
        side = []
    aside = {row.id for row in side}
    chain = [row for row in rows if row.id not in aside and not (side and is_side(row.value))]
    index = {row.id: n for n, row in enumerate(chain)}
    last = next(row.id for row in reversed(chain) if is_conversation(row.value))
    path, _ = branch(last, _parents(chain))
    extra = _belonging(chain, [chain[index[id]] for id in path])
    order = _in_order([index[id] for id in path], [index[row.id] for row in extra])
    used = {chain[n].id for n in order}
    left = {reply_id(row.value) or row.id for row in chain if row.id not in used and is_message(row.value)}
    return Branch([chain[n] for n in order], len(side), len(left))


def _parents(chain: Sequence[Row]) -> dict[str, str | None]:
    """The row before each. A compaction starts a new chain and names the end of the old one as its logical parent;
    where a parent is not in the file, or none is named at all, it is the row above."""
    known = {row.id for row in chain}
    parents: dict[str, str | None] = {}
    above: str | None = None
    for row in chain:
        if row.value.get("type") == "summary":
            continue
        named, logical = text_at(row.value, "parentUuid"), text_at(row.value, "logicalParentUuid")
        starts = "parentUuid" in row.value and not named and not is_boundary(row.value) and not is_summary(row.value)
        if named in known:
            parents[row.id] = named
        elif logical in known:
            parents[row.id] = logical
        else:
            parents[row.id] = None if starts else above
        above = row.id
    return parents


def _belonging(chain: Sequence[Row], path: Sequence[Row]) -> list[Row]:
    """Rows beside the path that are part of it: other pieces of the same reply, the results of its parallel calls,
    and compactions after which the chain went on from before them."""
    on_path = {row.id for row in path}
    replies = {reply_id(row.value) for row in path} - {""}
    beside = [row for row in chain if row.id not in on_path]
    pieces = [row for row in beside if reply_id(row.value) in replies]
    callers = on_path | {row.id for row in pieces}
    calls = {id for row in [*path, *pieces] for id in call_ids(row.value)}
    answered = {(text_at(row.value, "parentUuid"), id) for row in path for id in result_ids(row.value)}
    results = [
        row
        for row in beside
        if (parent := text_at(row.value, "parentUuid")) in callers
        and any(id in calls and (parent, id) not in answered for id in result_ids(row.value))
    ]
    bounds = [row for row in beside if is_boundary(row.value) and text_at(row.value, "logicalParentUuid") in on_path]
    marks = {row.id for row in bounds}
    texts = [row for row in beside if is_summary(row.value) and text_at(row.value, "parentUuid") in marks]
    return [*pieces, *results, *bounds, *texts]


def _in_order(path: Sequence[int], extra: Sequence[int]) -> list[int]:
    """The positions of the path in its order, each of the others after those of the path that stand above it."""
    above = sorted((position, step) for step, position in enumerate(path))
    keyed = [(step, -1, position) for step, position in enumerate(path)]
    for position in set(extra):
        at = bisect_left(above, (position, -1)) - 1
        keyed.append((above[at][1] if at >= 0 else -1, position, position))
    return [position for *_, position in sorted(keyed)]
