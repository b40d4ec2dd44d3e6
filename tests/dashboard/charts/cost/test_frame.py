"""Which lines leave the picture of cost, so that the others keep their room."""

from __future__ import annotations

from memviz.dashboard.charts.cost.curve import cost_curve, frame_of, lines_above_finding
from memviz.dashboard.charts.cost.setting_cost import (
    SettingCost,
    Unit,
    View,
    cache_finding,
    cost_finding,
    requests_finding,
)
from memviz.dashboard.charts.palette import SettingRun
from tests.dashboard.charts.costs import cost_line
from tests.dashboard.charts.runs import run_of

SMALL = [(turn, 1000, 0, 10) for turn in range(1, 6)]
GROWS = [(turn, 4000 * turn, 0, 10) for turn in range(1, 6)]


def limited(label: str = "window", index: int = 1) -> SettingCost:
    one = cost_line(SMALL, (), label=label, index=index)
    return one._replace(setting=SettingRun(run_of("window"), label, index))


def growing() -> SettingCost:
    return cost_line(GROWS, (), label="all")


def test_of_each_turn_what_grows_without_end_leaves_the_picture() -> None:
    costs = [growing(), limited()]
    frame = frame_of(costs, View.EACH_STEP, Unit.USD, uncached=False)
    assert [line.name for line in frame.above] == ["all"]
    amounts = limited().amounts(View.EACH_STEP)
    assert amounts is not None
    assert frame.top == amounts[0].max()
    layout = cost_curve(costs, View.EACH_STEP, uncached=False).layout
    assert layout.yaxis.range[1] < 2 * frame.top
    assert not layout.annotations, "words in the plot would cover lines"
    assert lines_above_finding(frame, Unit.USD) == "Off the chart: all, $0.075."


def test_totals_are_all_seen() -> None:
    frame = frame_of([growing(), limited()], View.SO_FAR, Unit.USD, uncached=False)
    assert frame.above == ()
    assert lines_above_finding(frame, Unit.USD) == ""
    assert cost_curve([growing(), limited()]).layout.yaxis.range is None


def test_a_line_without_the_cache_leaves_if_it_presses_the_others() -> None:
    cached = cost_line(
        [(turn, 20_000, 19_900 if turn > 1 else 0, 10) for turn in range(1, 9)],
        (),
        label="cached",
    )
    frame = frame_of([cached], View.SO_FAR, Unit.USD, uncached=True)
    assert [line.name for line in frame.above] == ["cached without the cache"]
    assert frame_of([cached], View.SO_FAR, Unit.USD, uncached=False).above == ()
    assert frame_of([cached], View.SO_FAR, Unit.TOKENS, uncached=True).above == ()


def test_nothing_leaves_where_everything_grows_or_costs_nothing() -> None:
    assert frame_of([growing()], View.EACH_STEP, Unit.USD, uncached=False).above == ()
    assert frame_of([cost_line(main=None)], View.SO_FAR, Unit.USD, uncached=True) == (
        0.0,
        (),
    )


def test_findings_say_the_numbers_of_the_picture() -> None:
    costs = [growing(), limited()]
    assert (
        cost_finding(costs) == "Over 5 turns all costs $0.23 and window costs $0.019."
    )
    assert (
        cost_finding([cost_line(main=None)])
        == "No price is known, so tokens are drawn."
    )
    assert (
        requests_finding(costs)
        == "Tokens of the largest request: all 20,000 and window 1,000."
    )
    assert (
        cache_finding(costs)
        == "Input read from the prompt cache: all 0% and window 0%."
    )
