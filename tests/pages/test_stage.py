"""The stage on Compare: in place of the chart, at the selected request, with the view's readout."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.driving import figures, labelled, open_page, page_of, walk_to


def player(session: AppTest, name: str) -> list[dict[str, Any]]:
    """The data of the players of this name on the page."""
    found = [one for one in session.get("bidi_component") if name in one.proto.component_name]
    return [json.loads(one.proto.json or one.proto.mixed.json) for one in found]


def test_a_switch_shows_the_stage_in_place_of_chart_and_player() -> None:
    compare = open_page("compare")
    assert (len(player(compare, "memviz_player")), len(player(compare, "memviz_stage"))) == (1, 0)
    labelled(compare.button_group, "Stage").set_value("on")
    compare.run()
    (played,) = player(compare, "memviz_stage")
    assert not player(compare, "memviz_player")
    assert not [figure for figure in figures(compare) if figure["layout"].get("uirevision") == "tokens"]
    assert played["settings"][0]["label"] == "Full buffer"
    assert played["facts"], "those of the conversation"
    assert any("Request of turn" in text.value for text in compare.markdown), "the reader stands below"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "measure"), [("compare", "tokens"), ("costs", "dollars"), ("memory_map", "memory")]
)  # fmt: skip
def test_a_link_opens_it_at_its_request_with_the_readout_of_its_view(view: str, measure: str) -> None:
    session = open_page(view, stage="on", turn="13")
    (played,) = player(session, "memviz_stage")
    assert (played["at"], played["measure"]) == (12, measure)
    assert ("usd" in played["settings"][0]["requests"][3]) == (measure == "dollars")
    assert page_of(session) == view


def test_the_frames_are_sent_once_and_where_it_stands_when_it_moves_from_elsewhere() -> None:
    session = open_page("compare", stage="on", turn="13")
    (first,) = player(session, "memviz_stage")
    session.run()
    assert player(session, "memviz_stage") == [first], "the browser has it already"
    walk_to(session, 20)
    (moved,) = player(session, "memviz_stage")
    assert (moved["at"], moved["id"]) == (19, first["id"])
    assert moved["serial"] > first["serial"]
