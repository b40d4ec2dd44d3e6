"""The chart of cost and retention: the front, who beats whom, and what else a point says."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest
from hypothesis import given
from pandas import DataFrame

from memviz.dashboard.charts.sweeps.pareto import (
    pareto_chart,
    pareto_finding,
)
from memviz.dashboard.charts.sweeps.points import (
    PALE,
    SHAPES,
    strategy_marks,
)
from memviz.dashboard.charts.sweeps.setting_words import SettingWords
from memviz.strategies import strategies
from memviz.tuning.results import Sweep
from tests.dashboard.charts.runs import MARKUP
from tests.dashboard.charts.sweep_tables import (
    OWN_TAGS,
    legend,
    named,
    points_of,
    small_table,
    words,
)
from tests.tables import for_each
from tests.tuning.random_sweeps import cell, sweep_of, sweeps

FRONT = "Best trade-offs"


def is_pale(point: dict[str, object]) -> bool:
    return point["trace"].marker.opacity == PALE  # type: ignore[attr-defined]


def knows_facts(sweep: Sweep) -> bool:
    """Without any, the chart is another one: see TestCostAndPeak."""
    return bool(sweep.by_setting()["retention"].notna().any())


@given(sweeps().filter(knows_facts))
def test_points_are_the_settings_and_the_full_ones_are_the_front(sweep: Sweep) -> None:
    table, measure = sweep.by_setting(), sweep.cost_measure
    figure = pareto_chart(table, measure)
    rows = {
        row["setting"]: row
        for row in table.to_dict("records")
        if row["retention"] == row["retention"]
    }
    points = points_of(figure)
    assert set(points) == set(rows)
    for number, point in points.items():
        assert (point["x"], point["y"]) == (
            rows[number][measure],
            rows[number]["retention"],
        )
        assert is_pale(point) == (not rows[number]["front"])
    (setting,) = named(figure, FRONT)
    front = table[table["front"]].sort_values([measure, "setting"])
    assert setting.x.tolist()[: len(front)] == front[measure].tolist()
    assert setting.y.tolist()[: len(front)] == front["retention"].tolist()
    assert len(setting.x) == len(front) + bool(len(front)), (
        "it goes on to the right end"
    )


def test_its_finding_names_the_ends_of_the_front() -> None:
    sweep = sweep_of(
        [
            cell(0, [1000, 3000], [1, 2]),
            cell(1, [2000, 4000], [3, 4]),
            cell(2, [5000, 5000], [4, 4]),
        ]
    )
    said = pareto_finding(sweep.by_setting(), sweep.cost_measure)
    assert said.startswith(
        "Of 3 settings 3 are the best trade-offs, from Sliding window · 2 messages ($0.0"
    )
    assert said.endswith(", 100% of the facts).")
    only = sweep_of([cell(0, [1000, 1000], [4, 4]), cell(1, [2000, 4000], [3, 4])])
    assert "· 2 messages" in pareto_finding(only.by_setting(), only.cost_measure)
    assert "is best in both cost and facts kept" in pareto_finding(
        only.by_setting(), only.cost_measure
    )


@given(sweeps().filter(knows_facts))
def test_each_beaten_setting_names_one_that_beats_it(sweep: Sweep) -> None:
    table, measure = sweep.by_setting(), sweep.cost_measure
    rows = {row["setting"]: row for row in table.to_dict("records")}
    by_label = {row["label"]: row for row in rows.values()}
    for number, point in points_of(pareto_chart(table, measure)).items():
        text, row = words(point["text"]), rows[number]
        said = text.partition("Beaten by ")[2]
        assert bool(said) == (not row["front"] and not row["failed"])
        assert ("could not be run" in text) == bool(row["failed"])
        if said:
            winner = by_label[said.rpartition(": ")[0]]
            cheaper, more = (
                winner[measure] < row[measure],
                winner["retention"] > row["retention"],
            )
            assert cheaper or more
            assert winner[measure] <= row[measure]
            assert winner["retention"] >= row["retention"]
            less = "cheaper," if measure == "usd" else "fewer tokens,"
            assert (less in said) == cheaper
            assert ("as cheap," in said) == (not cheaper)
            assert ("instead of" in said) == more
            assert ("keeps as much" in said) == (not more)


def test_who_beats_by_little_is_still_told_apart() -> None:
    table = small_table().head(2).assign(usd=[0.14, 0.1399], retention=[0.0278, 0.0279])
    said = words(points_of(pareto_chart(table, "usd"))[0]["text"]).partition(
        "Beaten by "
    )[2]
    assert (
        said
        == "Sliding window · 4 messages: 0.1% cheaper, and keeps 2.79% of the facts instead of 2.78%."
    )


def test_a_tooltip_is_the_setting_in_numbers() -> None:
    text = words(
        points_of(pareto_chart(small_table(), "usd", max_peak_tokens=3000))[3]["text"]
    )
    assert text == (
        "Token buffer · 100 tokens Keeps 38% of the facts stated so far, on average over the requests. "
        "Costs $0.05, which is $0.033 for each fact kept. "
        "The largest request has 3,500 tokens. 0 summarizations. "
        "Its largest request is 500 tokens over the limit of 3,000. "
        "Beaten by Sliding window · 2 messages: 20% cheaper, and keeps as much."
    )


def test_several_conversations_tell_the_other_number_too() -> None:
    sweep = sweep_of(
        [cell(0, [1000], [4])], [cell(0, [3000], [2])], [cell(0, [2000], [3])]
    )
    median, worst = sweep.by_setting("median"), sweep.by_setting("worst")
    text = words(
        points_of(pareto_chart(median, "usd", writer=SettingWords.of(sweep, "median")))[
            0
        ]["text"]
    )
    assert "(50% in the worst conversation)" in text
    assert "Keeps 75%" in text
    assert "3,000 in the worst" in text
    text = words(
        points_of(pareto_chart(worst, "usd", writer=SettingWords.of(sweep, "worst")))[
            0
        ]["text"]
    )
    assert "Keeps 50%" in text
    assert "(75% in the median)" in text
    one = sweep_of([cell(0, [1000], [4])])
    assert (
        "in the worst"
        not in points_of(
            pareto_chart(one.by_setting(), "usd", writer=SettingWords.of(one, "median"))
        )[0]["text"]
    )


def test_too_large_settings_are_hollow_and_the_legend_says_so() -> None:
    figure = pareto_chart(small_table(), "usd", max_peak_tokens=4000)
    symbols = {
        n: p["trace"].marker.symbol[p["at"]] for n, p in points_of(figure).items()
    }  # type: ignore[attr-defined]
    assert {n for n, symbol in symbols.items() if symbol.endswith("-open")} == {2, 4}
    assert "Hollow: over 4,000 tokens" in legend(figure)
    for without in (
        pareto_chart(small_table(), "usd"),
        pareto_chart(small_table(), "usd", max_peak_tokens=9000),
    ):
        assert not any(entry.startswith("Hollow") for entry in legend(without))


def test_the_share_asked_for_is_a_line_with_its_value() -> None:
    figure = pareto_chart(small_table(), "usd", min_retention=0.95)
    (setting,) = figure.layout.shapes
    assert (setting.y0, setting.y1, setting.line.dash) == (0.95, 0.95, "dash")
    assert len(named(figure, "At least 95%")) == 1
    assert not figure.layout.annotations
    assert not pareto_chart(small_table(), "usd").layout.shapes
    low, high = pareto_chart(
        small_table(), "usd", min_retention=0.05
    ).layout.yaxis.range
    assert low < 0.05 < 1 < high, "the line is in sight"


def test_the_recommended_setting_is_ringed_and_named_and_the_chosen_one_framed() -> (
    None
):
    figure = pareto_chart(small_table(), "usd", recommended=1, chosen=4)
    at = points_of(figure)
    for name, number in (("Recommended", 1), ("Chosen", 4)):
        (ring,) = named(figure, name)
        assert (ring.x[0], ring.y[0]) == (at[number]["x"], at[number]["y"])
        assert ring.marker.symbol.endswith("-open")
        assert (ring.hoverinfo, ring.customdata) == ("skip", None), (
            "clicks reach the point"
        )
    (note,) = figure.layout.annotations
    assert words(note.text) == "Recommended"
    assert (note.x, note.y) == (at[1]["x"], at[1]["y"])
    assert (note.ax, note.ay) == (note.x, figure.layout.yaxis.range[1]), (
        "above the plot, where it covers no point"
    )
    assert (note.axref, note.ayref, note.yanchor) == ("x", "y", "bottom")
    nowhere = pareto_chart(small_table(), "usd", recommended=99, chosen=99)
    assert (
        not named(nowhere, "Recommended")
        + named(nowhere, "Chosen")
        + list(nowhere.layout.annotations)
    )


def wide_table() -> DataFrame:
    return small_table().assign(usd=[0.001, 0.01, 0.1, 0.002, 0.05])


def test_a_wide_range_of_costs_counts_by_ratio() -> None:
    assert pareto_chart(small_table(), "usd").layout.xaxis.type == "linear"
    figure = pareto_chart(wide_table(), "usd", recommended=1)
    axis = figure.layout.xaxis
    assert axis.type == "log"
    assert axis.range[0] < log10(0.001) < log10(0.1) < axis.range[1]
    assert "$0.01" in axis.ticktext
    assert figure.layout.annotations[0].x == pytest.approx(log10(0.01)), (
        "annotations take the logarithm"
    )
    (setting,) = named(figure, FRONT)
    assert setting.x[-1] == pytest.approx(10 ** axis.range[1]), "traces take the number"


def test_axes_carry_units() -> None:
    for measure, title in (("usd", "Cost (US dollars)"), ("all_tokens", "All tokens")):
        figure = pareto_chart(small_table(), measure)
        assert figure.layout.xaxis.title.text == title
        assert figure.layout.yaxis.title.text == "facts kept (%)"


def test_the_front_is_that_of_the_measure_shown() -> None:
    table = small_table().assign(usd=[5.0, 4, 3, 2, 1])
    assert is_pale(points_of(pareto_chart(table, "usd"))[0])
    assert not is_pale(points_of(pareto_chart(table, "all_tokens"))[0])


def test_one_setting_is_a_front_of_its_own() -> None:
    figure = pareto_chart(small_table().head(1), "usd", recommended=0)
    assert not is_pale(points_of(figure)[0])
    assert legend(figure) == ["Sliding window", FRONT, "Recommended"]


def test_of_two_equal_points_both_are_on_the_front() -> None:
    table = sweep_of([cell(0, [100], [4]), cell(1, [100], [4])]).by_setting()
    points = points_of(pareto_chart(table, "usd"))
    assert [is_pale(points[0]), is_pale(points[1])] == [False, False]


def without_facts(table: DataFrame) -> DataFrame:
    """The table of a conversation of which no facts are known."""
    return table.assign(retention=np.nan)


@for_each("table", [small_table(), without_facts(small_table())])
def test_unknown_numbers_and_empty_tables_are_no_points(table: DataFrame) -> None:
    table = table.assign(usd=[np.nan, 1, 2, 3, 4])
    assert 0 not in points_of(pareto_chart(table, "usd", recommended=0, chosen=0))
    assert points_of(pareto_chart(table.head(0), "usd", max_peak_tokens=100)) == {}


def test_a_setting_without_a_price_says_its_tokens() -> None:
    text = words(
        points_of(pareto_chart(small_table(priced=False), "all_tokens"))[0]["text"]
    )
    assert "Takes 4,000 tokens; no price is known." in text


def test_each_strategy_has_its_own_colour_and_shape_and_keeps_them() -> None:
    table = small_table()
    windows, buffers = strategy_marks(table)
    assert (windows.title, buffers.title) == ("Sliding window", "Token buffer")
    assert windows.color != buffers.color
    assert windows.shape != buffers.shape
    (alone,) = strategy_marks(
        table[table["strategy"] == "token_buffer"], ["buffer", "window", "token_buffer"]
    )
    assert (alone.index, alone.shape) == (2, SHAPES[2])
    figure = pareto_chart(table, "usd", strategies=["token_buffer", "window"])
    assert legend(figure)[:2] == ["Token buffer", "Sliding window"]
    for number, point in points_of(figure).items():
        assert point["trace"].marker.color == ("#000002" if number < 3 else "#000001")  # type: ignore[attr-defined]


def test_no_strategy_looks_like_another_one_in_colour_and_shape() -> None:
    names = [f"strategy{number}" for number in range(3 * len(strategies()))]
    marks = strategy_marks(DataFrame({"strategy": names, "label": names}))
    assert len({(mark.color, mark.shape) for mark in marks}) == len(marks)
    assert len({mark.shape for mark in marks[: len(strategies())]}) == len(
        strategies()
    ), "colours are not told by all"


def test_nothing_of_a_label_becomes_markup() -> None:
    table = small_table().assign(label=[f"{MARKUP} · {number}" for number in range(5)])
    for figure in (
        pareto_chart(table, "usd", recommended=1, title=MARKUP, max_peak_tokens=10),
        pareto_chart(
            without_facts(table),
            "usd",
            recommended=1,
            title=MARKUP,
            max_peak_tokens=10,
        ),
    ):
        texts = [str(p["text"]) for p in points_of(figure).values()]
        texts += [trace.name for trace in figure.data] + [
            note.text for note in figure.layout.annotations
        ]
        for text in [*texts, figure.layout.title.text]:
            assert "<" not in OWN_TAGS.sub("", text)
        assert any("&lt;script&gt;" in text for text in texts)


class TestCostAndPeak:
    def test_points_are_peaks_and_none_is_better(self) -> None:
        figure = pareto_chart(
            without_facts(small_table()),
            "usd",
            max_peak_tokens=4000,
            recommended=1,
            chosen=2,
        )
        table = small_table().set_index("setting")
        for number, point in points_of(figure).items():
            assert (point["x"], point["y"]) == tuple(
                table.loc[number, ["usd", "peak_tokens"]]
            )
            assert not is_pale(point)
            assert "Beaten" not in str(point["text"])
            assert ("over the limit" in words(point["text"])) == (number in (2, 4))
        assert not named(figure, FRONT)
        assert figure.layout.shapes[0].y0 == 4000
        assert [words(note.text)[:11] for note in figure.layout.annotations] == [
            "Recommended"
        ]
        assert len(named(figure, "At most 4,000 tokens")) == 1

    def test_on_an_axis_by_ratio_the_limit_stands_at_its_value(self) -> None:
        table = small_table().assign(peak_tokens=[100, 200, 400, 800, 9000])
        figure = pareto_chart(without_facts(table), "usd", max_peak_tokens=1000)
        assert figure.layout.yaxis.type == "log"
        assert figure.layout.shapes[0].y0 == 1000

    def test_without_facts_nothing_is_said_of_them(self) -> None:
        table = sweep_of([cell(0, [100]), cell(1, [200])]).by_setting()
        assert len(points_of(pareto_chart(table, "usd"))) == 2
        assert "fact" not in "".join(
            str(p["text"]) for p in points_of(pareto_chart(table, "usd")).values()
        )
