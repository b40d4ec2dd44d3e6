"""What a request rests on: one rule for the versions that all views of Facts show at the selected turn."""

from __future__ import annotations

import pytest

import memviz
from memviz import Run
from memviz.transcripts.samples import sample
from memviz.ui.controls.selected_request import event_at, places_changed


@pytest.fixture(
    scope="module", params=["summary_buffer", "summary", "recent_only", "summary_only", "chat_summary_buffer"]
)
def run(request: pytest.FixtureRequest) -> Run:
    return memviz.replay(sample("trip"), memviz.strategy(str(request.param)))


def test_the_event_of_a_turn_is_the_last_one_that_was_made_for_its_request_or_before(run: Run) -> None:
    made = -1
    for record in run.turns:
        made += len(record.compactions)
        assert event_at(run, record.turn) == (made if made >= 0 else None)
        assert record.memory.summary_count == 0 or run.compactions[made].written is not None


def test_a_chosen_event_is_shown_at_its_turn_and_not_beyond_the_next(run: Run) -> None:
    turns = [turn for turn, _ in places_changed(run)]
    for number, turn in enumerate(turns):
        assert event_at(run, turn, number) == number
        later = next((at for at in turns if at > turn), None)
        if later is not None and later <= run.turns[-1].turn:
            assert event_at(run, later, number) != number
            assert event_at(run, later - 1, number) == number


def test_an_attempt_that_failed_leaves_the_version_before_in_force() -> None:
    writer = memviz.ScriptedModel(["First.", *(memviz.ModelError("down") for _ in range(999))])
    run = memviz.replay(sample("trip"), memviz.strategy("summary_buffer", max_token_limit=700), model=writer)
    assert [compaction.written is not None for compaction in run.compactions[:2]] == [True, False]
    turns = [turn for turn, _ in places_changed(run)]
    assert event_at(run, turns[1]) == 0
    assert event_at(run, turns[1], 1) == 1
