"""A streamed response of the Gemini API, saved as the list of its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.readers.gemini.fields import field, listed


def is_stream(items: Sequence[Any]) -> bool:
    """Whether these are the pieces of one streamed response, of which only the last says why it ended."""
    rows = [item for item in items if isinstance(item, dict)]
    requests = any("response" in row or "request" in row or "contents" in row for row in rows)
    return len(rows) > 1 and not requests and not any(_is_finished(row) for row in rows[:-1])


def whole_response(items: Sequence[Any]) -> dict[str, Any]:
    """One response with the parts of all pieces; a text that goes on in the next piece is one text again."""
    rows = [item for item in items if isinstance(item, dict)]
    parts: list[Any] = []
    for row in rows:
        for part in _parts(row):
            if parts and _goes_on(parts[-1], part):
                parts[-1] = {**parts[-1], "text": parts[-1]["text"] + part["text"]}
            else:
                parts.append(part)
    return {**rows[-1], "candidates": [{"content": {"role": "model", "parts": parts}}]}


def _is_finished(row: dict[str, Any]) -> bool:
    candidates = [item for item in listed(row.get("candidates")) if isinstance(item, dict)]
    return any(field(item, "finishReason", "finish_reason") for item in candidates)


def _parts(row: dict[str, Any]) -> list[Any]:
    first = next((item for item in listed(row.get("candidates")) if isinstance(item, dict)), {})
    content = first.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return parts if isinstance(parts, list) else []


def _goes_on(before: Any, part: Any) -> bool:
    texts = [isinstance(item, dict) and isinstance(item.get("text"), str) for item in (before, part)]
    return all(texts) and before.get("thought") == part.get("thought")
