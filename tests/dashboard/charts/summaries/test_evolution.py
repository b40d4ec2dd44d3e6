"""The small charts: every point is the fact it stands for."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from memviz import Run
from memviz.dashboard.charts.summaries.evolution import (
    carried_over_chart,
    compression_chart,
    nesting_chart,
    word_origins_chart,
)
from memviz.metrics.requests.request_axis import RequestAxis, make_axis
from memviz.metrics.summaries.evolution import VersionFacts, compare_versions
from tests.dashboard.charts.runs import run_of

SCRIPT = [
    "Porto and Faro.",
    "Porto and Madeira.",
    "Previous summary: Porto and Madeira.",
    *["Braga."] * 9,
]


@pytest.fixture
def run() -> Run:
    return run_of(messages=20, script=SCRIPT)


@pytest.fixture
def facts(run: Run) -> tuple[VersionFacts, ...]:
    return compare_versions(run)


@pytest.fixture
def axis(run: Run) -> RequestAxis:
    return make_axis([run])


def values(figure: go.Figure) -> dict[str, list[float]]:
    return {trace.name: trace.y.tolist() for trace in figure.data}


def test_compression(facts: tuple[VersionFacts, ...], axis: RequestAxis) -> None:
    assert values(compression_chart(facts, axis)) == {
        "all messages it stands for": [fact.compression for fact in facts],
        "what it was made of": [fact.step_compression for fact in facts],
    }


def test_what_lived_on_begins_with_the_second_version(
    facts: tuple[VersionFacts, ...], axis: RequestAxis
) -> None:
    kept, new = values(carried_over_chart(facts, axis)).values()
    assert kept[0] != kept[0]  # not a number: there was nothing before
    assert new[0] != new[0]
    assert kept[1:] == [100 * (fact.carried_share or 0) for fact in facts[1:]]
    assert kept[1] == pytest.approx(200 / 3)
    assert new[1:] == [100 * (fact.novel_share or 0) for fact in facts[1:]]


def test_origins_add_up_to_all_words(
    facts: tuple[VersionFacts, ...], axis: RequestAxis
) -> None:
    shares = values(word_origins_chart(facts, axis))
    assert {sum(parts) for parts in zip(*shares.values(), strict=True)} == {100.0}
    assert shares["neither"][:2] == [
        100.0,
        50.0,
    ]  # of Porto and Faro nobody spoke; Madeira was new after that
    assert shares["the last version"][1] == 50.0
    assert "messages taken in" not in shares


def test_nesting_and_copied_summaries(
    facts: tuple[VersionFacts, ...], axis: RequestAxis
) -> None:
    depth = values(nesting_chart(facts, axis))
    assert depth["summarizations"] == list(range(1, len(facts) + 1))
    assert depth["a summary's heading inside"] == [3]


def test_all_charts_stand_over_the_same_turns(
    facts: tuple[VersionFacts, ...], axis: RequestAxis
) -> None:
    charts = [
        draw(facts, axis)
        for draw in (
            compression_chart,
            carried_over_chart,
            word_origins_chart,
            nesting_chart,
        )
    ]
    assert {chart.layout.xaxis.range for chart in charts} == {(0.4, 11.3)}, (
        "the last one was written behind turn 10"
    )
    assert {chart.layout.xaxis.title.text for chart in charts} == {"turn"}
    assert all(chart.layout.yaxis.title.text for chart in charts)
    for chart in charts:
        assert chart.data[0].x.tolist() == [fact.event.place for fact in facts]
