"""What a request rests on: one rule for the versions that all views of Facts show at the selected turn."""

from __future__ import annotations

import pytest

import memviz
from memviz import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn
from memviz.metrics.requests.request_places import (
    find_event_at,
    find_request,
    find_request_number,
    list_changed_places,
)
from memviz.transcripts.samples import sample
from tests.tool_talk import tool_talk


@pytest.fixture(
    scope="module",
    params=[
        "summary_buffer",
        "summary",
        "recent_only",
        "summary_only",
        "chat_summary_buffer",
    ],
)
def run(request: pytest.FixtureRequest) -> Run:
    return memviz.replay(sample("trip"), memviz.strategy(str(request.param)))


def test_the_event_of_a_turn_is_the_last_one_that_was_made_for_its_request_or_before(
    run: Run,
) -> None:
    made = -1
    for record in run.turns:
        made += len(record.compactions)
        assert find_event_at(run, record.turn) == (made if made >= 0 else None)
        assert (
            record.memory.summary_count == 0
            or run.compactions[made].written is not None
        )


def test_a_chosen_event_is_shown_at_its_turn_and_not_beyond_the_next(run: Run) -> None:
    turns = [turn for turn, _ in list_changed_places(run)]
    for number, turn in enumerate(turns):
        assert find_event_at(run, turn, number) == number
        later = next((at for at in turns if at > turn), None)
        if later is not None and later <= run.turns[-1].turn:
            assert find_event_at(run, later, number) != number
            assert find_event_at(run, later - 1, number) == number


def test_an_attempt_that_failed_leaves_the_version_before_in_force() -> None:
    writer = memviz.ScriptedModel(
        ["First.", *(memviz.ModelError("down") for _ in range(999))]
    )
    run = memviz.replay(
        sample("trip"),
        memviz.strategy("summary_buffer", max_token_limit=700),
        model=writer,
    )
    assert [compaction.written is not None for compaction in run.compactions[:2]] == [
        True,
        False,
    ]
    turns = [turn for turn, _ in list_changed_places(run)]
    assert find_event_at(run, turns[1]) == 0
    assert find_event_at(run, turns[1], 1) == 1


class TestToolLoops:
    """Turns of several calls of the model."""

    def run(self) -> Run:
        return memviz.replay(
            tool_talk(1, 4, 2, 5),
            memviz.strategy("summary_buffer", max_token_limit=90),
            model=memviz.model("offline"),
        )

    def test_a_request_is_found_by_turn_and_call(self) -> None:
        run = self.run()
        for number, record in enumerate(run.requests):
            assert find_request_number(run, record.turn, record.call) == number
            assert find_request(run, record.turn, record.call) is record
        assert (
            find_request_number(run, 2)
            == find_request_number(run, 2, 4)
            == find_request_number(run, 2, 99)
            == 4
        )
        assert find_request_number(run, 5) is find_request(run, 5, 1) is None

    def test_each_request_rests_on_what_was_summarized_for_it_or_before(self) -> None:
        run, made = self.run(), -1
        assert any(record.compactions and record.call > 1 for record in run.requests)
        for record in run.requests:
            made += len(record.compactions)
            assert find_event_at(run, record.turn, None, record.call) == (
                made if made >= 0 else None
            )

    def test_a_compaction_leads_to_the_first_request_that_it_changed(self) -> None:
        run = self.run()
        for compaction, (turn, call) in zip(
            run.compactions, list_changed_places(run), strict=True
        ):
            number = run.request_number(compaction)
            assert find_request_number(run, turn, call) == (
                len(run.requests) - 1 if number is None else number
            )
            assert call is None or call < len(find_numbers_of_turn(run, turn))
