"""Fewer points of long traces, without losing a peak."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.charts import thinning as module
from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.thinning import MAX_POINTS, Texts, thin_out

Numbers = st.lists(st.integers(0, 1000), min_size=1, max_size=300)


@pytest.fixture(autouse=True)
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_POINTS", 40)
    monkeypatch.setattr(module, "BINS", 20)


def line(y: list[int], **more: object) -> dict[str, object]:
    return {"type": "scatter", "x": np.arange(1, len(y) + 1), "y": np.array(y), **more}


@given(Numbers)
def test_a_line_keeps_its_ends_and_the_extremes_of_every_bin(y: list[int]) -> None:
    trace = line(y, text=[f"{turn}: {value}" for turn, value in enumerate(y, 1)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_POINTS", 40)
        patch.setattr(module, "BINS", 20)
        (drawn,), turns = thin_out([trace])
    if len(y) <= 40:
        assert (drawn, turns) == (trace, 1)
        return
    assert len(drawn["x"]) <= 42
    assert sorted(drawn["x"].tolist()) == drawn["x"].tolist()
    assert drawn["text"] == [
        f"{turn}: {y[turn - 1]}" for turn in drawn["x"].tolist()
    ], "each point is a real one"
    assert (drawn["x"][0], drawn["x"][-1]) == (1, len(y))
    bins = np.minimum((np.arange(len(y)) / (len(y) - 1) * 20), 19).astype(int)
    for number in range(20):
        mine, kept = (
            np.array(y)[bins == number],
            drawn["y"][bins[drawn["x"] - 1] == number],
        )
        assert (mine.min(), mine.max()) == (kept.min(), kept.max())


def test_what_is_stacked_keeps_the_same_turns() -> None:
    one, other = [n % 7 for n in range(200)], [(n * n) % 11 for n in range(200)]
    drawn = thin_out([line(one, stackgroup="a"), line(other, stackgroup="a")]).traces
    assert drawn[0]["x"].tolist() == drawn[1]["x"].tolist()
    total = np.array(one) + np.array(other)
    assert (drawn[0]["y"] + drawn[1]["y"]).max() == total.max()


def test_a_failure_is_not_hidden_by_what_did_not_fail() -> None:
    symbols = ["diamond"] * 200
    symbols[57] = "x"
    (drawn,), _ = thin_out(
        [line([5] * 200, mode="markers", marker={"symbol": symbols, "size": 3})]
    )
    assert drawn["marker"]["symbol"].count("x") == 1
    assert len(drawn["marker"]["symbol"]) == len(drawn["x"])


def test_strokes_stay_whole_and_the_longest_are_kept() -> None:
    x = [value for turn in range(100) for value in (turn, turn, np.nan)]
    y = [
        value
        for turn in range(100)
        for value in (0, 1000 if turn == 42 else turn % 5, np.nan)
    ]
    (drawn,), _ = thin_out([{"type": "scatter", "x": np.array(x), "y": np.array(y)}])
    assert len(drawn["x"]) == 3 * 20
    assert np.isnan(drawn["x"][2::3]).all()
    assert (drawn["x"][::3] == drawn["x"][1::3]).all()
    assert np.nanmax(drawn["y"]) == 1000


def test_a_bar_stands_for_its_neighbours() -> None:
    (drawn,), _ = thin_out(
        [{"type": "bar", "x": np.arange(200), "y": np.arange(200), "width": 0.5}]
    )
    assert len(drawn["x"]) == 20
    assert drawn["width"] == pytest.approx(5.0)


def test_a_part_is_drawn_in_full() -> None:
    (drawn,), turns = thin_out([line(list(range(200)))], (49.6, 80.4))
    assert drawn["x"].tolist() == list(range(49, 82)), (
        "and the points beside it, to which its line leads"
    )
    assert turns == 1


def test_words_are_written_only_for_what_is_drawn() -> None:
    asked: list[int] = []

    def words(item: int) -> str:
        asked.append(item)
        return str(item)

    (drawn,), _ = thin_out([line([0] * 400, text=Texts(range(400), words))])
    assert drawn["text"] == [str(item) for item in asked]
    assert len(asked) <= 42


def test_the_axis_says_so() -> None:
    axis = {"title": {"text": "turn"}, "range": [0.4, 200.8]}
    assert (
        figure_over_turns([line([1, 2])], {"xaxis": axis}).layout.xaxis.title.text
        == "turn"
    )
    said = figure_over_turns(
        [line(list(range(200)))], {"xaxis": axis}
    ).layout.xaxis.title.text
    assert said == "turn (lowest and highest of every 10)"


def test_a_screen_has_about_so_many_columns() -> None:
    assert MAX_POINTS == 1_500
