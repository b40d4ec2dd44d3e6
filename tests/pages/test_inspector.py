"""The inspector shows exactly what a request sent."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.charts.palette import PART_COLORS, PART_TITLES
from memviz.engine.run import Run
from memviz.metrics.retention.message_facts import message_facts_words, summary_facts
from memviz.transcripts.samples import sample
from tests.pages.driving import blocks, inspected, labelled, open_page, request_as_json, sentences


@pytest.fixture
def run() -> Run:
    trip = sample("trip")
    strategy = memviz.strategy("summary_buffer", max_token_limit=1500)
    return memviz.replay(list(trip.messages), strategy, system_prompt=trip.system_prompt)


@pytest.mark.parametrize("turn", [1, 5, 6, 20, 46])
def test_the_request_of_a_turn_is_shown_exactly(run: Run, turn: int) -> None:
    session = open_page("compare")
    session.select_slider[0].set_value(turn).run()
    messages = run.turns[turn - 1].context.messages
    assert request_as_json(session) == [message.to_request() for message in messages]
    assert inspected(session) == [message.content for message in messages]


def test_it_opens_at_the_last_request_that_was_summarized_for(run: Run) -> None:
    session = open_page("compare")
    last = next(record for record in reversed(run.turns) if record.compactions)
    assert session.select_slider[0].value == last.turn
    reasons = [compaction.reason for compaction in last.compactions]
    assert [reason for reason in reasons if any(reason in label for label in expander_labels(session))] == reasons


def expander_labels(session: AppTest) -> list[str]:
    return [expander.label.replace("\\", "") for expander in session.expander]


def test_another_setting_shows_its_own_request() -> None:
    session = open_page("compare")
    session.select_slider[0].set_value(9).run()
    labelled(session.button_group, "Setting").set_value(1).run()
    trip = sample("trip")
    window = memviz.replay(
        list(trip.messages), memviz.strategy("window", window_size=10), system_prompt=trip.system_prompt
    )
    assert session.select_slider[0].value == 9
    assert request_as_json(session) == [message.to_request() for message in window.turns[8].context.messages]


def test_every_part_says_its_tokens(run: Run) -> None:
    session = open_page("compare")
    session.select_slider[0].set_value(20).run()
    for html, block in zip(blocks(session), run.turns[19].context.blocks, strict=True):
        assert f"<b>{PART_TITLES[block.kind]}</b> {block.tokens:,} tokens · {len(block.messages)} message" in html
        assert PART_COLORS[block.kind] in html
    assert any(f"Request of turn 20, {run.turns[19].total_tokens:,} tokens" in md.value for md in session.markdown)
    facts = message_facts_words(summary_facts(run.turns[19], sample("trip").probes))
    assert f"Of the facts in the messages it stands for: {facts}" in sentences(session.caption)


def test_a_long_history_shows_its_end_first_and_all_of_it_on_demand() -> None:
    session = open_page("compare")
    labelled(session.button_group, "Setting").set_value(0).run()
    session.select_slider[0].set_value(30).run()
    trip = sample("trip")
    full = memviz.replay(list(trip.messages), memviz.strategy("buffer"), system_prompt=trip.system_prompt)
    messages = [message.content for message in full.turns[29].context.messages]
    assert request_as_json(session) == [message.to_request() for message in full.turns[29].context.messages]
    assert inspected(session) == [messages[0], *messages[-21:]]
    labelled(session.toggle, "Show the").set_value(True).run()
    assert inspected(session) == messages
