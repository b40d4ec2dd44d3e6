"""Finished cells of sweeps in the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memviz.storage import kept_values
from memviz.storage.store import Store

CELL = {
    "subject": "Trip 搬家",
    "retained": [1, 2, 3],
    "traffic": {"turns": [1, 2, 3]},
    "error": "",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memviz.db"


def test_a_cell_is_found_by_another_process_under_its_key_alone(path: Path) -> None:
    store = Store(path)
    store.keep_cell("one", CELL)
    store.close()
    assert Store(path).find_cells(["one", "two"]) == {"one": CELL}


def test_many_keys_are_asked_for_at_once(path: Path) -> None:
    store = Store(path)
    keys = [f"key {number}" for number in range(1_200)]
    for key in keys[::400]:
        store.keep_cell(key, CELL)
    assert set(store.find_cells(keys)) == set(keys[::400])


def test_a_cell_that_is_there_stays_as_it_is(path: Path) -> None:
    store = Store(path)
    store.keep_cell("one", CELL)
    store.keep_cell("one", {"subject": "other"})
    assert store.find_cells(["one"]) == {"one": CELL}


def test_the_oldest_cells_go_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_values, "MAX_CELLS", 3)
    store = Store(path)
    keys = [f"key {number}" for number in range(5)]
    for key in keys:
        store.keep_cell(key, CELL)
    store.prune_cells()
    assert set(store.find_cells(keys)) == set(keys[2:])


@pytest.mark.parametrize(
    "value", ["x'00ff'", "'text'", "42", "x''", "x'789c8b0500001e01f4'"]
)
def test_a_damaged_cell_is_not_found_and_makes_room_for_a_sound_one(
    path: Path, value: str
) -> None:
    store = Store(path)
    store.keep_cell("one", CELL)
    store.keep_cell("two", CELL)
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE kept SET value = {value} WHERE key = 'one'")  # noqa: S608
    connection.close()
    assert store.find_cells(["one", "two"]) == {"two": CELL}
    store.keep_cell("one", CELL)
    assert store.find_cells(["one", "two"]) == {"one": CELL, "two": CELL}
