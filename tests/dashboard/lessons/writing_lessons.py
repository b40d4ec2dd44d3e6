"""Lessons for tests, as the text of a file."""

from __future__ import annotations

from typing import Any

import yaml

from memviz.dashboard.lessons.lesson import Lesson
from memviz.dashboard.lessons.reading import read_lesson

STEP: dict[str, Any] = {"title": "Look", "text": "Look here."}
LESSON: dict[str, Any] = {
    "id": "mine", "title": {"en": "Mine", "zh": "我的"}, "conversation": "trip",
    "settings": [{"strategy": "buffer"}, {"strategy": "summary", "buffer_size": 8}], "steps": [STEP],
}  # fmt: skip


def text_of(value: Any) -> str:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False)


def lesson(step: dict[str, Any] | None = None, **fields: Any) -> Lesson:
    """A lesson of one step with these fields besides the usual ones."""
    return read_lesson(text_with(step, **fields), "mine.yaml")


def text_with(step: dict[str, Any] | None = None, **fields: Any) -> str:
    return text_of(LESSON | {"steps": [STEP | (step or {})]} | fields)
