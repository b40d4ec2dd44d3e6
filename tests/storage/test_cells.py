"""Finished cells of sweeps in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from memviz.storage import kept_values
from memviz.storage.store import Store
from tests.storage.raw_rows import execute

CELL = {
    "subject": "Trip 搬家",
    "retained": [1, 2, 3],
    "traffic": {"turns": [1, 2, 3]},
    "error": "",
}


def test_a_cell_is_found_by_another_process_under_its_key_alone(library: str) -> None:
    store = Store(library)
    store.keep_cell("one", CELL)
    store.close()
    assert Store(library).find_cells(["one", "two"]) == {"one": CELL}


def test_many_keys_are_asked_for_at_once(library: str) -> None:
    store = Store(library)
    keys = [f"key {number}" for number in range(1_200)]
    for key in keys[::400]:
        store.keep_cell(key, CELL)
    assert set(store.find_cells(keys)) == set(keys[::400])


def test_a_cell_that_is_there_stays_as_it_is(library: str) -> None:
    store = Store(library)
    store.keep_cell("one", CELL)
    store.keep_cell("one", {"subject": "other"})
    assert store.find_cells(["one"]) == {"one": CELL}


def test_the_oldest_cells_go_first(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_values, "MAX_CELLS", 3)
    store = Store(library)
    keys = [f"key {number}" for number in range(5)]
    for key in keys:
        store.keep_cell(key, CELL)
    store.prune_cells()
    assert set(store.find_cells(keys)) == set(keys[2:])


@pytest.mark.parametrize(
    "value", [b"\x00\xff", b"", bytes.fromhex("789c8b0500001e01f4")]
)
def test_a_damaged_cell_is_not_found_and_makes_room_for_a_sound_one(
    library: str, value: bytes
) -> None:
    expect_another_in_its_place(library, value)


@pytest.mark.parametrize("value", ["text", 42])
def test_a_cell_that_a_file_holds_as_another_kind_of_value_is_damaged_too(
    tmp_path: Path, value: object
) -> None:
    expect_another_in_its_place(str(tmp_path / "memviz.db"), value)


def expect_another_in_its_place(library: str, value: object) -> None:
    store = Store(library)
    store.keep_cell("one", CELL)
    store.keep_cell("two", CELL)
    execute(store, "UPDATE kept SET value = :value WHERE key = 'one'", value=value)
    assert store.find_cells(["one", "two"]) == {"two": CELL}
    store.keep_cell("one", CELL)
    assert store.find_cells(["one", "two"]) == {"one": CELL, "two": CELL}
