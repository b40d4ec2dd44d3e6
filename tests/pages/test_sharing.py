"""A view as an address: what one visitor sees, another opens."""

from __future__ import annotations

import json
import logging
import re
from urllib.parse import parse_qs

import pytest
from streamlit.elements.lib import policies
from streamlit.testing.v1 import AppTest

from memviz.dashboard.charts.retention.result import Measure
from memviz.dashboard.lessons.study import MAX_SETTINGS, query_of
from memviz.dashboard.ui.controls.links import link_query, named_models, open_link
from memviz.dashboard.ui.controls.study import CompareState
from tests.pages.driving import (
    click,
    figures,
    labelled,
    sentences,
    token_lines,
    turn_shown,
    walk_to,
)
from tests.pages.sharing import opened, passed_over, shared

pytestmark = pytest.mark.one_library

SMALL = 'summary_buffer {"max_token_limit": 500}'


QUERY = {
    "conversation": ["sample-support"],
    "setting": [
        "buffer",
        'summary_buffer {"max_token_limit": 700, "summary_words": 0}',
    ],
    "counter": ["cl100k_base"],
    "recall": ["9 1,2 1"],
    "look": ["1"],
    "turn": ["7"],
    "view": ["tokens"],
}


def test_an_address_opens_what_was_shared_and_what_is_shared_is_what_is_shown() -> None:
    page = opened("compare", QUERY)
    assert list(token_lines(page)) == ["Full buffer", "Summary buffer · 700 tokens"]
    assert labelled(page.selectbox, "Conversation").value == "sample-support"
    assert turn_shown(page) == 7
    recalled = [
        trace
        for trace in figures(page)[0]["data"]
        if "triangle" in str(trace.get("marker", {}).get("symbol"))
    ]
    assert recalled
    assert not passed_over(page)
    assert shared(page) == QUERY
    walk_to(page, 12)
    assert shared(page) == QUERY | {"turn": ["12"]}
    click(page, "Add a setting")
    assert len(shared(page)["setting"]) == 3
    again = opened("compare", shared(page))
    assert token_lines(again) == token_lines(page)
    labelled(again.selectbox, "Conversation").select("sample-trip").run()
    again.run()
    assert labelled(again.selectbox, "Conversation").value == "sample-trip", (
        "after opening the visitor decides"
    )


def marked(session: AppTest) -> list[str]:
    """The colours of the settings whose rows are marked, as the page says it."""
    bodies = "".join(element.proto.body for element in session.get("html"))
    return re.findall(r'class="memviz-shows-(\d)', bodies)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["compare", "summaries"])
def test_the_row_of_what_is_shown_is_marked_and_is_in_the_link_also_where_a_link_did_not_say_which(
    page: str,
) -> None:
    settings = [SMALL, "buffer", 'window {"window_size": 4}']
    session = opened(page, {"conversation": ["sample-support"], "setting": settings})
    (shown,) = marked(session)
    assert shown == ("2" if page == "compare" else "0")
    assert shared(session)["look"] == [shown]
    again = opened("compare", shared(session) | {"view": ["tokens"]})
    assert marked(again) == [shown]


def test_a_setting_as_it_was_written_and_the_chat_as_it_was_held_are_in_a_link() -> (
    None
):
    state = CompareState(looked_at=MAX_SETTINGS)
    state.add("summary_buffer", {"max_token_limit": 1500}, as_written=True)
    opened_again = CompareState()
    view, problems = open_link(opened_again, parse_qs(query_of(state.view(5))))
    assert (view.turn, problems) == (5, [])
    assert [setting.as_written for setting in opened_again.settings] == [
        False,
        False,
        False,
        True,
    ]
    assert opened_again.looked_at == MAX_SETTINGS


def test_replies_of_their_own_are_shared_too() -> None:
    page = opened("compare", QUERY | {"replies": ["free-run"]})
    assert labelled(page.segmented_control, "Replies").value == "free-run"
    state = CompareState(free_run=True)
    assert parse_qs(query_of(state.view()))["replies"] == ["free-run"]


WRONG = {
    "setting": [
        "no_such_strategy",
        'summary_buffer {"max_token_limit": -5}',
        "summary_buffer [1]",
        "summary_buffer {",
    ],
    "counter": ["abacus"],
    "recall": ["x", "9 1 7"],
    "look": ["17"],
    "turn": ["<b>"],
}


def test_each_part_that_cannot_be_used_is_said_and_the_rest_is_shown() -> None:
    page = opened("compare", QUERY | WRONG | {"setting": [*WRONG["setting"], "buffer"]})
    said = passed_over(page)
    assert len(said) == sum(map(len, WRONG.values()))
    assert all("was passed over" in sentence for sentence in said)
    for value in (value for values in WRONG.values() for value in values):
        assert any(value in sentence for sentence in said), value
    assert list(token_lines(page)) == ["Full buffer"]


def test_a_conversation_that_is_not_there_is_said_and_another_is_shown() -> None:
    page = opened("compare", QUERY | {"conversation": ["gone"], "turn": ["4711"]})
    (sentence,) = passed_over(page)
    assert "conversation of the link is not in this library" in sentence
    assert figures(page)
    assert turn_shown(page) != 4711, "a turn that is not there is passed over"


def test_parts_that_are_too_many_are_said() -> None:
    state = CompareState()
    windows = [f'window {{"window_size": {size}}}' for size in range(1, 9)]
    _, problems = open_link(state, {"setting": windows, "recall": ["9 3"] * 101})
    assert len(state.settings) == 6
    assert len(state.recalls) == 100
    settings, recalls = problems
    assert settings.startswith("A link holds at most 6 settings, so of this one ")
    assert all(window in settings for window in windows[6:])
    assert not any(window in settings for window in windows[:6])
    assert recalls.startswith("A link holds at most 100 recalls")
    assert open_link(state, {"setting": windows[:6]})[1] == []


