"""Which facts a page knows of a conversation without asking anybody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from memviz.core.conversation import Log
from memviz.dashboard.ui.controls.known_facts import (
    AT_ONCE_MESSAGES,
    GROWTH_MESSAGES,
    facts_of,
    known_facts,
)
from memviz.dashboard.ui.controls.study import CompareState
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import sample

TYPED = Probe("Colour?", ("blue",), (), "single fact", by_user=True)


def test_facts_of_the_conversation_else_proposed_ones_and_always_those_typed_in(
    tmp_path: Path,
) -> None:
    workspace, trip = Workspace(tmp_path / "facts.db"), sample("trip")
    log = Log(trip.messages)
    assert (
        known_facts(workspace, "sample-trip", log)
        == trip.probes
        == facts_of(workspace, CompareState("sample-trip")).probes
    )
    (bare,) = workspace.add([replace(trip, probes=())])
    assert known_facts(workspace, bare.id, log) == propose_probes(log)
    workspace.add_probe(bare.id, TYPED)
    assert (
        known_facts(workspace, bare.id, log)
        == (*propose_probes(log), TYPED)
        == facts_of(workspace, CompareState(bare.id)).probes
    )


def test_proposed_facts_that_were_switched_off_are_known_on_no_page(
    tmp_path: Path,
) -> None:
    def script(database: str) -> None:
        from dataclasses import replace

        from memviz.dashboard.ui.controls.known_facts import (
            facts_of,
            known_facts,
            proposals_key,
        )
        from memviz.dashboard.ui.controls.study import CompareState
        from memviz.dashboard.ui.shell.state import set_widget
        from memviz.storage.workspace import Workspace
        from memviz.transcripts.samples import sample

        workspace = Workspace(database)
        (bare,) = workspace.add([replace(sample("trip"), probes=())])
        set_widget(proposals_key(bare.id), False)
        assert facts_of(workspace, CompareState(bare.id)).probes == ()
        assert known_facts(workspace, bare.id, workspace.conversation(bare.id)[1]) == ()

    session = AppTest.from_function(
        script, args=(str(tmp_path / "facts.db"),), default_timeout=60
    ).run()
    assert not session.exception, session.exception[0].message


def test_a_chat_that_grows_is_read_now_and_then(tmp_path: Path) -> None:
    workspace, log = Workspace(tmp_path / "facts.db"), Log(sample("trip").messages)
    read = Log(log[: len(log) - len(log) % GROWTH_MESSAGES])
    assert len(read) < len(log)
    assert known_facts(workspace, None, log, grows=True) == propose_probes(read)


def test_a_chat_that_is_not_saved_or_was_deleted_and_one_that_is_long(
    tmp_path: Path,
) -> None:
    workspace, trip = Workspace(tmp_path / "facts.db"), sample("trip")
    log = Log(trip.messages[:30])
    assert known_facts(workspace, None, log) == known_facts(workspace, "deleted", log)
    assert (
        known_facts(
            workspace,
            None,
            Log(trip.messages * (AT_ONCE_MESSAGES // len(trip.messages) + 2)),
        )
        == ()
    )
