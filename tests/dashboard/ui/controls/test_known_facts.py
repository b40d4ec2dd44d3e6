"""Which facts a page knows of a conversation without asking anybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from memviz.core.conversation import Log
from memviz.dashboard.ui.controls.known_facts import (
    AT_ONCE_MESSAGES,
    GROWTH_MESSAGES,
    known_facts,
    studied_facts,
)
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.shell import frame
from memviz.dashboard.ui.shell.state import set_widget
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.storage.workspace import DATABASE_VARIABLE, Workspace
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import sample

TYPED = Probe("Colour?", ("blue",), (), "single fact", by_user=True)


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The workspace of the pages, with a database of this test's own."""
    monkeypatch.setenv(DATABASE_VARIABLE, str(tmp_path / "facts.db"))
    st.cache_resource.clear()
    yield frame.workspace()
    st.cache_resource.clear()
    st.session_state.clear()


@pytest.mark.slow
def test_facts_of_the_conversation_else_proposed_ones_and_always_those_typed_in(
    workspace: Workspace,
) -> None:
    trip = sample("trip")
    log = Log(trip.messages)
    set_widget("compare", CompareState("sample-trip"))
    assert known_facts("sample-trip", log) == trip.probes == studied_facts().probes
    (bare,) = workspace.add([replace(trip, probes=())])
    assert known_facts(bare.id, log) == propose_probes(log)
    workspace.add_probe(bare.id, TYPED)
    set_widget("compare", CompareState(bare.id))
    assert (
        known_facts(bare.id, log)
        == (*propose_probes(log), TYPED)
        == studied_facts().probes
    )


def test_proposed_facts_that_were_switched_off_are_known_on_no_page() -> None:
    def script() -> None:
        from dataclasses import replace

        from memviz.dashboard.ui.controls.known_facts import (
            known_facts,
            proposals_key,
            studied_facts,
        )
        from memviz.dashboard.ui.controls.study import CompareState
        from memviz.dashboard.ui.shell.frame import workspace
        from memviz.dashboard.ui.shell.state import set_widget
        from memviz.transcripts.samples import sample

        (bare,) = workspace().add([replace(sample("trip"), probes=())])
        set_widget(proposals_key(bare.id), False)
        set_widget("compare", CompareState(bare.id))
        assert studied_facts().probes == ()
        assert known_facts(bare.id, workspace().conversation(bare.id)[1]) == ()

    session = AppTest.from_function(script, default_timeout=60).run()
    assert not session.exception, session.exception[0].message


def test_a_chat_that_grows_is_read_now_and_then() -> None:
    log = Log(sample("trip").messages)
    read = Log(log[: len(log) - len(log) % GROWTH_MESSAGES])
    assert len(read) < len(log)
    assert known_facts(None, log, grows=True) == propose_probes(read)


def test_a_chat_that_is_not_saved_or_was_deleted_and_one_that_is_long() -> None:
    trip = sample("trip")
    log = Log(trip.messages[:30])
    assert known_facts(None, log) == known_facts("deleted", log)
    assert (
        known_facts(
            None,
            Log(trip.messages * (AT_ONCE_MESSAGES // len(trip.messages) + 2)),
        )
        == ()
    )
