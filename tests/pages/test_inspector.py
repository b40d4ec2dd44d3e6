"""The inspector shows exactly what a request sent."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from memviz.dashboard.charts.palette import PART_COLORS, PART_TITLES
from memviz.dashboard.ui.controls.block_words import text_tokens
from memviz.dashboard.ui.controls.inspector import in_reading_order as blocks_in_order
from memviz.dashboard.words.authors import message_facts_words
from memviz.dashboard.words.compactions import size_words
from memviz.engine.run import Run
from memviz.metrics.retention.message_facts import find_summary_facts
from memviz.transcripts.samples import sample
from tests.pages.comparing import FIRST, replayed
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
    return replayed(FIRST["Summary buffer · 1,500 tokens · 120 words"])


def test_it_says_why_first_and_shows_the_request_of_each_turn_and_setting_exactly(
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

    for turn in (1, 5, 6, 46, 20):
        walk_to(session, turn)
        messages = run.turns[turn - 1].context.messages
        sent = [message.to_request() for message in messages]
        assert request_as_json(session) == sent
        contents = [message.content for message in messages]
        assert inspected(session) == in_reading_order(contents)
    every_part_says_its_tokens(session, run)

    labelled(session.selectbox, "Setting").set_value(1).run()
    assert turn_shown(session) == 20
    window = replayed(FIRST["Sliding window · 10 messages"]).turns[19]
    sent = [message.to_request() for message in window.context.messages]
    assert request_as_json(session) == sent


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


def every_part_says_its_tokens(session: AppTest, run: Run) -> None:
    """Of the request of turn 20."""
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
    facts = message_facts_words(
        find_summary_facts(run.turns[19], sample("trip").probes)
    )
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
    full = replayed(FIRST["Full buffer"])
    messages = [message.content for message in full.turns[29].context.messages]
    assert request_as_json(session) == [
        message.to_request() for message in full.turns[29].context.messages
    ]
    assert inspected(session) == in_reading_order([messages[0], *messages[-21:]])
    labelled(session.toggle, "Show the").set_value(True).run()
    assert inspected(session) == in_reading_order(messages)
