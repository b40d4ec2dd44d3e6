"""Which facts a page knows of a conversation without asking anybody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memviz.conversation import Log
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.transcripts.base import Probe
from memviz.transcripts.samples import sample
from memviz.ui.controls.known_facts import AT_ONCE_MESSAGES, GROWTH_MESSAGES, known_facts
from memviz.workspace import Workspace

TYPED = Probe("Colour?", ("blue",), (), "single fact", by_user=True)


def test_facts_of_the_conversation_else_proposed_ones_and_always_those_typed_in(tmp_path: Path) -> None:
    workspace, trip = Workspace(tmp_path / "facts.db"), sample("trip")
    log = Log(trip.messages)
    assert known_facts(workspace, "sample-trip", log) == trip.probes
    (bare,) = workspace.add([replace(trip, probes=())])
    read = Log(log[: len(log) - len(log) % GROWTH_MESSAGES])
    assert known_facts(workspace, bare.id, log) == propose_probes(read)
    workspace.add_probe(bare.id, TYPED)
    assert known_facts(workspace, bare.id, log) == (*propose_probes(read), TYPED)


def test_a_chat_that_is_not_saved_or_was_deleted_and_one_that_is_long(tmp_path: Path) -> None:
    workspace, trip = Workspace(tmp_path / "facts.db"), sample("trip")
    log = Log(trip.messages[:30])
    assert known_facts(workspace, None, log) == known_facts(workspace, "deleted", log)
    assert known_facts(workspace, None, Log(trip.messages * (AT_ONCE_MESSAGES // len(trip.messages) + 2))) == ()
