"""The stacked areas: parts of the requests as the run has them."""

from __future__ import annotations

import plotly.graph_objects as go

import memviz
from memviz import Recall
from memviz.dashboard.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES
from memviz.dashboard.charts.requests.composition import composition
from tests.dashboard.charts.runs import run_of
from tests.engine.probes import REPRESENTATIVES, talk
from tests.tables import for_each

PARTS = {title: part for part, title in PART_TITLES.items()}


LIMITED = memviz.strategy("summary_buffer", max_token_limit=100)


def by_part(figure: go.Figure) -> dict[str, go.Scatter]:
    return {PARTS[trace.name]: trace for trace in figure.data}


@for_each("id", REPRESENTATIVES)
def test_every_part_is_the_runs_own(id: str) -> None:
    run = run_of(id)
    areas = by_part(composition(run))
    for part, area in areas.items():
        assert area.x.tolist() == [record.turn for record in run.turns]
        assert area.y.tolist() == [record.tokens.get(part, 0) for record in run.turns]
    assert sum(area.y for area in areas.values()).tolist() == [
        record.total_tokens for record in run.turns
    ]


def test_parts_stand_on_each_other_in_their_own_colours() -> None:
    areas = by_part(composition(run_of()))
    assert list(areas) == [part for part in PART_ORDER if part in areas]
    assert {area.stackgroup for area in areas.values()} == {"parts"}
    assert all(
        area.fillcolor == area.line.color == PART_COLORS[part]
        for part, area in areas.items()
    )


def test_recalled_messages_and_tool_calls_have_their_parts() -> None:
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "name": "look_up", "arguments": '{"q": 1}'}],
    }
    messages = [
        *talk(3),
        {"role": "user", "content": "Look."},
        call,
        {"role": "user", "content": "And?"},
    ]
    messages.append({"role": "assistant", "content": "Nothing."})
    run = memviz.replay(
        messages,
        memviz.strategy("window", window_size=3),
        counter="chars4",
        recalls={3: Recall(turns=[1])},
    )
    areas = by_part(composition(run))
    assert areas["recalled"].y.tolist() == [0, 0, run.turns[2].tokens["recalled"], 0, 0]
    assert areas["tools"].y.tolist()[-1] == run.turns[-1].tokens["tools"] > 0


def test_what_is_never_sent_is_left_out() -> None:
    assert set(by_part(composition(run_of("buffer")))) == {
        "system",
        "history",
        "input",
        "overhead",
    }


def test_what_counts_toward_the_limit_stands_below_its_line_and_the_rest_pale_on_top() -> (
    None
):
    said = [
        memviz.Message(("user", "assistant")[at % 2], "word " * 24) for at in range(12)
    ]  # 30 tokens each
    run = memviz.replay(
        said, LIMITED, counter="chars4", system_prompt="Be brief. " * 20
    )
    figure = composition(run)
    areas = by_part(figure)
    assert list(areas) == ["history", "input", "system", "summary", "overhead"]
    below = areas["history"].y + areas["input"].y
    assert below.tolist() == [
        LIMITED.counted_tokens(record.tokens) for record in run.turns
    ]
    assert below.max() <= 100 < max(record.total_tokens for record in run.turns)
    full = {part for part, area in areas.items() if area.fillcolor == PART_COLORS[part]}
    assert full == {"history", "input"}
    (line,) = figure.layout.shapes
    assert (line.y0, line.y1) == (100, 100)
    (label,) = figure.layout.annotations
    assert label.text.endswith(
        "limit for messages not yet summarized 100<br>(pale parts do not count)"
    )


def test_a_limit_far_above_everything_has_no_line() -> None:
    run = memviz.replay(
        talk(9), memviz.strategy("token_buffer", max_tokens=8000), counter="chars4"
    )
    assert composition(run).layout.shapes == ()


def test_axes_say_what_they_measure() -> None:
    layout = composition(run_of()).layout
    assert (layout.xaxis.title.text, layout.yaxis.title.text) == ("turn", "tokens sent")
    assert layout.yaxis.rangemode == "tozero"


def test_of_a_chat_that_has_not_begun_is_empty() -> None:
    assert (
        composition(memviz.Chat(memviz.strategy("summary"), counter="chars4").run).data
        == ()
    )
