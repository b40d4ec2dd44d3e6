"""Conversations that are trees: every message names the one before it, and only one branch was the conversation."""

from __future__ import annotations

from collections.abc import Mapping


def branch(leaf: str, parent_of: Mapping[str, str | None]) -> tuple[list[str], bool]:
    """The ids from the root to ``leaf``, and whether the walk came back to where it had been (a cycle), where it
    ended. ``parent_of`` gives the id before each; one that it does not know ends the walk as well."""
    path: list[str] = []
    seen: set[str] = set()
    at: str | None = leaf
    while at is not None and at in parent_of and at not in seen:
        seen.add(at)
        path.append(at)
        at = parent_of[at]
    return path[::-1], at is not None and at in seen


def leaves(parent_of: Mapping[str, str | None]) -> list[str]:
    """The ids that no other names as the one before it, in the order of the mapping; all of them in a cycle."""
    parents = set(parent_of.values())
    return [id for id in parent_of if id not in parents] or list(parent_of)
