"""Lessons in the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
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


def test_a_file_of_version_9_gets_a_place_for_lessons(tmp_path: Path) -> None:
    path = tmp_path / "lessons.db"
    Store(path).close()
    with closing(sqlite3.connect(path)) as file:
        file.executescript("DROP TABLE lesson; PRAGMA user_version = 9;")
    store = Store(path)
    store.keep_lesson("mine", "title: Mine\n")
    assert list(store.lesson_texts()) == ["mine"]
    store.close()
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (10,)
