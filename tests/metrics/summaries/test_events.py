"""Who wrote the summaries of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Chat, Model, Recall, Run, ScriptedModel, Strategy
from memviz.dashboard.words.compactions import (
    compaction_words,
    request_words,
    turn_words,
)
from memviz.metrics.requests.request_axis import list_request_turns, make_axis
from memviz.metrics.summaries.events import (
    count_request_sizes,
    has_offline_summary,
    list_compaction_events,
)
from memviz.models.names import OFFLINE
from memviz.models.registry import model
from tests.engine.probes import REPRESENTATIVES, talk
from tests.metrics.random_probes import runs

RULE = memviz.strategy("summary", buffer_size=2)


def run_by(summarizer: Model | None, setting: Strategy = RULE) -> Run:
    return memviz.replay(talk(9), setting, model=summarizer)


def test_the_offline_model_is_named_where_it_wrote_a_summary() -> None:
    assert has_offline_summary(run_by(model(OFFLINE)))


def test_another_summarizer_or_none_at_all_is_not() -> None:
    assert not has_offline_summary(run_by(ScriptedModel(["summary"] * 9)))
    assert not has_offline_summary(run_by(model(OFFLINE), memviz.strategy("window")))
    assert not has_offline_summary(run_by(None))


def test_a_summary_that_the_user_reworded_is_the_users() -> None:
    run = run_by(model(OFFLINE))
    reworded = [replace(one, proposed="as it was proposed") for one in run.compactions]
    assert not has_offline_summary(replace(run, compactions=tuple(reworded)))


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_a_compaction_belongs_to_the_request_that_it_changed_first(
    id: str, data: st.DataObject
) -> None:
    run = data.draw(runs(id))
    for record in run.requests:
        assert [run.request_turn(one) for one in record.compactions] == [
            record.turn
        ] * len(record.compactions)
        sizes = [count_request_sizes(one, run) for one in record.compactions]
        assert [one.after_tokens for one in sizes[:-1]] == [
            one.before_tokens for one in sizes[1:]
        ]
        assert [one.after_tokens for one in sizes[-1:]] == [record.total_tokens] * bool(
            sizes
        )
    recorded = sum(len(record.compactions) for record in run.requests)
    waits = run.log.pending.turn if run.log.pending else None
    assert all(run.request_turn(one) == waits for one in run.compactions[recorded:])


def place_before(run: Run, number: int) -> int:
    """The place of the request before this one, 0 where none was."""
    places = make_axis([run]).places(list_request_turns(run))
    return int(places[number - 1]) if number else 0


@pytest.mark.parametrize("id", REPRESENTATIVES)
@given(data=st.data())
def test_events_stand_in_order_between_the_request_before_and_their_own(
    id: str, data: st.DataObject
) -> None:
    run = data.draw(runs(id))
    events, turns, axis = (
        list_compaction_events(run),
        list_request_turns(run),
        make_axis([run]),
    )
    assert [event.place for event in events] == sorted(
        {event.place for event in events}
    )
    for event in events:
        number = run.request_number(event.compaction)
        if number is not None:
            first, last = place_before(run, number), axis.places(turns)[number]
        elif run.log.pending:  # at the place of the open request's turn, or behind it where that has others
            turn = run.log.pending.turn
            first, last = (
                place_before(run, len(turns)),
                axis.last(turn) + 0.5 * (turn in turns),
            )
        else:
            first, last = (
                place_before(run, len(turns)),
                axis.last(run.log.turn_count) + 0.5,
            )
        assert first < event.place <= last
        if number is not None:
            record = run.requests[number]
            assert (event.request or ())[:2] == (
                record.turn,
                record.call,
            )
            assert turn_words(event.compaction, run) == record.name


def test_without_the_compaction_the_request_would_have_been_the_one_of_a_full_buffer() -> (
    None
):
    said = [
        memviz.Message(("user", "assistant")[at % 2], f"message {at} " * 9)
        for at in range(9)
    ]
    run = memviz.replay(
        said, memviz.strategy("summary", buffer_size=2), recalls={3: Recall(turns=[1])}
    )
    full = memviz.replay(said, memviz.strategy("buffer"))
    (record,) = [record for record in run.turns if record.turn == 3]
    (compaction,) = record.compactions
    assert record.parts.recalled
    assert count_request_sizes(compaction, run) == (
        full.turns[2].total_tokens,
        record.total_tokens,
    )
    assert compaction_words(compaction, run).result == (
        f"The request: {full.turns[2].total_tokens:,} → {record.total_tokens:,} tokens"
    )


def test_in_a_chat_the_next_turn_is_named_once_it_is_said() -> None:
    chat = Chat(
        memviz.strategy("recent_only"),
        model=ScriptedModel(["a", "b"]),
        summarizer=ScriptedModel(["s", "t"]),
    )
    chat.send("one")
    (first,) = chat.run.compactions
    assert request_words(first, chat.run) == "after turn 1"
    assert turn_words(first, chat.run) == "after turn 1"
    assert compaction_words(first, chat.run).result.startswith("What is sent next: ")
    chat.send("two")
    assert request_words(first, chat.run) == "before the request of turn 2"
    assert turn_words(first, chat.run) == "turn 2"
    assert chat.run.turns[-1].compactions == (first,)
    assert (
        count_request_sizes(first, chat.run).after_tokens
        == chat.run.turns[-1].total_tokens
    )
