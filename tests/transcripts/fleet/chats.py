"""Small conversations in files, as a fleet has them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def chat(number: int, turns: int = 2) -> dict[str, Any]:
    """Return a row with a conversation of its own; the code is a fact."""
    messages = []
    for turn in range(turns):
        said = f"Turn {turn}: my booking code is QX{number:04}."
        messages.append({"role": "user", "content": said})
        messages.append({"role": "assistant", "content": f"Noted, turn {turn}."})
    return {"id": number, "messages": messages}


def lines(rows: Sequence[Any]) -> bytes:
    """Return rows as JSON lines; a text is a line as it is."""
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return "".join(f"{text}\n" for text in texts).encode()


def packed_chats(path: Path, count: int, first: int = 0) -> Path:
    """Write chats as packed JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(lines([chat(first + n) for n in range(count)])))
    return path


def message_rows(chats: Sequence[int]) -> list[dict[str, str]]:
    """Return one row a message, with the number of its conversation as ``ticket``."""
    rows = []
    for number in chats:
        for message in chat(number)["messages"]:
            who = "in" if message["role"] == "user" else "out"
            row = {"ticket": f"T{number}", "who": who, "body": message["content"]}
            rows.append(row)
    return rows


TICKETS = """\
speaker: {field: who, user: in, assistant: out}
text: body
conversation: ticket
"""
"""The mapping of :func:`message_rows`."""
