"""How many calls of the model the conversations in a list took."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings

from memviz import Message
from memviz.core.conversation import Log
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Transcript
from tests.strategies.conversations import conversations


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(messages=conversations())
def test_it_is_that_of_the_log(tmp_path: Path, messages: list[Message]) -> None:
    workspace = Workspace(tmp_path / "memviz.db")
    (entry,) = workspace.add([Transcript(tuple(messages))])
    assert workspace.request_count(entry) == Log(messages).request_count
