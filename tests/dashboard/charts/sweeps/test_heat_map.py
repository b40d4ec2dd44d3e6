"""The map of a measure over two parameters: each cell is its setting, bright is good, missing is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas import DataFrame

from memviz.dashboard.charts.sweeps import heat_map as module
from memviz.dashboard.charts.sweeps.heat_map import setting_map
from memviz.dashboard.charts.sweeps.measure_words import WORDS, shown_value
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.sweep_tables import OWN_TAGS, parameter, small_table, words
from tests.tables import for_each

X, Y, SWITCH = (
    parameter("token_limit"),
    parameter("buffer_size"),
    parameter("count_initial_tokens"),
)


def table_of(
    values: dict[tuple[int, Any], float],
    measure: str = "retention",
    y: str = "buffer_size",
) -> DataFrame:
    """One setting for each place (x, y), with this value of the measure."""
    row = small_table().iloc[0].to_dict()
    rows = [
        {
            **row,
            "setting": number,
            "token_limit": float(x),
            y: at,
            measure: value,
            "label": f"Made up · {x} · {at}",
        }
        for number, ((x, at), value) in enumerate(values.items())
    ]
    return DataFrame(rows, columns=[*row, "token_limit", y][: len(row) + 2])


FOUR = {(500, 2): 0.2, (2000, 2): 0.4, (500, 8): 0.6, (2000, 8): 1.0}
GAP = {(500, 2): 0.2, (2000, 2): 0.4, (2000, 8): 1.0}


def heatmaps(figure: go.Figure) -> list[go.Heatmap]:
    return [trace for trace in figure.data if trace.type == "heatmap"]


def values(figure: go.Figure) -> np.ndarray[Any, Any]:
    """The matrix that the two maps are together; no cell is in both."""
    one, other = (np.array(trace.z, dtype=float) for trace in heatmaps(figure))
    assert not (np.isfinite(one) & np.isfinite(other)).any()
    return np.where(np.isfinite(one), one, other)


def written(figure: go.Figure) -> np.ndarray[Any, Any]:
    texts = [
        [[words(text) for text in row] for row in trace.text]
        for trace in heatmaps(figure)
    ]
    return np.array(
        [
            [a + b for a, b in zip(*rows, strict=True)]
            for rows in zip(*texts, strict=True)
        ]
    )


def points_of(figure: go.Figure) -> go.Scatter:
    (points,) = [trace for trace in figure.data if trace.type == "scatter"]
    return points


PLACES = st.tuples(st.sampled_from([100, 200, 1000, 3000]), st.sampled_from([1, 2, 30]))


@given(st.dictionaries(PLACES, st.floats(0, 1) | st.just(float("nan")), min_size=1))
def test_each_cell_has_the_value_and_the_number_of_its_setting(
    places: dict[tuple[int, int], float],
) -> None:
    figure = setting_map(table_of(places), X, Y, "retention")
    columns, rows = sorted({x for x, _ in places}), sorted({y for _, y in places})
    assert figure.layout.xaxis.ticktext == tuple(f"{x:,}" for x in columns)
    assert figure.layout.yaxis.ticktext == tuple(f"{y:,}" for y in rows)
    found, points = values(figure), points_of(figure)
    numbers = dict(
        zip(zip(points.x, points.y, strict=True), points.customdata, strict=True)
    )
    assert len(numbers) == found.size == len(columns) * len(rows)
    order = list(places)
    for at, y in enumerate(rows):
        for column, x in enumerate(columns):
            expected = places.get((x, y), float("nan"))
            assert found[at, column] == pytest.approx(expected, nan_ok=True)
            assert numbers[column, at] == (
                order.index((x, y)) if (x, y) in places else -1
            )


def test_axes_carry_titles_units_and_the_real_values_evenly() -> None:
    layout = setting_map(table_of(FOUR), X, Y, "retention").layout
    assert (layout.xaxis.title.text, layout.yaxis.title.text) == (
        "Token limit (tokens)",
        "Buffer size (messages)",
    )
    assert (layout.xaxis.ticktext, layout.xaxis.tickvals) == (("500", "2,000"), (0, 1))
    assert layout.title.text == "Made up: facts kept (% of the facts)"


def test_a_switch_is_on_or_off() -> None:
    table = table_of(
        {(500, False): 0.1, (500, True): 0.2, (900, True): 0.3},
        y="count_initial_tokens",
    )
    table["count_initial_tokens"] = table["count_initial_tokens"].astype(object)
    figure = setting_map(table, X, SWITCH, "retention")
    assert figure.layout.yaxis.ticktext == ("off", "on")
    assert figure.layout.yaxis.title.text == "Count initial tokens"
    assert values(figure)[1].tolist() == [0.2, 0.3]


@for_each("measure", ["retention", "hit_rate", "usd", "peak_tokens", "usd_per_fact"])
def test_the_bright_end_is_the_good_one(measure: str) -> None:
    for trace in heatmaps(setting_map(table_of(FOUR, measure), X, Y, measure)):
        assert trace.colorscale[0][1] == "#00224e", (
            "the scale itself is dark at its low end"
        )
        assert trace.reversescale == WORDS[measure].less_is_better
        assert (trace.zmin, trace.zmax) == (0.2, 1.0)


def test_values_are_written_in_black_on_bright_and_in_white_on_dark_cells() -> None:
    for measure, bright, dark in (("retention", 1.0, 0.2), ("usd", 0.2, 1.0)):
        figure = setting_map(table_of(FOUR, measure), X, Y, measure)
        of = {
            trace.textfont.color: np.array(trace.z, dtype=float)
            for trace in heatmaps(figure)
        }
        assert bright in of["#000000"]
        assert dark in of["#FFFFFF"]
        assert written(figure).tolist() == [
            [shown_value(measure, v) for v in row] for row in ((0.2, 0.4), (0.6, 1.0))
        ]
        assert (
            len(
                {
                    len(text)
                    for trace in heatmaps(figure)
                    for row in trace.text
                    for text in row
                }
            )
            == 1
        )


def test_too_many_cells_have_nothing_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WRITTEN", 3)
    assert all(
        trace.text is None
        for trace in heatmaps(setting_map(table_of(FOUR), X, Y, "retention"))
    )


def test_a_wide_range_is_coloured_by_ratio_but_written_as_it_is() -> None:
    table = table_of(
        {place: 0.001 * 10**number for number, place in enumerate(FOUR)}, "usd"
    )
    figure = setting_map(table, X, Y, "usd")
    assert values(figure).ravel().tolist() == pytest.approx([-3, -2, -1, 0])
    assert written(figure).ravel().tolist() == ["$0.001", "$0.01", "$0.10", "$1.00"]
    bar = next(trace.colorbar for trace in heatmaps(figure) if trace.showscale)
    assert dict(zip(bar.ticktext, bar.tickvals, strict=True))["$0.10"] == pytest.approx(
        -1
    )


def test_one_scale_is_shown() -> None:
    assert (
        sum(
            bool(trace.showscale)
            for trace in heatmaps(setting_map(table_of(FOUR), X, Y, "retention"))
        )
        == 1
    )


def test_a_missing_cell_says_so() -> None:
    points = points_of(setting_map(table_of(GAP), X, Y, "retention"))
    at = list(points.customdata).index(-1)
    assert (points.x[at], points.y[at], points.text[at]) == (0, 1, "–")
    assert (
        words(points.hovertext[at]) == "Token limit: 500 Buffer size: 8 Not measured."
    )
    assert set(points.text) == {"–", ""}


def test_points_are_never_drawn_and_say_the_setting() -> None:
    points = points_of(setting_map(table_of(FOUR), X, Y, "retention"))
    assert (
        points.marker.opacity
        == points.selected.marker.opacity
        == points.unselected.marker.opacity
        == 0
    )
    assert words(points.hovertext[0]).startswith(
        "Made up · 500 · 2 Keeps 20% of the facts"
    )


@for_each("value", [0.5, 0.0, 1.0])
def test_equal_values_and_a_single_cell_have_a_scale(value: float) -> None:
    for places in ({(500, 2): value}, dict.fromkeys(FOUR, value)):
        figure = setting_map(table_of(places), X, Y, "retention")
        assert all(trace.zmin < value < trace.zmax for trace in heatmaps(figure))
        assert written(figure)[0][0] == f"{value:.0%}"


def test_nothing_known_and_nothing_at_all_are_empty_maps() -> None:
    unknown = setting_map(
        table_of(dict.fromkeys(FOUR, float("nan"))), X, Y, "retention"
    )
    assert np.isnan(values(unknown)).all()
    assert not any(trace.showscale for trace in heatmaps(unknown))
    assert len(points_of(setting_map(table_of(FOUR).head(0), X, Y, "retention")).x) == 0


def test_recommended_and_chosen_are_framed() -> None:
    figure = setting_map(table_of(FOUR), X, Y, "retention", recommended=3, chosen=1)
    frames = figure.layout.shapes
    middles = [((f.x0 + f.x1) / 2, (f.y0 + f.y1) / 2) for f in frames]
    assert middles == [(1, 0), (1, 0), (1, 1), (1, 1)]
    assert [f.line.color for f in frames] == ["#000000", "#FFFFFF"] * 2
    assert [f.line.dash for f in frames] == ["solid", "dot", "solid", "solid"]
    assert figure.layout.showlegend
    entries = [
        (trace.name, trace.line.dash)
        for trace in figure.data
        if trace.type == "scatter" and trace.showlegend is not False
    ]
    assert entries == [("Chosen", "dot"), ("Recommended", "solid")]
    assert not setting_map(table_of(FOUR), X, Y, "retention").layout.showlegend
    assert not setting_map(
        table_of(GAP), X, Y, "retention", recommended=-1, chosen=99
    ).layout.shapes


def test_a_third_parameter_that_varies_is_refused() -> None:
    table = table_of(FOUR)
    twice = table.assign(buffer_size=2)
    with pytest.raises(
        ValueError, match="More varies than token_limit, buffer_size: Made up · 500"
    ):
        setting_map(twice, X, Y, "retention")


def test_nothing_of_a_label_becomes_markup() -> None:
    figure = setting_map(table_of(GAP).assign(label=MARKUP), X, Y, "retention")
    for text in (*points_of(figure).hovertext, figure.layout.title.text):
        assert "<" not in OWN_TAGS.sub("", text)
    assert "&lt;script&gt;" in figure.layout.title.text


def test_a_measure_that_no_tooltip_has_is_added() -> None:
    for measure, said in (("hit_rate", True), ("retention", False)):
        text = points_of(setting_map(table_of(FOUR, measure), X, Y, measure)).hovertext[
            0
        ]
        assert words(text).endswith(" Read from the cache: 20%.") is said
    unpriced = small_table(priced=False).assign(token_limit=500, buffer_size=range(5))
    text = words(points_of(setting_map(unpriced, X, Y, "all_tokens")).hovertext[0])
    assert text.count("4,000") == 1
