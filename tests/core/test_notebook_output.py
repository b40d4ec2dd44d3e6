"""Values show themselves with whoever draws them, and stay as they are for everybody else."""

from __future__ import annotations

import pytest

from memviz.core import notebook_output
from memviz.core.notebook_output import NotebookOutput, draw_outputs_with


class Weather(NotebookOutput):
    def __repr__(self) -> str:
        return "Weather()"


@pytest.fixture(autouse=True)
def _drawn_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    before = notebook_output._Drawing.draw
    monkeypatch.setattr(notebook_output._Drawing, "draw", staticmethod(before))


def test_a_value_is_drawn_by_who_said_so() -> None:
    drawn: list[object] = []

    def draw(value: object) -> str:
        drawn.append(value)
        return "<p>rain</p>"

    draw_outputs_with(draw)
    weather = Weather()
    assert weather._repr_html_() == "<p>rain</p>"
    assert drawn == [weather]
    assert repr(weather) == "Weather()"
