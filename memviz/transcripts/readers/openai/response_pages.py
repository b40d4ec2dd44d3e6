"""The order of items: the pages of the OpenAI API come newest first unless one asks for the opposite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.readers.json_rows import Row, text_of
from memviz.transcripts.readers.openai.response_items import MESSAGE_OBJECTS, RESULTS
from memviz.transcripts.times import moment


def in_order(items: Sequence[Any], places: Sequence[str] = ()) -> list[Row]:
    """The items, oldest first, with their places. Those without ``places`` are of a page.

    A page does not say its order. Times in the items do, and so does a call with its result; where neither is there,
    the page is newest first, but for plain messages of the chat API, which come oldest first.
    """
    is_page = not places
    placed = list(zip(items, places or [f"data index {index}" for index in range(len(items))], strict=True))
    objects = [item for item in items if isinstance(item, dict)]
    newest_first = _by_times(objects)
    if newest_first is None and is_page:
        newest_first = _by_calls(objects)
    if newest_first is None:
        newest_first = is_page and any("type" in item or text_of(item, "object") in MESSAGE_OBJECTS for item in objects)
    return placed[::-1] if newest_first else placed


def _by_times(items: Sequence[dict[str, Any]]) -> bool | None:
    times = [time for item in items if (time := moment(item.get("created_at"))) is not None]
    return times[0] > times[-1] if times and times[0] != times[-1] else None


def _by_calls(items: Sequence[dict[str, Any]]) -> bool | None:
    """Whether a result stands before its call; ``None`` where no result has a call."""
    first: dict[str, bool] = {}  # id of a call -> whether its result came first
    for item in items:
        id, is_result = text_of(item, "call_id"), text_of(item, "type") in RESULTS
        if id and first.setdefault(id, is_result) != is_result:
            return first[id]
    return None
