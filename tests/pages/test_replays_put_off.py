"""More settings than a server replays at once for a visitor: those that wait follow by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memviz.core.errors import MemvizError
from memviz.dashboard.ui.controls import replaying
from memviz.dashboard.ui.shell.frame import workspace
from memviz.engine.session import Session
from memviz.storage.limits import Limits
from memviz.storage.workspace import Workspace
from tests.pages.driving import open_address, sentences, token_lines

pytestmark = pytest.mark.one_library
SETTINGS = [f'summary {{"buffer_size": {size}}}' for size in (2, 4, 8)]
WAITING = "replays 1 settings at once"
MOST_RUNS = 60


@pytest.fixture
def _one_at_once() -> Iterator[None]:
    store = workspace().store
    before = store.limits
    store.limits = Limits(1_000, 10**9, replays=1)
    yield
    store.limits = before


def is_waiting(page: AppTest) -> bool:
    return any(WAITING in words for words in sentences(page.info))


@pytest.fixture
def _slow_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every replay fails after the page was drawn."""

    begin = Workspace.begun

    def begun(*parts: Any) -> tuple[Session, Iterator[int]]:
        session, _turns = begin(*parts)

        def fail() -> Iterator[int]:
            sleep(0.1)
            raise MemvizError("No zebra.")
            yield 0

        return session, fail()

    monkeypatch.setattr(Workspace, "begun", begun)
    monkeypatch.setattr(replaying, "AT_ONCE_SECONDS", 0.02)


def draw_again(page: AppTest) -> AppTest:
    """What the page does by itself once a replay is over."""
    sleep(0.3)
    page.session_state[replaying.DRAWN_AGAIN] = True
    return page.run()


@pytest.mark.usefixtures("_one_at_once")
def test_all_settings_are_drawn_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "AT_ONCE_SECONDS", 0.05)
    page = open_address("compare", {"setting": SETTINGS})
    assert is_waiting(page)
    for _run in range(MOST_RUNS):
        if not is_waiting(page) and not page.get("progress"):
            break
        page = draw_again(page)
    assert not is_waiting(page)
    assert len(token_lines(page)) == len(SETTINGS)


@pytest.mark.usefixtures("_one_at_once", "_slow_failures")
def test_replays_that_fail_are_each_said_and_not_begun_for_ever() -> None:
    settings = [f'summary {{"buffer_size": {size}}}' for size in (3, 5, 7)]
    page = open_address("compare", {"setting": settings})
    for _run in range(len(settings) + 1):
        page = draw_again(page)
    assert not is_waiting(page)
    assert not page.get("progress"), "nothing is begun again"
    errors = [words for words in sentences(page.error) if "No zebra" in words]
    assert len(errors) == len(settings)
