"""The ten classic effects on the first page, and what a page says where it shows one."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from memviz.dashboard.lessons.lesson import Step
from memviz.dashboard.lessons.library import classic_effects
from memviz.dashboard.ui.controls.effects import query_of_effect
from memviz.dashboard.ui.controls.links import open_link
from memviz.dashboard.ui.controls.study import CompareState
from tests.pages.driving import (
    click,
    figures,
    labelled,
    open_address,
    open_page,
    page_of,
    sentences,
    token_lines,
    turn_shown,
)

pytestmark = pytest.mark.one_library

EFFECTS = classic_effects()
PAGES = {("compare", "tokens"): "compare", ("compare", "dollars"): "costs", ("facts", "lives"): "retention",
         ("facts", "summaries"): "summaries"}  # fmt: skip

SLOW_NUMBERS = (1, 2)
"""With 4 and 6 an effect on each page that shows some."""


def said(one: Step) -> str:
    return f"**{one.title.en}.** {one.text.en}"


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.title.en)
def test_the_address_of_an_effect_is_its_view(effect: Step) -> None:
    view, problems = open_link(CompareState(), parse_qs(query_of_effect(effect)))
    assert problems == []
    assert view.turn == effect.view.turn


@pytest.mark.parametrize(
    "number",
    [4, 6, *(pytest.param(number, marks=pytest.mark.slow) for number in SLOW_NUMBERS)],
)
def test_an_effect_is_shown_at_its_address_and_says_so(number: int) -> None:
    one = EFFECTS[number - 1]
    page = PAGES[one.view.page, one.view.show]
    session = open_address(page, parse_qs(query_of_effect(one)))
    assert page_of(session) == page
    assert said(one) in sentences(session.caption)
    assert not [
        one
        for one in sentences(session.warning)
        if not one.startswith("Over its limit")
    ]
    assert (
        labelled(session.selectbox, "Conversation").value
        == one.view.study.conversation_id
    )
    if one.view.page == "compare":
        assert turn_shown(session) == one.view.turn
        assert len(figures(session)[0]["data"]) >= len(one.view.study.settings)


def test_another_setting_is_another_view_and_has_its_own_sentence() -> None:
    one = EFFECTS[0]
    page = open_address("compare", parse_qs(query_of_effect(one)))
    assert said(one) in sentences(page.caption)
    page.run()
    assert said(one) in sentences(page.caption)
    click(page, "Add a setting")
    page.run()
    assert not any(one.title.en in sentence for sentence in sentences(page.caption))
    assert any(
        "decides what a model is sent" in sentence
        for sentence in sentences(page.caption)
    )


def test_all_ten_are_listed_once_somebody_opens_the_list() -> None:
    page = open_page("compare")
    assert not any("1. " in button.label for button in page.button)
    page.session_state["lost-0"] = True  # somebody opened it
    page.run()
    page_of(page)
    titles = [
        button.label.strip("*")
        for button in page.button
        if button.key and button.key.startswith("show-effect-")
    ]
    assert titles == [
        f"{number}. {one.title.en}" for number, one in enumerate(EFFECTS, 1)
    ]
    assert {one.text.en for one in EFFECTS} <= set(sentences(page.caption))
    assert list(token_lines(page)) == [
        "Full buffer",
        "Sliding window · 10 messages",
        "Summary buffer · 1,500 tokens · 120 words",
    ]
