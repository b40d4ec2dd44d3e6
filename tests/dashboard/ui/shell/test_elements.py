"""What visitors read of an error, who have a library each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from memviz.core.errors import MemvizError
from memviz.core.storage_errors import DatabaseAwayError
from memviz.dashboard.lessons.library import bundled_lessons
from memviz.dashboard.ui.controls import paid_replays
from memviz.dashboard.ui.controls.study import Attempt
from memviz.dashboard.ui.lessons import shelf
from memviz.dashboard.ui.shell import elements
from memviz.dashboard.ui.shell.elements import error_words
from memviz.dashboard.ui.tune import paid
from memviz.dashboard.ui.tune.state import Asked
from memviz.tuning.background import BackgroundSweep

AWAY = DatabaseAwayError("postgresql://ana@zebra.internal/class", "10.1.2.3 refused")


@pytest.fixture
def _own_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "has_own_libraries", lambda: True)


def test_whoever_has_the_only_library_reads_where_it_is() -> None:
    assert "zebra.internal" in error_words(AWAY)


@pytest.mark.usefixtures("_own_libraries")
def test_no_visitor_reads_the_address_of_the_database() -> None:
    words = error_words(AWAY)
    assert words.startswith("The database of this server cannot be reached")
    assert "zebra" not in words
    assert error_words(MemvizError("No lesson.")) == "No lesson."


@pytest.mark.usefixtures("_own_libraries")
def test_none_is_read_where_an_error_stands_in_another_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_parts: object) -> None:
        raise AWAY

    of_sweep = paid._problem(
        cast(Asked, SimpleNamespace(settings=(), ids=())),
        cast(BackgroundSweep, SimpleNamespace(error=AWAY, sweep=None)),
    )
    nothing: Any = None
    of_replay = paid_replays._problem(nothing, Attempt(None, nothing, AWAY))
    monkeypatch.setattr("memviz.dashboard.lessons.html.write_html_lesson", fail)
    lesson = next(iter(bundled_lessons().values()))
    of_file = shelf._html(nothing, lesson, "en")
    for words in (of_sweep, of_replay, of_file):
        assert "The database of this server cannot be reached" in words
        assert "zebra" not in words
