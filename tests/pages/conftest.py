"""Every page test has a database and a workspace of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

import memviz
from memviz.core.conversation import Log
from memviz.dashboard.charts import figure
from memviz.dashboard.guide import examples
from memviz.dashboard.ui.chat import deriving
from memviz.dashboard.ui.controls import replaying
from memviz.dashboard.ui.library import importing
from memviz.dashboard.ui.tune import run as sweeping
from memviz.engine import background_replay
from memviz.models.recordings import bundled
from memviz.storage.conversations import Beginning, Loaded, SavedConversations
from memviz.storage.store import Store
from memviz.storage.workspace import DATABASE_VARIABLE, SAMPLE_PREFIX
from memviz.transcripts.samples import bundled as bundled_samples
from tests.models.openai_server import OpenAIServer, openai_server
from tests.pages.driving import TIMEOUT_SECONDS
from tests.pages.free_running import QUESTIONS

_OPEN_LIBRARY: list[Path] = []
"""The library that the tests before have left open for those after them, if they have."""


@pytest.fixture(autouse=True)
def database(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    new_libraries_are_copies: None,
) -> Iterator[Path]:
    """The file of this test's database; the pages create it. Tests of a module that is marked ``one_library`` share
    theirs, with what was replayed in it for one of them. A test that changes what another one reads is marked
    ``one_library(False)``."""
    marker = request.node.get_closest_marker("one_library")
    is_shared = marker is not None and marker.args != (False,)
    path = tmp_path / "memviz.db"
    if is_shared:
        path = _shared_library(request, tmp_path_factory.getbasetemp())
    monkeypatch.setenv(DATABASE_VARIABLE, str(path))
    if [path] != _OPEN_LIBRARY:
        st.cache_resource.clear()
    yield path
    _OPEN_LIBRARY[:] = [path] if is_shared else []
    if not is_shared:
        st.cache_resource.clear()


def _shared_library(request: pytest.FixtureRequest, folder: Path) -> Path:
    """The file of the database of this module: one without and one with recordings."""
    has_recordings = "with_recordings" in request.fixturenames
    name = f"{request.module.__name__}-{has_recordings}".replace(".", "-")
    own = folder / name
    own.mkdir(exist_ok=True)
    return own / "memviz.db"


@pytest.fixture(autouse=True)
def _without_recordings(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages play the bundled recordings only in tests that ask for ``with_recordings``: others compare pages with
    replays of their own, whose summaries are the built-in model's."""
    if "with_recordings" not in request.fixturenames:
        monkeypatch.setattr(bundled, "recordings", dict)
        monkeypatch.setattr(examples, "_example_among", _example_without_recordings)


_example_without_recordings = cache(examples._example_among.__wrapped__)
"""The examples of the guide that are made without recordings are kept apart from those that later tests look at."""


@pytest.fixture(autouse=True)
def _samples_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All visitors of a server share the logs of its samples, with what was counted, found and proposed in them. Here
    all tests of a process do: each has a database of its own, and would begin anew."""
    load = SavedConversations._load

    def load_once(
        saved: SavedConversations, asked: Beginning, changed: datetime
    ) -> Loaded:
        loaded = load(saved, asked, changed)
        log = _log_of_sample(asked.id)
        if log is None or loaded.transcript.messages != tuple(log):
            return loaded
        # The vectors that were paid are each database's own.
        log.kept_vectors = saved.kept_vectors
        return saved._conversations.put(asked, loaded._replace(log=log))

    monkeypatch.setattr(SavedConversations, "_load", load_once)


@cache
def _log_of_sample(id: str) -> Log | None:
    """The log of the bundled conversation that has this id, if one has."""
    sample = bundled_samples().get(id.removeprefix(SAMPLE_PREFIX))
    return None if sample is None else Log(sample.messages)


@pytest.fixture(autouse=True)
def _memory_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each import a server gives memory back. In a process that ran thousands of tests that takes long."""
    monkeypatch.setattr(importing, "give_back", lambda: None)


@pytest.fixture(autouse=True)
def _pages_wait_for_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page waits for its replays, its sweep and its import for a moment, and then shows the part that is done. Beside
    busy processes that moment is over too soon. Tests of such parts set a shorter one."""
    for module in (replaying, deriving, sweeping, importing):
        monkeypatch.setattr(module, "AT_ONCE_SECONDS", TIMEOUT_SECONDS / 4)
    # Else a replay ends for which a page has waited so long.
    monkeypatch.setattr(background_replay, "ABANDONED_SECONDS", TIMEOUT_SECONDS)


@pytest.fixture(autouse=True)
def _figures_are_taken_as_they_are(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plotly checks the figures of pages only in tests that ask for ``checked_figures``: it takes as long as the rest
    of some pages, and the tests of the charts check the figures of each chart."""
    if "checked_figures" not in request.fixturenames:
        monkeypatch.setattr(figure, "VALIDATED", False)


@pytest.fixture
def checked_figures() -> None:
    """A property of a figure that Plotly does not know is an error."""


@pytest.fixture
def with_recordings() -> None:
    """The bundled recordings are there, as on any server."""


_CREATE = PagesManager.__init__


@pytest.fixture(autouse=True)
def _as_on_a_server_that_has_navigated(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest forgets before every run that navigation.py has set up the pages. A server forgets it only
    when it starts; a test that wants that moment uses ``first_visit``."""

    def navigated(self: PagesManager, *arguments: Any, **options: Any) -> None:
        _CREATE(self, *arguments, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", navigated)


@pytest.fixture
def first_visit(
    monkeypatch: pytest.MonkeyPatch, _as_on_a_server_that_has_navigated: None
) -> None:
    """The server has just started: nobody has opened a page yet."""
    monkeypatch.setattr(PagesManager, "__init__", _CREATE)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model behind a real address on this machine."""
    with openai_server() as running:
        yield running


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], str | bytes]]:
    """The writers behind the buttons of the page, by the name of their file; AppTest cannot click such a button."""
    writers: dict[str, Callable[[], str | bytes]] = {}
    offer = st.download_button

    def remembering(label: str, data: object, *args: object, **named: object) -> bool:
        name = str(named.get("file_name") or args[0])
        writers[name] = data if callable(data) else lambda: data  # type: ignore[assignment,return-value]
        return offer(label, data, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(st, "download_button", remembering)
    return writers


@pytest.fixture
def short(database: Path) -> str:
    """A conversation of four turns."""
    messages = [
        memviz.Message(role, said)
        for said in QUESTIONS
        for role, said in (("user", said), ("assistant", "Noted."))
    ]
    return Store(database).add_conversation(
        memviz.Transcript(tuple(messages), title="Short", format="messages")
    )