BEYOND_ALL_BOUNDS = {
    "setting": [
        "buffer",
        "window " + "[" * 3000,
        'summary_buffer {"max_token_limit": 100000000000000000000}',
    ],
    "recall": ["100000000000000000000 1", "2 99999999999999999999"],
    "turn": ["99999999999999999999999"],
    "look": ["-1"],
}


def test_what_no_page_could_hold_is_passed_over() -> None:
    _, problems = open_link(CompareState(), QUERY | BEYOND_ALL_BOUNDS)
    assert len(problems) == 6
    assert all(len(problem) < 400 for problem in problems)


def test_the_largest_numbers_within_the_bounds_are_shown() -> None:
    largest = [
        'summary_buffer {"max_token_limit": 9007199254740991}',
        'window {"window_size": 9007199254740991}',
    ]
    session = opened(
        "compare",
        QUERY
        | {"setting": largest, "turn": ["999999999999999"], "recall": ["7 999999999"]},
    )
    assert len(token_lines(session)) == 2
    assert not passed_over(session)


OPEN = {
    "memory_map": {"view": "memory_map", "message": "5", "turn": "3"},
    "costs": {
        "view": "dollars",
        "prices": "gpt-4.1",
        "summary-prices": "gpt-4o-mini",
        "pause": "600.0",
        "shown": "Each turn",
        "uncached": "False",
        "chat-input_usd_per_million": "2.5",
        "cache": "None",
    },
    "retention": {
        "view": "lives",
        "measure": "stated or summarized",
        "fact": "3",
        "version": "1",
        "turn": "7",
    },
    "summaries": {
        "view": "summaries",
        "version": "2",
        "layout": "Side by side",
        "against": "0",
    },
    "tune": {
        "over": '["sample-support"]',
        "try": '["window"]',
        "window.window_size": '["4", "7"]',
        "share": "0.7",
        "chosen": "1",
    },
}
"""What is open on each page, as its link says it."""


@pytest.mark.slow
@pytest.mark.parametrize("page", OPEN)
def test_a_link_holds_what_is_open_on_the_page(page: str) -> None:
    asked = {name: [text] for name, text in OPEN[page].items()}
    if page == "retention":
        asked["measure"] = [[one.value for one in Measure][-1]]
    parts = ("conversation", "setting", "counter", "recall")
    study = {part: QUERY[part] for part in parts}
    session = opened(page, study | {"look": ["1"]} | asked)
    assert not passed_over(session)
    query = shared(session)
    assert {name: query.get(name) for name in asked} == asked
    if page != "tune":  # which is about no setting of Compare
        assert {name: query.get(name) for name in study} == study


def test_a_control_with_a_first_value_takes_that_of_a_link_without_a_stack_trace_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(
        policies, "_shown_default_value_warning", False
    )  # it is said once a process
    monkeypatch.setattr(
        policies, "_LOGGER", logging.getLogger("policies")
    )  # Streamlit's own keeps what it logs
    session = opened(
        "costs",
        {
            "conversation": ["sample-support"],
            "pause": ["600.0"],
            "shown": ["Each turn"],
        },
    )
    assert not passed_over(session)
    assert not [
        record.getMessage()
        for record in caplog.records
        if "default value" in record.getMessage()
    ]


@pytest.mark.parametrize(
    ("page", "part", "text"),
    [
        ("memory_map", "message", "9" * 400),
        ("costs", "pause", "<b>"),
        ("summaries", "version", "99"),
        ("tune", "over", "[" * 3000),
    ],
)
@pytest.mark.slow
def test_what_the_page_does_not_have_is_said_and_passed_over(
    page: str, part: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is said as the page is drawn first, before its sweep is done and it is drawn again.
    monkeypatch.setattr("memviz.dashboard.ui.tune.run.AT_ONCE_SECONDS", 0.1)
    session = opened(
        page,
        {
            "conversation": ["sample-support"],
            "setting": ["buffer", SMALL],
            part: [text],
        },
    )
    (sentence,) = passed_over(session)
    assert f"link's {part}" in sentence
    assert len(sentence) < 400


def test_a_link_names_the_summarizer_and_never_a_key() -> None:
    session = opened("compare", {"summarizer": ["openai/gpt-5-mini"]})
    assert shared(session)["summarizer"] == ["openai/gpt-5-mini"]
    assert any(
        "were written by **openai/gpt" in sentence
        for sentence in sentences(session.markdown)
    )
    labelled(session.text_input, "API key").set_value("a-key").run()
    labelled(session.text_input, "Base URL").set_value("http://127.0.0.1:1/v1").run()
    assert not any(
        "were written by" in sentence for sentence in sentences(session.markdown)
    )
    assert "a-key" not in json.dumps(shared(session))
    assert "127.0.0.1" not in json.dumps(shared(session))
    click(session, "Use the built-in model")
    assert shared(session)["summarizer"] == ["offline"]
    assert len(token_lines(session)) == 3


@pytest.mark.parametrize("name", ["sk-" + "a1" * 20, "x" * 300, "a\nb"])
def test_no_key_and_nothing_else_that_is_no_models_name_is_in_a_link(name: str) -> None:
    assert "summarizer" not in parse_qs(
        link_query(CompareState().view(), [("summarizer", name)])
    )
    names, problems = named_models({"summarizer": [name]})
    assert "summarizer" not in names
    assert len(problems) == 1
    assert name not in problems[0]
