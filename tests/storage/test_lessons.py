"""Lessons in the database."""

from __future__ import annotations

from memviz.storage.store import Store


def test_a_lesson_is_kept_as_its_text_and_taken_away_again(library: str) -> None:
    store = Store(library)
    store.keep("lesson", "mine", "title: 过敏\n")
    store.keep("lesson", "other", "title: Other\n")
    store.keep("lesson", "mine", "title: 过敏 again\n")
    assert {id: store.kept("lesson", id) for id in store.kept_keys("lesson")} == {
        "mine": "title: 过敏 again\n",
        "other": "title: Other\n",
    }
    store.forget("lesson", "other")
    assert store.kept("lesson", "other") is None
    assert store.kept("lesson", "mine") == "title: 过敏 again\n"
    store.close()
