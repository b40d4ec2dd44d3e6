"""What a kept step shows is what the page showed, and what differs is said."""

from __future__ import annotations

from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.lessons.keep_step import MEASURES, differences

RECORDED = ModelChoice(recorded_first=True)


def test_what_a_lesson_shows_otherwise_is_said() -> None:
    state = CompareState("sample-trip")
    assert list(differences(state, RECORDED)) == []
    (stand_in,) = differences(state, ModelChoice())
    assert "recorded summaries" in stand_in
    state.free_run = True
    (free,) = differences(state, RECORDED)
    assert "free run" in free


def test_lanes_say_what_the_view_is_about() -> None:
    assert MEASURES == {"dollars": "dollars", "memory_map": "memory"}
