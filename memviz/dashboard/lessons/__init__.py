"""Lessons: a few steps each, with text, a view on real runs, claims that are held against them, and questions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memviz.dashboard.lessons.lesson import Lesson


def lessons() -> Mapping[str, Lesson]:
    """The bundled lessons by id. Each is read once, when asked for."""
    from memviz.dashboard.lessons.library import bundled_lessons

    return bundled_lessons()


def lesson(id_or_path: str | Path) -> Lesson:
    """The bundled lesson of this id, or the one in this YAML file.

    Raises :class:`memviz.LessonError` with a sentence that names file, line, step and field.
    """
    from memviz.dashboard.lessons.library import lesson_of

    return lesson_of(id_or_path)
