"""Pictures that are kept with a run."""

from __future__ import annotations

import gc
import weakref

import plotly.graph_objects as go
import pytest

from memviz.dashboard.charts.requests.composition import composition
from memviz.dashboard.ui.controls.pictures import kept_figure
from memviz.engine.run import Run
from tests.dashboard.charts.runs import run_of


def test_a_picture_is_drawn_once_for_the_same_run_and_options() -> None:
    drawn: list[int] = []

    def draw(run: Run, turn: int, *, height: int = 400) -> go.Figure:
        drawn.append(turn)
        return composition(run).update_layout(height=height)

    run = run_of()
    first = kept_figure(run, draw, run, 2)
    assert kept_figure(run, draw, run, 2) is first
    assert drawn == [2]
    assert (
        kept_figure(run, draw, run, 2, height=300).to_dict()["layout"]["height"] == 300
    )
    assert kept_figure(run, draw, run, 3) is not first
    assert kept_figure(run_of(), draw, run, 2) is not first, "another run keeps its own"
    assert drawn == [2, 2, 3, 2]


def test_it_is_the_same_picture() -> None:
    run = run_of()
    kept, drawn = kept_figure(run, composition, run), composition(run)
    assert kept.to_dict() == drawn.to_dict()
    assert kept.to_dict() is kept.to_dict(), "made once"


@pytest.mark.slow
def test_it_goes_with_its_run() -> None:
    run = run_of()
    kept_figure(run, composition, run)
    gone = weakref.ref(run)
    del run
    gc.collect()
    assert gone() is None
