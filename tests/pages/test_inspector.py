"""The inspector shows exactly what a request sent."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.charts.palette import PART_COLORS, PART_TITLES
from memviz.dashboard.ui.controls.block_words import text_tokens
from memviz.dashboard.ui.controls.inspector import in_reading_order as blocks_in_order
from memviz.dashboard.words.authors import message_facts_words
from memviz.dashboard.words.compactions import size_words
from memviz.engine.run import Run
from memviz.metrics.retention.message_facts import summary_facts
from memviz.transcripts.samples import sample
from tests.pages.driving import (
    blocks,
    in_reading_order,
    inspected,
    labelled,
    open_page,
    read_request,
    request_as_json,
    turn_shown,
    walk_to,
)

pytestmark = pytest.mark.one_library


@pytest.fixture
def run() -> Run:
    trip = sample("trip")
    strategy = memviz.strategy(
        "summary_buffer", max_token_limit=1500, summary_words=120
    )
    return memviz.replay(
        list(trip.messages), strategy, system_prompt=trip.system_prompt
    )


@pytest.mark.parametrize("turn", [1, 5, 6, 20, 46])
def test_the_request_of_a_turn_is_shown_exactly(run: Run, turn: int) -> None:
    session = read_request(open_page("compare"))
    walk_to(session, turn)
    messages = run.turns[turn - 1].context.messages
    assert request_as_json(session) == [message.to_request() for message in messages]
    assert inspected(session) == in_reading_order(
        [message.content for message in messages]
    )


def test_it_opens_at_the_first_summary_that_replaced_another_and_says_why_first(
    run: Run,
) -> None:
    session = read_request(open_page("compare"))
    first = next(
        record for record in run.turns if any(c.replaces for c in record.compactions)
    )
    assert turn_shown(session) == first.turn
    bodies = html_of(session)
    (why,) = [body for body in bodies if "memviz-why" in body]
    (compaction,) = first.compactions
    assert f"<b>{compaction.reason}</b>" in why
    assert size_words(compaction, run) in why
    order = [
        next(n for n, body in enumerate(bodies) if f'class="memviz-{part}"' in body)
        for part in ("why", "change", "parts", "block")
    ]
    assert order == sorted(order)


def test_what_changed_in_the_summary_is_said_with_the_facts_that_it_lost(
    run: Run,
) -> None:
    session = read_request(
        open_page("compare", setting='summary_buffer {"max_token_limit": 1500}')
    )
    (change,) = [body for body in html_of(session) if "memviz-change" in body]
    assert "<b>Summary, version 2</b> replaces version 1" in change
    assert "<small>1 fact lost: cashews and pistachios</small>" in change
    assert "<del>" in change
    assert "<ins>" in change


def html_of(session: AppTest) -> list[str]:
    return [
        body
        for element in session.get("html")
        if "<style>" not in (body := unescape(element.proto.body))
    ]


def test_another_setting_shows_its_own_request() -> None:
    session = read_request(open_page("compare"))
    walk_to(session, 9)
    labelled(session.selectbox, "Setting").set_value(1).run()
    trip = sample("trip")
    window = memviz.replay(
        list(trip.messages),
        memviz.strategy("window", window_size=10),
        system_prompt=trip.system_prompt,
    )
    assert turn_shown(session) == 9
    assert request_as_json(session) == [
        message.to_request() for message in window.turns[8].context.messages
    ]


def test_every_part_says_its_tokens(run: Run) -> None:
    session = read_request(open_page("compare"))
    walk_to(session, 20)
    shown = blocks_in_order(run.turns[19])
    assert [block.kind for block in shown] == ["summary", "history", "input", "system"]
    for html, block in zip(blocks(session), shown, strict=True):
        heading = (
            block.tokens - text_tokens(block, run.turns[19])
            if block.kind == "summary"
            else 0
        )
        size = f"{block.tokens - heading:,} tokens" + (
            f" and {heading:,} of its heading" if heading else ""
        )
        assert (
            f"<b>{PART_TITLES[block.kind]}</b> {size} · {len(block.messages)} message"
            in html
        )
        assert PART_COLORS[block.kind] in html
    assert any(
        f"**Request of turn 20** · {run.turns[19].total_tokens:,} tokens" in md.value
        for md in session.markdown
    )
    facts = message_facts_words(summary_facts(run.turns[19], sample("trip").probes))
    notes = [unescape(element.proto.body) for element in session.get("html")]
    assert any(
        f"Of the facts in the messages it stands for: {facts}<" in note
        for note in notes
    )


@pytest.mark.slow
def test_a_long_history_shows_its_end_first_and_all_of_it_on_demand() -> None:
    session = read_request(open_page("compare"))
    labelled(session.selectbox, "Setting").set_value(0).run()
    walk_to(session, 30)
    trip = sample("trip")
    full = memviz.replay(
        list(trip.messages), memviz.strategy("buffer"), system_prompt=trip.system_prompt
    )
    messages = [message.content for message in full.turns[29].context.messages]
    assert request_as_json(session) == [
        message.to_request() for message in full.turns[29].context.messages
    ]
    assert inspected(session) == in_reading_order([messages[0], *messages[-21:]])
    labelled(session.toggle, "Show the").set_value(True).run()
    assert inspected(session) == in_reading_order(messages)
