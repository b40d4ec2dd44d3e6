"""The line that says whose summaries a page's figures rest on."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.models.registry import OFFLINE
from tests.engine.probes import talk


def page(name: str, settings: list | None) -> None:  # type: ignore[type-arg]  # runs as a script of its own
    from memviz.ui.controls.grounds import summaries_by

    summaries_by(name, settings)  # type: ignore[arg-type]


def settings_of(id: str) -> list[SettingRun]:
    return [SettingRun(memviz.replay(talk(40), memviz.strategy(id)), "label", 0)]


@pytest.mark.parametrize(
    ("name", "settings", "captions"),
    [
        (OFFLINE, None, 1),
        (OFFLINE, settings_of("summary"), 1),
        (OFFLINE, settings_of("window"), 0),  # nothing was summarized
        ("openai/gpt-5-mini", None, 0),
        ("openai/gpt-5-mini", settings_of("summary"), 1),  # it was chosen, and has written nothing yet
    ],
)
def test_one_caption_where_the_offline_model_wrote(name: str, settings: list[SettingRun] | None, captions: int) -> None:
    session = AppTest.from_function(page, kwargs={"name": name, "settings": settings}).run()
    assert not session.exception
    assert len(session.caption) == captions
    assert not captions or ("under *Change*" in session.caption[0].value) == (name == OFFLINE)
