"""A model that was chosen on a page can be left by a click at any moment."""

from __future__ import annotations

from time import monotonic

import pytest
from streamlit.testing.v1 import AppTest

from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.models.http_guard import load_litellm
from memviz.models.names import OFFLINE
from tests.models.litellm_calls import HELLO
from tests.models.openai_server import openai_server, slow, text

RUNS: list[str] = []


def page() -> None:
    """Asks a model that says nothing at first. While it waits, the visitor clicks: a run is asked for."""
    from threading import Thread
    from time import sleep

    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from tests.dashboard.ui.controls import test_pickers as here

    here.RUNS.append("began")
    ctx = get_script_run_ctx()
    assert ctx is not None
    assert ctx.script_requests is not None
    server = st.session_state["server"]
    if len(here.RUNS) == 1:

        def click() -> None:
            while not server.requests:
                sleep(
                    0.01
                )  # a loop that never rests would slow the import of litellm down twentyfold
            ctx.script_requests.request_rerun(RerunData())

        Thread(target=click, daemon=True).start()
    choice = here.ModelChoice("openai/x", server.api_base, "a-key", 50.0)
    st.text(choice.build().complete(here.HELLO).text)
    here.RUNS.append("answered")


def test_a_click_ends_the_call_and_the_page_is_drawn_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{__name__}.RUNS", [])
    load_litellm()  # which takes as long as the machine is busy
    with openai_server() as server:
        server.then(slow(50), text("Here I am."))
        session = AppTest.from_function(page, default_timeout=60)
        session.session_state["server"] = server
        started = monotonic()
        session.run()
        assert monotonic() - started < 20
    assert not session.exception
    assert RUNS == ["began", "began", "answered"]
    assert [shown.value for shown in session.text] == ["Here I am."]


def test_the_offline_model_needs_no_thread() -> None:
    assert type(ModelChoice().build()).__name__ == "OfflineModel"
    assert ModelChoice().build().name == OFFLINE
    assert ModelChoice().build().complete(HELLO).text
