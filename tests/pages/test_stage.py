"""The stage on Compare: in place of the chart, at the selected request, with the view's readout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.engine.chat import Chat
from memviz.storage.store import Store
from memviz.storage.workspace import Workspace
from tests.pages.driving import (
    figures,
    labelled,
    open_page,
    page_of,
    read_request,
    walk_to,
)


def player(session: AppTest, name: str) -> list[dict[str, Any]]:
    """The data of the players of this name on the page."""
    found = [
        one for one in session.get("bidi_component") if name in one.proto.component_name
    ]
    return [json.loads(one.proto.json or one.proto.mixed.json) for one in found]


@pytest.mark.slow
def test_a_switch_shows_the_stage_in_place_of_chart_and_player() -> None:
    compare = open_page("compare")
    assert (
        len(player(compare, "memviz_player")),
        len(player(compare, "memviz_stage")),
    ) == (1, 0)
    labelled(compare.button_group, "Animation").set_value("on")
    compare.run()
    (played,) = player(compare, "memviz_stage")
    assert not player(compare, "memviz_player")
    assert not [
        figure
        for figure in figures(compare)
        if figure["layout"].get("uirevision") == "tokens"
    ]
    assert played["settings"][0]["label"] == "Full buffer"
    assert played["facts"], "those of the conversation"
    read_request(compare)
    assert any("Request of turn" in text.value for text in compare.markdown), (
        "the reader stands below"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "measure"),
    [("compare", "tokens"), ("costs", "dollars"), ("memory_map", "memory")],
)
def test_a_link_opens_it_at_its_request_with_the_readout_of_its_view(
    view: str, measure: str
) -> None:
    session = open_page(view, stage="on", turn="13")
    (played,) = player(session, "memviz_stage")
    assert (played["at"], played["measure"]) == (12, measure)
    assert ("usd" in played["settings"][0]["requests"][3]) == (measure == "dollars")
    assert page_of(session) == view


def test_the_frames_are_sent_once_and_where_it_stands_when_it_moves_from_elsewhere() -> (
    None
):
    session = open_page("compare", stage="on", turn="13")
    (first,) = player(session, "memviz_stage")
    session.run()
    assert player(session, "memviz_stage") == [first], "the browser has it already"
    walk_to(session, 20)
    (moved,) = player(session, "memviz_stage")
    assert (moved["at"], moved["id"]) == (19, first["id"])
    assert moved["serial"] > first["serial"]


def test_a_chat_that_was_held_is_played_beside_the_settings() -> None:
    workspace, chat = Workspace(), Chat(memviz.strategy("summary", buffer_size=1))
    for number in range(4):
        chat.send(f"My code number {number} is QX{number}R.")
    id = workspace.new_chat(chat)
    workspace.save_chat(id, chat, "offline")
    session = open_page("compare", conversation=id, stage="on")
    (played,) = player(session, "memviz_stage")
    held = played["settings"][-1]
    assert held["label"].startswith("Chat as it was held")
    assert len(held["requests"]) == len(played["steps"]) == 4
    assert any(
        event["kind"] == "summarized"
        for request in held["requests"]
        for event in request.get("events", ())
    )


def test_of_a_free_run_each_lane_is_built_of_its_own_messages(database: Path) -> None:
    said = [
        memviz.Message(role, text)
        for asked in ("I am Ann.", "Who am I?")
        for role, text in (("user", asked), ("assistant", "Well."))
    ]
    id = Store(database).add_conversation(
        memviz.Transcript(tuple(said), title="Short", format="messages")
    )
    session = open_page("compare", conversation=id, stage="on", replies="free-run")
    assert not player(session, "memviz_stage"), "nothing was answered yet"
    session.button(key="free-run").click().run()
    (played,) = player(session, "memviz_stage")
    lanes = [
        setting["messages"] or played["messages"] for setting in played["settings"]
    ]
    answers = [
        said for lane in lanes for role, _, said, _ in lane if role == "assistant"
    ]
    assert answers
    assert "Well." not in answers
