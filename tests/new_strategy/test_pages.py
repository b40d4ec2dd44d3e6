"""Every page shows a new strategy."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.code_export import Setting, targets
from memviz.transcripts.samples import sample
from tests.new_strategy.conftest import ID, TITLE
from tests.pages.driving import (
    finished,
    labelled,
    open_page,
    page_of,
    say,
    sentences,
    token_lines,
)
from tests.pages.sharing import opened, passed_over, shared
from tests.pages.tuning import only, points, told

LABEL = f"{TITLE} · 3 messages"
QUERY = {
    "conversation": ["sample-trip"],
    "setting": ["buffer", f'{ID} {{"window_size": 3}}'],
    "counter": ["o200k_base"],
    "look": ["1"],
}


def test_a_link_opens_it_on_another_page_of_the_study() -> None:
    """Compare is opened below; the others take their settings as this one does."""
    session = opened("memory_map", QUERY)
    assert not passed_over(session)
    drawn = " ".join(chart.proto.spec for chart in session.get("plotly_chart"))
    said = " ".join(
        str(element.value)
        for element in [*session.markdown, *session.caption, *session.info]
    )
    chosen = " ".join(str(control.options) for control in session.selectbox)
    assert TITLE in drawn + said + chosen


def test_compare_draws_its_tokens_and_shares_it() -> None:
    session = opened("compare", QUERY)
    run = memviz.replay(sample("trip"), memviz.strategy(ID, window_size=3))
    assert token_lines(session)[LABEL] == [turn.total_tokens for turn in run.turns]
    assert shared(session)["setting"] == QUERY["setting"]


def test_it_can_be_chosen_and_its_parameter_changed() -> None:
    session = open_page("compare")
    labelled(session.selectbox, "Strategy").select(ID).run()
    labelled(session.number_input, "Window size").set_value(4).run()
    page_of(session)
    assert f"{TITLE} · 4 messages" in token_lines(session)


def test_compare_opens_its_memory_yaml() -> None:
    session = open_page("compare")
    file = targets()["memory_yaml"].write(Setting(memviz.strategy(ID, window_size=3)))
    labelled(session.file_uploader, "Open a memory.yaml").set_value(
        ("memory.yaml", file.encode(), "text/yaml")
    )
    assert LABEL in token_lines(session.run())


@pytest.mark.slow
def test_tune_tries_it_and_exports_it() -> None:
    session = finished(open_page("tune"))
    assert ID in labelled(session.button_group, "Strategies to try").value
    only(session, ID)
    assert points(session)
    assert TITLE in told(session) + session.header[0].value
    for target in targets():
        labelled(session.button_group, "For").set_value(target)
        session.run()
        page_of(session)
        if target in ("memory_yaml", "memviz_code"):
            assert TITLE in session.code[-1].value
        else:
            assert any(
                f"Export {TITLE}" in plain.replace("\\", "")
                for plain in sentences(session.info)
            )


def test_chat_talks_under_it() -> None:
    session = open_page("chat")
    labelled(session.selectbox, "Strategy").select(ID).run()
    say(session, "My name is Ada.")
    assert page_of(session) == "chat"
    assert len(session.chat_message) == 2


def test_the_library_opens() -> None:
    session: AppTest = open_page("library")
    assert not session.exception
