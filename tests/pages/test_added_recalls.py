"""Compare: turns recalled into the requests of chosen turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import memviz
from memviz.core.conversation import Log
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.engine.replay import begin_replay
from memviz.engine.setting import Setting
from memviz.storage.store import Store
from memviz.strategies.base import Trigger
from memviz.transcripts.samples import sample
from tests.pages.driving import (
    blocks,
    click,
    figures,
    labelled,
    numbers,
    open_page,
    page_of,
    request_as_json,
    sentences,
    token_lines,
    walk_to,
)
from tests.storage.stored_runs import stored_runs

pytestmark = pytest.mark.one_library

BUFFER, WINDOW, SUMMARY = (
    "Full buffer",
    "Sliding window · 10 messages",
    "Summary buffer · 1,500 tokens · 120 words",
)
INTO = 30
FIRST_TURN = sample("trip").messages[:2]


@pytest.fixture
def compare() -> AppTest:
    return open_page("compare")


def add(
    session: AppTest, turns: str, into: int = INTO, uid: int | None = None
) -> AppTest:
    """Fill the panel in, and add."""
    labelled(session.number_input, "Into the request of turn").set_value(into)
    labelled(session.selectbox, "For").select("all settings" if uid is None else uid)
    labelled(session.text_input, "Turns to bring back").set_value(turns)
    return (
        next(button for button in session.button if button.label == "Add").click().run()
    )


def recall_marks(session: AppTest) -> dict[str, dict[str, Any]]:
    """The marks of recalls on the first chart, by setting."""
    traces = figures(session)[0]["data"]
    return {
        t["name"].removesuffix(" recalls"): t
        for t in traces
        if t["name"].endswith(" recalls")
    }


def listed(session: AppTest) -> list[str]:
    """What the panel says is recalled."""
    return [
        sentence for sentence in sentences(session.markdown) if " gets turn" in sentence
    ]


def cost_of_first_turn() -> int:
    """Tokens by which a request grows that the first turn is recalled into."""
    count = memviz.counter("o200k_base")
    return sum(count(message.content) + 4 for message in FIRST_TURN)


def grown(
    before: dict[str, list[float]], after: dict[str, list[float]]
) -> dict[str, dict[int, float]]:
    """By how many tokens which turns grew, by setting; the others are left out."""
    differences = {
        label: {
            turn: new - old
            for turn, (old, new) in enumerate(
                zip(before[label], after[label], strict=True), 1
            )
        }
        for label in before
    }
    return {
        label: {turn: by for turn, by in found.items() if by}
        for label, found in differences.items()
    }


@pytest.mark.slow
def test_a_recall_for_all_settings_costs_what_it_brings_back_until_it_is_removed(
    compare: AppTest,
) -> None:
    before = token_lines(compare)
    for turns, said in (
        ("", "Name the turns"),
        (f"1, {INTO + 1}-99", f"Turn {INTO + 1} does not come before turn {INTO}"),
    ):
        add(compare, turns)
        (sentence,) = sentences(compare.error)
        assert said in sentence
        assert not listed(compare)
        assert token_lines(compare) == before

    add(compare, "1")
    assert not compare.error
    more = {INTO: cost_of_first_turn()}
    lines = token_lines(compare)
    assert grown(before, lines) == {BUFFER: {}, WINDOW: more, SUMMARY: more}
    assert listed(compare) == [f"Turn {INTO} gets turn 1, all settings"]
    assert labelled(compare.text_input, "Turns to bring back").value == ""
    marks = recall_marks(compare)
    assert set(marks) == {WINDOW, SUMMARY}  # the full buffer sends it anyway
    for label, trace in marks.items():
        assert trace["marker"]["symbol"] == "triangle-down"
        assert trace["marker"]["color"] == PART_COLORS["recalled"]
        assert numbers(trace["x"]) == [INTO]
        # Above it, where no diamond and no ring stands.
        assert numbers(trace["y"])[0] > lines[label][INTO - 1]
        assert f"2 messages of turn 1 into turn {INTO}" in trace["text"][0]

    add(compare, "2", uid=1)
    compare.button(key="added-remove-0").click().run()
    assert listed(compare) == [f"Turn {INTO} gets turn 2, {WINDOW}"]
    compare.button(key="added-remove-0").click().run()
    assert not listed(compare)
    assert not recall_marks(compare)
    assert token_lines(compare) == before


def test_a_recall_for_one_setting_leaves_the_others_as_they_are(
    compare: AppTest,
) -> None:
    before = token_lines(compare)
    add(compare, "1", uid=1)
    more = {INTO: cost_of_first_turn()}
    assert grown(before, token_lines(compare)) == {
        BUFFER: {},
        WINDOW: more,
        SUMMARY: {},
    }
    assert list(recall_marks(compare)) == [WINDOW]
    assert listed(compare) == [f"Turn {INTO} gets turn 1, {WINDOW}"]


@pytest.mark.slow
def test_the_inspector_and_the_areas_show_what_was_recalled(compare: AppTest) -> None:
    add(compare, "1", uid=1)
    walk_to(compare, INTO)
    labelled(compare.selectbox, "Setting").set_value(1).run()
    content = cost_of_first_turn() - 2 * 4
    (block,) = [block for block in blocks(compare) if "<b>Recalled</b>" in block]
    assert f"<b>Recalled</b> {content:,} tokens · 2 messages" in block
    sent = request_as_json(compare)
    assert sent[-3:-1] == [
        message.to_request() for message in FIRST_TURN
    ]  # right before the input
    compare.session_state["compare-parts"] = True  # somebody opened it
    compare.run()
    (area,) = [
        trace for trace in figures(compare)[1]["data"] if trace["name"] == "Recalled"
    ]
    assert {
        turn: tokens for turn, tokens in enumerate(numbers(area["y"]), 1) if tokens
    } == {INTO: content}


@pytest.mark.slow
def test_recalls_go_with_their_conversation_and_their_setting(compare: AppTest) -> None:
    add(compare, "3, 1, 3, 1-2")
    add(compare, "1-3")
    assert listed(compare) == [f"Turn {INTO} gets turns 1, 2 and 3, all settings"]
    labelled(compare.selectbox, "Conversation").select("sample-tutoring").run()
    assert not listed(compare)
    assert not recall_marks(compare)
    labelled(compare.selectbox, "Conversation").select("sample-trip").run()
    assert not listed(compare)

    add(compare, "1", uid=1)
    labelled(compare.number_input, "Window size").set_value(4).run()
    assert listed(compare) == [f"Turn {INTO} gets turn 1, Sliding window · 4 messages"]
    assert list(recall_marks(compare)) == ["Sliding window · 4 messages"]
    add(compare, "2", uid=2)
    compare.button(key="remove-1").click().run()
    assert listed(compare) == [f"Turn {INTO} gets turn 2, {SUMMARY}"]
    assert list(recall_marks(compare)) == [SUMMARY]
    click(compare, "Add a setting")
    assert list(recall_marks(compare)) == [SUMMARY]


@pytest.mark.slow
def test_a_setting_with_recall_switched_off_is_replayed_without(
    compare: AppTest,
) -> None:
    labelled(compare.selectbox, "Strategy").select("summary_only").run()
    labelled(compare.toggle, "Enable recall").set_value(False).run()
    before = token_lines(compare)
    add(compare, "1")
    assert page_of(compare) == "compare"
    assert not compare.error
    more = {INTO: cost_of_first_turn()}
    label = next(iter(before))
    assert grown(before, token_lines(compare)) == {
        label: {},
        WINDOW: more,
        SUMMARY: more,
    }
    assert set(recall_marks(compare)) == {WINDOW, SUMMARY}


@pytest.mark.slow
def test_the_same_recall_is_found_again_in_the_database(
    compare: AppTest, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(compare, "1")
    kept = len(stored_runs(Store(database), "sample-trip"))
    st.cache_resource.clear()  # as after a restart

    def no_more(log: Log, setting: Setting, recalls: Any) -> Any:
        assert setting.strategy.trigger is Trigger.NEVER, "summarized again"
        return begin_replay(log, setting, recalls)

    monkeypatch.setattr("memviz.storage.workspace.begin_replay", no_more)
    again = add(open_page("compare"), "1")
    assert page_of(again) == "compare"
    assert token_lines(again) == token_lines(compare)
    assert set(recall_marks(again)) == {WINDOW, SUMMARY}
    assert len(stored_runs(Store(database), "sample-trip")) == kept
