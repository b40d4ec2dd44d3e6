"""The memory map: what became of every message, under every setting."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import memviz
from benchmarks.synthetic.generator import generate
from memviz import Message, Recall
from memviz.core.context import Fate
from memviz.dashboard.charts.palette import STEP_TITLES
from memviz.dashboard.ui.compare.memory_map import format_percent
from memviz.dashboard.ui.compare.one_message import describe_life
from memviz.dashboard.ui.controls.study import AddedRecall
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_map import Span, build_fate_map
from memviz.metrics.memory_map.stretches import STEPS, encode_fate
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Transcript
from memviz.transcripts.samples import sample
from tests.metrics.memory_map.codes import codes_of
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.chatting import use_model
from tests.pages.comparing import FIRST, replayed
from tests.pages.driving import (
    click,
    click_point,
    figures,
    first_seen,
    labelled,
    numbers,
    open_page,
    read_request,
    request_as_json,
    sentences,
    texts,
    turn_shown,
)

pytestmark = pytest.mark.one_library


@pytest.fixture
def page() -> AppTest:
    return open_page("memory_map")


@pytest.fixture
def first_page() -> AppTest:
    """The same for tests that only look at it."""
    return first_seen("memory_map")


def maps(session: AppTest) -> list[dict[str, Any]]:
    return [
        figure
        for figure in figures(session)
        if figure["data"] and figure["data"][0]["type"] == "heatmap"
    ]


def cells(figure: dict[str, Any]) -> np.ndarray[Any, Any]:
    z = figure["data"][0]["z"]
    return np.array(numbers(z)).reshape([int(part) for part in z["shape"].split(",")])


def html(session: AppTest, kind: str) -> list[str]:
    bodies = [element.proto.body for element in session.get("html")]
    return [
        unescape(re.sub(r"<[^>]*>", "\n", body))
        for body in bodies
        if f'class="{kind}"' in body
    ]


def click_cell(session: AppTest, number: int, turn: float, message: float) -> AppTest:
    """What the browser sends when a cell of a map is clicked."""
    charts = session.get("plotly_chart")
    place = [
        at
        for at, chart in enumerate(charts)
        if chart.proto.id and json.loads(chart.proto.spec)["data"]
    ][number]
    return click_point(
        session, place, {"x": turn, "y": message, "curve_number": 1, "point_index": 0}
    )


def test_every_setting_has_a_map_of_its_run(first_page: AppTest) -> None:
    shown = maps(first_page)
    assert len(shown) == 3
    for figure, (label, strategy) in zip(shown, FIRST.items(), strict=True):
        assert cells(figure).tolist() == codes_of(replayed(strategy)).T.tolist()
        assert label in figure["layout"]["annotations"][0]["text"].replace("<br>", " ")
    assert len({tuple(figure["layout"]["yaxis"]["range"]) for figure in shown}) == 1
    assert not first_page.error
    assert not first_page.warning


def test_the_legend_names_what_occurs_and_nothing_else(first_page: AppTest) -> None:
    (legend,) = html(first_page, "memviz-fates")
    present = {
        code
        for strategy in FIRST.values()
        for code in build_fate_map(replayed(strategy)).present
    }
    expected = {
        STEP_TITLES[code] for code in present if STEPS[code].fate is not Fate.SUMMARIZED
    }
    said = [
        line.strip() for line in legend.split("\n") if line.strip() and line not in "◆✖"
    ]
    assert said[1:6] == [
        "Summarized",
        "once",
        "2-3",
        "4-7",
        "8 or more times",
    ]  # the violets, in one entry
    assert {*said[:1], *said[6:]} == {*expected, "A summarization"}
    assert "Recalled" not in said


def test_key_numbers_are_those_of_the_last_request(first_page: AppTest) -> None:
    for words, strategy in zip(
        html(first_page, "memviz-shares"), FIRST.values(), strict=True
    ):
        run = replayed(strategy)
        last, generations = run.fates()[-1], run.generations()[-1]
        there = (last != Fate.NOT_YET).sum()
        fates = [
            fate
            for fate in (Fate.VERBATIM, Fate.SUMMARIZED, Fate.DROPPED)
            if fate in last
        ]
        shares = [f"{(last == fate).sum() / there:.0%}" for fate in fates]
        assert re.findall(r"[\d<>]+%", words) == shares
        if generations.any():
            mean = f"{generations[generations > 0].mean():.1f}".removesuffix(".0")
            assert f", {mean} times on average" in words


def said_of_message(session: AppTest) -> str:
    """The sentence below the maps on the selected message."""
    return next(
        word for word in sentences(session.markdown) if word.startswith("**Message ")
    )


def test_it_opens_with_the_first_message_beside_the_request_that_compare_selects() -> (
    None
):
    first_page = read_request(open_page("memory_map"))
    run = replayed(FIRST["Summary buffer · 1,500 tokens · 120 words"])
    assert sample("trip").messages[0].content in texts(first_page)
    assert said_of_message(first_page) == (
        "**Message 1** (user, turn 1) under Summary buffer · 1,500 tokens · 120 words: "
        f"{describe_life(build_fate_map(run).life(0))}"
    )
    shown = run.turns[turn_shown(first_page) - 1].context.messages
    assert request_as_json(first_page) == [message.to_request() for message in shown]


def test_a_click_on_a_cell_selects_its_setting_turn_and_message(page: AppTest) -> None:
    click_cell(page, 1, 20, 12)
    run = replayed(FIRST["Sliding window · 10 messages"])
    assert turn_shown(page) == 20
    assert labelled(page.number_input, "Message").value == 12
    assert request_as_json(page) == [
        message.to_request() for message in run.turns[19].context.messages
    ]
    assert sample("trip").messages[11].content in texts(page)
    assert said_of_message(page) == (
        "**Message 12** (assistant, turn 6) under Sliding window · 10 messages: "
        f"{describe_life(build_fate_map(run).life(11))}"
    )
    labelled(page.number_input, "Message").set_value(15).run()
    lost = "At the request of turn 20: Lost: 28 June 2027; QX7R4M."
    assert lost in [element.value.replace("\\", "") for element in page.markdown]
    assert turn_shown(page) == 20, "the request stays while another message is read"
    labelled(page.number_input, "Message").set_value(92).run()
    assert not page.exception
    assert any("never sent" in element.value for element in page.markdown)


@pytest.mark.slow
def test_another_conversation_begins_at_its_first_message(page: AppTest) -> None:
    labelled(page.number_input, "Message").set_value(40).run()
    labelled(page.selectbox, "Conversation").select("sample-tutoring").run()
    assert labelled(page.number_input, "Message").value == 1


@pytest.mark.slow
def test_a_recall_is_on_the_map_and_six_settings_have_six_maps(page: AppTest) -> None:
    trip = sample("trip")
    page.session_state["compare"].recalls.append(AddedRecall(30, (1,)))
    page.run()
    run = memviz.replay(
        list(trip.messages),
        FIRST["Sliding window · 10 messages"],
        system_prompt=trip.system_prompt,
        recalls={30: Recall(turns=[1])},
    )
    assert cells(maps(page)[1]).tolist() == codes_of(run).T.tolist()
    assert cells(maps(page)[1])[0, 29] == encode_fate(Fate.RECALLED)
    assert "Recalled" in html(page, "memviz-fates")[0]
    for _ in range(3):
        click(page, "Add a setting")
    assert len(maps(page)) == len(html(page, "memviz-shares")) == 6
    read_request(page)
    assert len(labelled(page.selectbox, "Setting").options) == 6


@pytest.mark.slow
def test_a_long_conversation_says_what_a_cell_is_and_can_be_looked_at_closely() -> None:
    id = Workspace().store.add_conversation(generate(200))
    assert not first_seen("memory_map").slider, "a short one needs none"
    page = open_page("memory_map", conversation=id)
    assert any(
        "**Each cell is 2 turns × 3 messages**" in caption.value
        for caption in page.caption
    )
    assert cells(maps(page)[0]).shape == (134, 100)
    labelled(page.slider, "Turns").set_value((101, 140)).run()
    labelled(page.slider, "Messages").set_value((181, 280)).run()
    generated = generate(200)
    run = memviz.replay(
        list(generated.messages),
        memviz.strategy("window"),
        system_prompt=generated.system_prompt,
    )
    assert cells(maps(page)[1]).tolist() == codes_of(run)[100:140, 180:280].T.tolist()
    assert not any("Each cell is" in caption.value for caption in page.caption)
    click_cell(page, 1, 120, 230)
    assert (labelled(page.number_input, "Message").value, turn_shown(page)) == (
        230,
        120,
    )


@pytest.mark.slow
def test_a_failing_summarizer_is_red_and_loses_nothing(
    page: AppTest, server: OpenAIServer
) -> None:
    server.then(text("A first summary."), *[status(400, "No <b>such</b> model.")] * 99)
    use_model(page, "Summarizer", server.api_base)
    click(page, "Replay with")
    assert any("Nothing was lost" in sentence for sentence in sentences(page.warning))
    assert "A summarization that failed" in html(page, "memviz-fates")[0]
    last = maps(page)[2]
    (marks,) = [
        trace for trace in last["data"] if trace.get("name") == "summarizations"
    ]
    assert marks["marker"]["symbol"].count("diamond") == 1
    assert "x" in marks["marker"]["symbol"]
    assert set(np.unique(cells(last))) == {
        0,
        encode_fate(Fate.SUMMARIZED, 1),
        encode_fate(Fate.VERBATIM),
    }


def test_one_turn_and_markup() -> None:
    said = [
        {"role": "user", "content": "<b>Hi</b> :red[x] $y$"},
        {"role": "assistant", "content": "Hello."},
    ]
    (entry,) = Workspace().add(
        [Transcript(tuple(Message(**one) for one in said), title="One")]
    )
    page = open_page("memory_map", conversation=entry.id)
    assert [cells(figure).tolist() for figure in maps(page)] == [
        [[encode_fate(Fate.VERBATIM)], [0]]
    ] * 3
    assert "<b>Hi</b> :red[x] $y$" in texts(page)
    assert not page.exception


def test_a_conversation_without_a_request_says_so() -> None:
    (entry,) = Workspace().add([Transcript((Message("assistant", "Hello."),))])
    page = open_page("memory_map", conversation=entry.id)
    assert not page.exception
    assert maps(page) == []
    assert any("no message of a user" in sentence for sentence in sentences(page.info))
    assert not page.error


@pytest.mark.parametrize(
    ("life", "words"),
    [
        ([], "no request came after it, so it was never sent."),
        ([Span(3, 3, Fate.VERBATIM, 0)], "sent word for word at turn 3."),
        ([Span(1, 9, Fate.VERBATIM, 0)], "sent word for word since turn 1."),
        (
            [Span(1, 9, Fate.VERBATIM, 0), Span(10, 40, Fate.DROPPED, 0)],
            "sent word for word until turn 9; dropped since turn 10.",
        ),
        (
            [
                Span(1, 9, Fate.VERBATIM, 0),
                Span(10, 15, Fate.SUMMARIZED, 1),
                Span(16, 21, Fate.SUMMARIZED, 2),
                Span(22, 29, Fate.SUMMARIZED, 3),
                Span(30, 30, Fate.RECALLED, 0),
                Span(31, 40, Fate.SUMMARIZED, 3),
            ],
            "sent word for word until turn 9; replaced by a summary since turn 10; summarized again at turns 16 and "
            "22; recalled at turn 30; replaced by a summary since turn 31; by the last request it had been summarized "
            "3 times.",
        ),
        (
            [
                Span(2, 2, Fate.VERBATIM, 0),
                Span(3, 5, Fate.DROPPED, 0),
                Span(6, 6, Fate.RECALLED, 0),
                Span(7, 8, Fate.DROPPED, 0),
            ],
            "sent word for word at turn 2; dropped from turn 3 to 5; recalled at turn 6; dropped since turn 7.",
        ),
    ],
)
def test_a_life_in_words(life: list[Span], words: str) -> None:
    assert describe_life(life) == words


def test_a_life_of_many_changes_is_cut_short() -> None:
    changes = [
        Span(turn, turn, (Fate.DROPPED, Fate.RECALLED)[turn % 2], 0)
        for turn in range(1, 60)
    ]
    words = describe_life(changes)
    assert words.count(";") == 11
    assert words.endswith("; and so on; recalled at turn 59.")


def test_many_summarizations_are_cut_short() -> None:
    run: Run = replayed(memviz.strategy("summary_buffer", max_token_limit=500))
    words = describe_life(build_fate_map(run).life(0))
    assert re.search(
        r"summarized again at turns (\d+, ){6}…; by the last request it had been summarized 37 times\.$",
        words,
    )


def test_a_share_is_never_rounded_to_nothing_or_to_all() -> None:
    assert [
        format_percent(part, 1000) for part in (0, 1, 5, 6, 500, 994, 995, 999, 1000)
    ] == [
        "0%",
        "<1%",
        "<1%",
        "1%",
        "50%",
        "99%",
        ">99%",
        ">99%",
        "100%",
    ]
    assert format_percent(0, 0) == "0%"
