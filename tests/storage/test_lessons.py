"""Lessons in the database."""

from __future__ import annotations

from pathlib import Path

from memviz.storage.store import Store


def test_a_lesson_is_kept_as_its_text_and_taken_away_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "lessons.db")
    store.keep_lesson("mine", "title: 过敏\n")
    store.keep_lesson("other", "title: Other\n")
    store.keep_lesson("mine", "title: 过敏 again\n")
    assert store.lesson_texts() == {
        "mine": "title: 过敏 again\n",
        "other": "title: Other\n",
    }
    store.remove_lesson("other")
    assert store.lesson_text("other") is None
    assert store.lesson_text("mine") == "title: 过敏 again\n"
    store.close()
