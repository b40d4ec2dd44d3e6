"""The line that says whose summaries a page's figures rest on."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.models.base import Model
from memviz.models.registry import OFFLINE
from memviz.models.scripted import ScriptedModel
from memviz.ui.controls.grounds import ALL_STAND_IN, WITH_RECORDINGS
from memviz.ui.controls.pickers import RECORDED_FIRST, SUMMARIZER, name_key
from tests.engine.probes import talk
from tests.models.recordings.recorded import a_recording_of, played


def page(settings: list, chosen: str) -> None:  # type: ignore[type-arg]  # runs as a script of its own
    import streamlit as st

    from memviz.ui.controls.grounds import summaries_by
    from memviz.ui.controls.pickers import SUMMARIZER, name_key

    st.session_state.setdefault(name_key(SUMMARIZER), chosen)
    summaries_by(settings)


def setting_of(id: str, model: Model | str = OFFLINE) -> SettingRun:
    return SettingRun(memviz.replay(talk(40), memviz.strategy(id), model=model), "label", 0)


def recorded() -> Model:
    return played(a_recording_of(talk(40), memviz.strategy("summary")))


def seen(settings: list[SettingRun], chosen: str = RECORDED_FIRST) -> AppTest:
    session = AppTest.from_function(page, kwargs={"settings": settings, "chosen": chosen}).run()
    assert not session.exception
    return session


@pytest.mark.parametrize(
    ("models", "badges", "buttons"),
    [
        ([OFFLINE], ["offline stand-in"], []),
        ([ScriptedModel(["text"] * 99)], ["live"], []),
        ([recorded()], ["recorded"], [ALL_STAND_IN]),
        ([recorded(), OFFLINE], ["recorded", "offline stand-in"], [ALL_STAND_IN]),
    ],
)
def test_one_line_says_who_wrote(models: list[Model | str], badges: list[str], buttons: list[str]) -> None:
    session = seen([setting_of("summary", model) for model in models])
    assert len(session.caption) == 1
    shown = " ".join(markdown.value for markdown in session.markdown)
    assert [name for name in ("recorded", "offline stand-in", "live") if f"badge[{name}]" in shown] == badges
    assert [button.label for button in session.button] == buttons


def test_nothing_where_nothing_was_summarized() -> None:
    session = seen([setting_of("window")])
    assert not session.caption
    assert not session.button


def test_a_click_chooses_the_stand_in_for_all_and_another_the_recordings_again() -> None:
    session = seen([setting_of("summary", recorded())])
    session.button[0].click().run()
    assert session.session_state[name_key(SUMMARIZER)] == OFFLINE
    session = seen([setting_of("summary")], chosen=OFFLINE)
    (back,) = session.button
    assert back.label == WITH_RECORDINGS
    back.click().run()
    assert session.session_state[name_key(SUMMARIZER)] == RECORDED_FIRST
