"""Which recording plays which run: one that plays only by its name waits until somebody chooses it."""

from __future__ import annotations

from dataclasses import replace

import memviz
from memviz.models.names import OFFLINE, RECORDING
from memviz.models.recordings.files import read_recording, write_recording
from memviz.storage.workspace import FIRST_SAMPLE, RunKey, Workspace
from memviz.strategies.base import Strategy
from memviz.transcripts.samples import sample
from tests.models.recordings.recorded import a_recording_of
from tests.tables import for_each

TRIP = sample("trip")
UNRECORDED = memviz.strategy("summary", buffer_size=6)
LONGER = memviz.strategy("summary", buffer_size=6, summary_words=120)


def opened(only_by_name: bool, *strategies: Strategy) -> Workspace:
    """A workspace with one more recording, of settings that no bundled one holds."""
    made = a_recording_of(TRIP, *strategies, probes=TRIP.probes[:1])
    named = replace(made, about=replace(made.about, only_by_name=only_by_name))
    workspace = Workspace(":memory:")
    workspace.open_recording(write_recording(named).encode(), "second.recording")
    return workspace


def key_of(strategy: Strategy) -> RunKey:
    return RunKey(FIRST_SAMPLE, strategy, "o200k_base", OFFLINE)


@for_each("only_by_name", [False, True])
def test_the_file_says_whether_it_plays_unasked(only_by_name: bool) -> None:
    workspace = opened(only_by_name, UNRECORDED)
    shelf, log = workspace.recordings, workspace.conversation(FIRST_SAMPLE)[1]
    unasked = RECORDING + "second"
    assert workspace.recorded_for(key_of(UNRECORDED)) == (
        OFFLINE if only_by_name else unasked
    )
    assert (
        UNRECORDED in shelf.settings_of(TRIP, log, "o200k_base")
    ) is not only_by_name
    assert ("second" in shelf.only_by_name) is only_by_name
    assert shelf.plays(unasked, TRIP, log, UNRECORDED, "o200k_base"), (
        "whoever names it gets it"
    )
    assert UNRECORDED in shelf.settings_of(TRIP, log, "o200k_base", "second")


def test_no_question_is_answered_by_one_that_nobody_chose() -> None:
    request = next(
        iter(opened(False, UNRECORDED).recordings.opened["second"].replies.values())
    ).request
    assert (
        opened(False, UNRECORDED).recordings.first().complete(request.messages).recorded
    )
    assert (
        not opened(True, UNRECORDED)
        .recordings.first()
        .complete(request.messages)
        .recorded
    )


def test_a_run_that_names_it_is_played() -> None:
    workspace = opened(True, UNRECORDED)
    key = replace(key_of(UNRECORDED), summarizer=RECORDING + "second")
    run = workspace.run(key, workspace.free_summarizer(key))
    assert all(one.recorded and one.error is None for one in run.compactions)


def test_the_writers_of_a_memory_are_those_of_every_recording_at_every_length() -> None:
    workspace = opened(True, LONGER, UNRECORDED)
    talk = workspace.conversation(FIRST_SAMPLE)
    found = workspace.recordings.writers_of(*talk, LONGER, "o200k_base")
    assert found == [(RECORDING + "second", UNRECORDED), (RECORDING + "second", LONGER)]
    eight = memviz.strategy("summary", buffer_size=8)
    names = {
        name for name, _ in workspace.recordings.writers_of(*talk, eight, "o200k_base")
    }
    assert RECORDING + "trip" in names
    assert RECORDING + "second" not in names


def test_a_file_that_does_not_say_it_plays_unasked() -> None:
    text = write_recording(a_recording_of(TRIP, UNRECORDED))
    assert "only_by_name" not in text
    assert not read_recording(text.encode()).about.only_by_name
