"""A session of Claude Code with a compaction of its own, as lines of a file."""

from __future__ import annotations

import json
from typing import Any

RULE = "Never commit to main."
SUMMARY = "The service listens on port 5433. The user wants the tests to pass."


def session(summary: str = SUMMARY, tokens_before: int = 9000, **about: Any) -> str:
    """Six messages; the program compacts after four of them and leaves this summary, or none. ``about`` are further
    fields of the summary's row."""
    rows = [
        _row("user", "u1", f"{RULE} The service listens on port 5433."),
        _row("assistant", "a1", "Understood: I keep to a branch."),
        _row("user", "u2", "Make the tests pass."),
        _row("assistant", "a2", "They pass."),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "c1",
            "parentUuid": None,
            "logicalParentUuid": "a2",
            "sessionId": "s",
            "compactMetadata": {"trigger": "auto", "preTokens": tokens_before},
        },
    ]
    if summary:
        rows.append(_row("user", "s1", summary, isCompactSummary=True, **about))
    rows += [
        _row("user", "u3", "Please commit it to main now."),
        _row("assistant", "a3", "Done: it is on main."),
    ]
    before: str | None = None
    for row in rows:
        row.setdefault("parentUuid", before)
        before = row["uuid"]
    return "\n".join(map(json.dumps, rows))


def session_of_two_compactions(tokens_before: int) -> str:
    """The session, which goes on: at its end the program counts so many tokens, compacts again, and answers."""
    rows = [
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "c2",
            "parentUuid": None,
            "logicalParentUuid": "a3",
            "sessionId": "s",
            "compactMetadata": {"trigger": "auto", "preTokens": tokens_before},
        },
        _row("user", "s2", SUMMARY, isCompactSummary=True, parentUuid="c2"),
        _row("user", "u4", "Thanks.", parentUuid="s2"),
        _row("assistant", "a4", "You are welcome.", parentUuid="u4"),
    ]
    return "\n".join([session(), *map(json.dumps, rows)])


def _row(role: str, id: str, text: str, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": text}
    if role == "assistant":
        message = {"role": role, "content": [{"type": "text", "text": text}], "id": id}
    return {"type": role, "uuid": id, "sessionId": "s", "message": message, **more}
