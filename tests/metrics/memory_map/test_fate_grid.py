"""Cells of several turns and messages: which code they take, and what a click on them means."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, Recall
from memviz.metrics.memory_map import fate_grid as module
from memviz.metrics.memory_map.fate_grid import (
    MAX_COLUMNS,
    MAX_ROWS,
    View,
    build_grid,
    choose_cell_size,
    find_example,
)
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.memory_map.stretches import RECALLED_CODE, encode_fate
from tests.engine.probes import REPRESENTATIVES, Digest, small, talk
from tests.metrics.memory_map.codes import codes_of, map_of
from tests.strategies.conversations import conversations, outcomes, summarizer


@pytest.fixture
def two_by_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of at most two columns and two rows."""
    monkeypatch.setattr(module, "MAX_COLUMNS", 2)
    monkeypatch.setattr(module, "MAX_ROWS", 2)


def test_sizes_are_the_least_that_fit_and_easy_to_read() -> None:
    assert [
        choose_cell_size(length, 100)
        for length in (1, 100, 101, 400, 501, 900, 1500, 2001, 9999)
    ] == [
        1,
        1,
        2,
        4,
        8,
        10,
        15,
        30,
        100,
    ]


@given(st.integers(1, 5000), st.integers(1, 200))
def test_cells_are_never_more_than_fit(length: int, most: int) -> None:
    assert -(-length // choose_cell_size(length, most)) <= most


def test_a_short_conversation_is_shown_in_full() -> None:
    assert View(range(1, MAX_COLUMNS + 1), range(MAX_ROWS)).in_full
    assert not View(range(1, MAX_COLUMNS + 2), range(MAX_ROWS)).in_full
    assert not View(range(1, 3), range(MAX_ROWS + 1)).in_full


def test_cells_of_one_message_are_the_map_itself() -> None:
    run = memviz.replay(talk(5), small("summary"), model=Digest(), counter="chars4")
    fates = build_fate_map(run)
    cells = build_grid(fates, View(range(2, 5), range(1, 7)))
    assert cells.codes.tolist() == codes_of(run)[1:4, 1:7].T.tolist()
    assert set(np.unique(cells.shares)) <= {0.0, 1.0}
    assert cells.columns == (range(2, 3), range(3, 4), range(4, 5))
    assert cells.rows[0] == range(1, 2)


@pytest.mark.usefixtures("two_by_two")
class TestCellsOfSeveral:
    def test_take_what_is_most_common_in_them(self) -> None:
        codes = [[7, 0, 0], [7, 7, 0], [1, 7, 7], [1, 1, 7]]
        cells = build_grid(map_of(codes), View(range(1, 5), range(3)))
        assert cells.columns == (range(1, 3), range(3, 5))
        assert cells.rows == (range(0, 2), range(2, 3))
        assert cells.codes.tolist() == [[7, 1], [0, 7]]
        assert cells.shares.tolist() == [[1.0, 0.75], [0.0, 1.0]]

    def test_take_the_lower_of_two_that_are_equally_common(self) -> None:
        assert build_grid(
            map_of([[7, 1], [3, 2]]), View(range(1, 3), range(2))
        ).codes.tolist() == [[7, 3], [1, 2]]
        cells = build_grid(
            map_of([[7, 7, 3, 3], [1, 1, 2, 2]] * 2), View(range(1, 5), range(4))
        )
        assert cells.codes.tolist() == [[1, 1], [2, 2]]
        assert cells.shares.tolist() == [[0.5, 0.5], [0.5, 0.5]]

    def test_show_what_is_reduced_rather_than_what_is_whole(self) -> None:
        """A call, which stays, and its result, which is cleared, are as common in a conversation of tools."""
        whole, cleared = encode_fate(Fate.VERBATIM), encode_fate(Fate.CLEARED)
        cells = build_grid(
            map_of([[whole, cleared, cleared, whole]] * 4), View(range(1, 5), range(4))
        )
        assert cells.codes.tolist() == [[cleared] * 2] * 2

    def test_never_hide_a_recall(self) -> None:
        codes = [[1] * 4, [1] * 4, [1] * 4, [1, RECALLED_CODE, 1, 1]]
        cells = build_grid(map_of(codes), View(range(1, 5), range(4)))
        assert cells.codes.tolist() == [[1, RECALLED_CODE], [1, 1]]
        assert cells.shares[0, 1] == 0.25

    def test_do_not_count_what_does_not_exist_yet(self) -> None:
        cells = build_grid(
            map_of([[0] * 4] * 3 + [[0, 7, 0, 0]]), View(range(1, 5), range(4))
        )
        assert cells.codes.tolist() == [[0, 7], [0, 0]]
        assert cells.shares.tolist() == [[0, 1], [0, 0]]

    def test_a_click_means_the_first_such_message_of_the_last_such_request(
        self,
    ) -> None:
        fates = map_of([[7, 0, 0, 0], [7, 7, 0, 0], [1, 7, 7, 7], [1, 1, 7, 7]])
        cells = build_grid(fates, View(range(1, 5), range(4)))
        assert cells.codes[0].tolist() == [7, 1]
        assert find_example(fates, cells, 1.5, 0.5) == (2, 0)
        assert find_example(fates, cells, 3.5, 0.5) == (4, 0)
        assert find_example(fates, cells, 3.5, 2.5) == (4, 2)
        assert find_example(fates, cells, 1.5, 2.5) is None, "nothing is there yet"


def test_a_click_beside_the_map_means_nothing() -> None:
    fates = map_of([[7, 7], [7, 7]])
    cells = build_grid(fates, View(range(1, 3), range(2)))
    assert [
        find_example(fates, cells, *place)
        for place in ((0.4, 0), (2.6, 0), (1, -0.6), (1, 1.6))
    ] == [None] * 4
    assert find_example(fates, cells, 2, 1) == (2, 1)


def test_a_turn_without_a_request_is_an_empty_column() -> None:
    gap = map_of([[7, 0], [7, 7]], turns=[1, 3])
    assert build_grid(gap, View(range(1, 4), range(2))).codes.tolist() == [
        [7, 0, 7],
        [0, 0, 7],
    ]


def test_a_shorter_log_leaves_rows_empty() -> None:
    assert build_grid(map_of([[7]]), View(range(1, 3), range(3))).codes.tolist() == [
        [7, 0],
        [0, 0],
        [0, 0],
    ]


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(messages=conversations(), plan=outcomes, data=st.data())
def test_agrees_with_counting_cell_by_cell(
    id: str, messages: list[Message], plan: list[str], data: st.DataObject
) -> None:
    recalls = {3: Recall(messages=[data.draw(st.integers(0, len(messages) - 1))])}
    run = memviz.replay(
        messages, small(id), model=summarizer(plan), counter="chars4", recalls=recalls
    )
    fates, codes = build_fate_map(run), codes_of(run)
    places = fates.places.tolist()
    assume(places)  # of a conversation that nobody answered there is no map
    first = data.draw(st.integers(1, places[-1]))
    top = data.draw(st.integers(0, len(messages) - 1))
    view = View(range(first, places[-1] + 1), range(top, len(messages)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_COLUMNS", data.draw(st.integers(1, 6)))
        patch.setattr(module, "MAX_ROWS", data.draw(st.integers(1, 6)))
        cells = build_grid(fates, view)
        assert [place for column in cells.columns for place in column] == list(
            view.requests
        )
        assert [position for row in cells.rows for position in row] == list(
            view.positions
        )
        for (row, column), code in np.ndenumerate(cells.codes):
            inside = [
                (place, position, int(codes[places.index(place), position]))
                for place in cells.columns[column]
                if place in places
                for position in cells.rows[row]
            ]
            counted = Counter(code for _, _, code in inside if code)
            # Where the cell is drawn: the last one is as wide as the others, though it may hold less.
            middle = (
                cells.columns[column].start + (view.requests_per_cell - 1) / 2,
                cells.rows[row].start + (view.messages_per_cell - 1) / 2,
            )
            if not counted:
                assert code == 0
                assert find_example(fates, cells, *middle) is None
                continue
            common = sorted(
                one for one in counted if counted[one] == max(counted.values())
            )
            less_sent = [
                one for one in common if one != encode_fate(Fate.VERBATIM)
            ] or common
            most = RECALLED_CODE if counted[RECALLED_CODE] else less_sent[0]
            assert code == most
            assert cells.shares[row, column] == pytest.approx(
                counted[most] / counted.total()
            )
            latest = max(turn for turn, _, one in inside if one == most)
            wanted = (
                latest,
                min(
                    position
                    for turn, position, one in inside
                    if (turn, one) == (latest, most)
                ),
            )
            assert find_example(fates, cells, *middle) == wanted
