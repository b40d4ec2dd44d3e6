"""Who speaks in a message of a Codex rollout: somebody, or the CLI in the name of the user or of the developer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.readers.json_access import text_at

CONTEXT = re.compile(
    r"\s*(<(user_instructions|environment_context|instructions|recommended_plugins|app-context|skill)>"
    r"|# AGENTS\.md instructions\b)",
    re.IGNORECASE,
)
"""What the CLI sends in the user's role before the user speaks, and with every call from then on."""
NOTICE = re.compile(
    r"\s*(<(turn_aborted|user_shell_command|subagent_notification|goal_context|codex_internal_context|context_window)>"
    r"|<hook_prompt\b|Warning: (The maximum number of unified exec|apply_patch was requested via)"
    r"|</?image\b[^>]*>\s*\Z)",
    re.IGNORECASE,
)
"""What the CLI reports in the user's role when something happens."""
INSTRUCTED = re.compile(r"\s*<[a-z_-]+( instructions)?>", re.IGNORECASE)
"""What the CLI sends in the developer's role begins with a tag; what else is there was set up by somebody."""
HANDED_ON = "Another language model started to solve this problem"
"""How a summary starts that the CLI hands to the model as words of the user."""
BY_CLI = "sent by the CLI"
"""Key of a message that nobody said: the CLI sends it with every call."""


class Parts(NamedTuple):
    """What a message holds: the ``context`` that the CLI sends with every call, and what was ``said``."""

    context: dict[str, Any] | None
    said: dict[str, Any] | None


def parts_of(item: Mapping[str, Any]) -> Parts:
    """The message in its two parts, each ``None`` where there is nothing of it. Notices of the CLI are left out."""
    role = known_role(item.get("role")) or ""
    pattern = {"user": CONTEXT, "system": INSTRUCTED}.get(role)
    content = item.get("content")
    contents = content if isinstance(content, list) else [content]
    context = [part for part in contents if pattern and pattern.match(part_text(part))]
    spoken = [
        part for part in contents if part not in context and not _is_notice(role, part)
    ]
    return Parts(
        {**item, "role": "developer", "content": context, BY_CLI: True}
        if context
        else None,
        {**item, "content": spoken if isinstance(content, list) else content}
        if spoken or not contents
        else None,
    )


def first_text(item: Mapping[str, Any]) -> str:
    """The text of the first part of a message; empty where it has none."""
    content = item.get("content")
    return part_text(content[0] if isinstance(content, list) and content else content)


def part_text(part: object) -> str:
    """The text of one part of a message; empty where it has none."""
    return part if isinstance(part, str) else text_at(part, "text")


def all_text(item: Mapping[str, Any]) -> str:
    """The texts of all parts of a message."""
    content = item.get("content")
    return "\n".join(
        map(part_text, content if isinstance(content, list) else [content])
    )


def _is_notice(role: str, part: object) -> bool:
    return role == "user" and NOTICE.match(part_text(part)) is not None
