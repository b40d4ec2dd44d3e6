"""One picture at a time, before an audience or in a frame of another page."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.driving import figures, open_address, page_of, sentences, texts

SETTINGS = {
    "conversation": ["sample-trip"],
    "setting": ["buffer", 'summary_buffer {"max_token_limit": 700}'],
}
LARGE_PIXELS = 18
pytestmark = pytest.mark.one_library


def component(session: AppTest, name: str) -> dict[str, Any] | None:
    """What the component of this name is given, ``None`` where it is not on the page."""
    for found in session.get("bidi_component"):
        if name in found.proto.component_name:
            return dict(json.loads(found.proto.json or found.proto.mixed.json))
    return None


def parts_of_link(session: AppTest) -> str:
    return str((component(session, "memviz_address") or {})["query"])


def step(session: AppTest, by: int) -> AppTest:
    """What the keys of a clicker ask for."""
    session.session_state["presenting"].asked_steps = by
    return session.run()


def has_reader(session: AppTest) -> bool:
    return any("Request of turn" in element.value for element in session.markdown)


def test_before_an_audience_there_is_one_picture_with_notes_for_the_speaker_until_it_is_left() -> (
    None
):
    page = open_address("compare", SETTINGS | {"present": ["on"], "turn": ["7"]})
    assert page_of(page) == "compare"
    (figure,) = figures(page)
    assert not has_reader(page)
    assert not page.metric
    assert not page.get("table")
    assert any(
        sentence.startswith("Tokens sent per turn: Full buffer grows")
        for sentence in sentences(page.markdown)
    )
    assert figure["layout"]["xaxis"]["tickfont"]["size"] > LARGE_PIXELS
    assert "present=on" in parts_of_link(page)
    bar = component(page, "presenter_bar")
    assert bar is not None
    place = (bar["at"], bar["of"], bar["title"], bar["next"])
    title, next_title = "What does each strategy send?", "What happens at each request?"
    assert place == (0, 6, title, next_title)
    assert any(
        "Summary buffer" in note and "Summarized messages" in note
        for note in bar["notes"]
    )
    page.session_state["presenting"].is_on = False
    page.run()
    assert has_reader(page)
    assert component(page, "presenter_bar") is None
    assert any("Request of turn 7" in element.value for element in page.markdown)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("facts", SETTINGS | {"view": ["summaries"]}),
        pytest.param("tune", {"try": ['["window"]']}, marks=pytest.mark.slow),
        ("guide", {"strategy": ["summary_buffer"]}),
    ],
)
def test_other_pages_are_one_picture_in_large_letters_too(
    page: str, query: dict[str, list[str]]
) -> None:
    shown = open_address(page, query | {"present": ["on"]})
    assert not shown.exception
    (figure,) = figures(shown)
    assert figure["layout"]["font"]["size"] > LARGE_PIXELS
    assert not shown.metric
    assert not shown.dataframe
    assert not shown.get("table")
    bar = component(shown, "presenter_bar")
    assert bar is not None
    assert bar["notes"]


@pytest.mark.slow
def test_the_clicker_walks_through_the_pictures_of_all_pages_and_back() -> None:
    page = open_address("compare", SETTINGS | {"present": ["on"]})
    seen = []
    for _ in range(5):
        step(page, 1)
        seen.append(page.title[0].value)
        assert not page.exception
        assert (component(page, "memviz_stage") is not None) == (len(seen) == 1)
    assert seen == [
        "What happens at each request?",
        "What does it cost, turn by turn?",
        "What became of every message?",
        "How much does each setting still know?",
        "Which facts could the model still know?",
    ]
    bar = component(page, "presenter_bar")
    assert bar is not None
    assert (bar["at"], bar["next"]) == (5, "")
    assert step(page, 1).title[0].value == seen[-1], "there is none behind the last one"
    assert step(page, -5).title[0].value == "What does each strategy send?"


def test_the_stage_is_one_picture_whatever_its_lanes_say() -> None:
    page = open_address(
        "compare", SETTINGS | {"present": ["on"], "stage": ["on"], "view": ["dollars"]}
    )
    bar, stage = component(page, "presenter_bar"), component(page, "memviz_stage")
    assert bar is not None
    assert stage is not None
    assert (bar["at"], bar["title"]) == (1, "What happens at each request?")
    assert "play" in stage["controls"]
    assert "speed" not in stage["controls"]
    assert not figures(page)
    bare = component(
        open_address("compare", SETTINGS | {"hide": ["player"], "stage": ["on"]}),
        "memviz_stage",
    )
    assert bare is not None
    assert "play" not in bare["controls"]


def test_a_speaker_who_left_a_page_that_writes_no_address_has_left() -> None:
    page = open_address("chat", {"present": ["on"]})
    assert component(page, "presenter_bar") is not None
    page.session_state["presenting"].is_on = False
    page.query_params["chat"] = "another"
    assert component(page.run(), "presenter_bar") is None


def test_all_facts_are_one_picture_and_the_lives_of_those_that_were_lost_another() -> (
    None
):
    kept = open_address("facts", SETTINGS | {"present": ["on"], "view": ["kept"]})
    assert kept.title[0].value == "How much does each setting still know?"
    assert len(figures(kept)) == 1
    lives = SETTINGS | {"look": ["1"]}
    whole = open_address("facts", lives)
    shown = open_address("facts", lives | {"present": ["on"]})
    assert shown.title[0].value == "Which facts could the model still know?"
    assert len(figures(shown)) == 1
    rows = [
        len(figures(page)[0]["layout"]["yaxis"]["ticktext"]) for page in (whole, shown)
    ]
    assert rows[1] < rows[0], "in large letters"
    assert any(
        "first of all those that were lost" in caption
        for caption in sentences(shown.caption)
    )


@pytest.mark.parametrize(("shown", "charts"), [("", 1), ("memory_map", 2)])
def test_a_frame_shows_the_picture_with_its_player_and_keeps_what_the_link_holds(
    shown: str, charts: int
) -> None:
    query = (
        SETTINGS
        | {"view": ["minimal"], "turn": ["13"]}
        | ({"show": [shown]} if shown else {})
    )
    page = open_address("compare", query)
    assert not page.exception
    assert not page.title
    assert len(figures(page)) == charts
    assert not has_reader(page)
    assert component(page, "memviz_player") is not None
    line = component(page, "whole_page")
    assert line is not None
    assert "turn 13" in line["words"]
    written = parts_of_link(page)
    assert "view=minimal" in written
    assert f"show={shown or 'tokens'}" in written
    assert "turn=13" in written


def test_a_link_hides_parts_and_says_which_it_does_not_know() -> None:
    page = open_address(
        "compare", SETTINGS | {"hide": ["reader,numbers,questions,door"]}
    )
    assert page_of(page) == "compare"
    assert not has_reader(page)
    assert not page.metric
    assert not [button for button in page.button if button.label.startswith("Ask ")]
    assert any(
        "'door' was passed over" in sentence for sentence in sentences(page.warning)
    )
    assert "hide=reader%2Cquestions%2Cnumbers" in parts_of_link(page)
    assert not texts(page)


def test_a_page_that_ends_early_can_be_left() -> None:
    page = open_address(
        "compare",
        {"conversation": ["sample-trip"], "present": ["on"], "hide": ["sidebar"]},
    )
    keys = component(page, "presenter_keys")
    assert keys is not None
    assert keys["on"]
