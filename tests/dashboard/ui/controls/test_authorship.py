"""The line that says whose summaries a page's figures rest on."""

from __future__ import annotations

from dataclasses import replace

from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.authorship import ALL_STAND_IN, WITH_RECORDINGS
from memviz.dashboard.ui.controls.links import SUMMARIZER
from memviz.dashboard.ui.controls.pickers import name_key
from memviz.models.base import Model
from memviz.models.names import OFFLINE, RECORDED_FIRST
from memviz.models.scripted import ScriptedModel
from tests.engine.probes import talk
from tests.models.recordings.recorded import MODEL, a_recording_of, played
from tests.tables import for_each


def page(settings: list, chosen: str) -> None:  # type: ignore[type-arg]  # runs as a script of its own
    import streamlit as st

    from memviz.dashboard.ui.controls.authorship import say_who_summarized
    from memviz.dashboard.ui.controls.links import SUMMARIZER
    from memviz.dashboard.ui.controls.pickers import name_key

    st.session_state.setdefault(name_key(SUMMARIZER), chosen)
    say_who_summarized(settings)


def setting_of(id: str, model: Model | str = OFFLINE) -> SettingRun:
    return SettingRun(
        memviz.replay(talk(40), memviz.strategy(id), model=model), "label", 0
    )


def recorded() -> Model:
    return played(a_recording_of(talk(40), memviz.strategy("summary")))


def seen(settings: list[SettingRun], chosen: str = RECORDED_FIRST) -> AppTest:
    session = AppTest.from_function(
        page, kwargs={"settings": settings, "chosen": chosen}
    ).run()
    assert not session.exception
    return session


@for_each(
    ("models", "told", "buttons"),
    [
        (
            [OFFLINE],
            "gray-badge[built-in model] which quotes; a language model words them differently.",
            [],
        ),
        ([ScriptedModel(["text"] * 99)], "green-badge[live] by scripted.", []),
        (
            [recorded()],
            f"blue-badge[recorded · {MODEL}] for exactly this conversation and setting.",
            [],
        ),
        (
            [recorded(), OFFLINE],
            f"blue-badge[recorded · {MODEL}]; :gray-badge[built-in model] under label: compare with care.",
            [ALL_STAND_IN],
        ),
        (
            [recorded(), OFFLINE, OFFLINE],
            f"blue-badge[recorded · {MODEL}]; :gray-badge[built-in model] under 2 settings: compare with care.",
            [ALL_STAND_IN],
        ),
    ],
)
def test_one_line_says_who_wrote(
    models: list[Model | str], told: str, buttons: list[str]
) -> None:
    settings = [setting_of("summary", model) for model in models]
    session = seen(settings)
    (line,) = session.caption
    assert line.value.replace("\\", "") == f"Summaries: :{told}"
    assert [button.label for button in session.button] == buttons
    assert all(button.proto.type == "secondary" for button in session.button)


def test_of_a_recording_that_lacks_summaries_of_the_setting_it_does_not_say_that_it_was_made_for_it() -> (
    None
):
    session = seen([setting_of("summary", recorded())])
    assert session.caption[0].value.endswith(
        "for exactly this conversation and setting."
    )
    whole = a_recording_of(talk(40), memviz.strategy("summary"))
    holed = replace(whole, replies=dict(list(whole.replies.items())[:1]))
    session = seen([setting_of("summary", played(holed))])
    assert session.caption[0].value.endswith("for exactly these requests.")


def test_nothing_where_nothing_was_summarized() -> None:
    session = seen([setting_of("window")])
    assert not session.caption
    assert not session.button


def test_a_click_chooses_the_stand_in_for_all_and_another_the_recordings_again() -> (
    None
):
    session = seen([setting_of("summary", recorded()), setting_of("summary")])
    session.button[0].click().run()
    assert session.session_state[name_key(SUMMARIZER)] == OFFLINE
    session = seen([setting_of("summary")], chosen=OFFLINE)
    (back,) = session.button
    assert back.label == WITH_RECORDINGS
    back.click().run()
    assert session.session_state[name_key(SUMMARIZER)] == RECORDED_FIRST
