"""Pages of a conversation with tools whose results are cleared, whose middle is left out, or which becomes facts."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Transcript
from tests.pages.driving import (
    labelled,
    open_address,
    panels,
    read_request,
    request_as_json,
    sentences,
)
from tests.tool_loops import loops

CLEARING = 'clear_tool_results {"trigger_tokens": 200}'
HEAD_AND_TAIL = 'head_and_tail {"tail_size": 4}'
FACTS = 'fifo_facts {"token_limit": 200}'


@pytest.fixture
def conversation_id() -> str:
    (entry,) = Workspace().add([Transcript(tuple(loops(3, 4)), title="Loops")])
    return entry.id


def opened(view: str, conversation_id: str, look: int | None) -> AppTest:
    settings = [CLEARING, HEAD_AND_TAIL, FACTS]
    looked_at = {} if look is None else {"look": [str(look)]}
    page = open_address(
        view, {"conversation": [conversation_id], "setting": settings, **looked_at}
    )
    assert not page.exception
    return read_request(page)


def html(page: AppTest) -> str:
    return "\n".join(unescape(element.proto.body) for element in page.get("html"))


def test_the_memory_map_names_what_is_sent_as_a_placeholder(
    conversation_id: str,
) -> None:
    page = opened("memory_map", conversation_id, 0)
    shown = html(page)
    assert "Sent as a placeholder" in shown
    assert "Tool results cleared" in shown
    labelled(page.number_input, "Message").set_value(3).run()
    assert any(
        "sent as a placeholder since turn" in sentence
        for sentence in sentences(page.markdown)
    )
    assert "[cleared]" in html(page)
    assert not page.exception


def test_the_inspector_says_what_was_cleared_why_and_at_what_cost(
    conversation_id: str,
) -> None:
    page = opened("compare", conversation_id, 0)
    shown = html(page)
    assert "Cleared tool results" in shown
    assert "tokens > 200" in shown
    assert "of the prompt cache" in shown
    assert (
        shown.count("As it was said")
        == sum(one["content"] == "[cleared]" for one in request_as_json(page))
        > 1
    )
    assert any("sent as a placeholder" in one.label for one in page.expander)
    assert "Clear tool results :gray[200 tokens, LangChain]" in panels(page)
    table = page.table[0].value
    assert table.loc["Messages cleared or shortened at the end"].tolist()[2] == "0"
    assert (
        int(table.loc["Times that messages were cleared or shortened"].tolist()[0]) > 0
    )


@pytest.mark.slow
def test_what_a_strategy_says_itself_stands_where_it_was_sent(
    conversation_id: str,
) -> None:
    page = opened("compare", conversation_id, 1)
    labelled(page.selectbox, "Setting").set_value(1).run()
    sent = [message["content"] for message in request_as_json(page)]
    line = next(text for text in sent if text.startswith("Skipped "))
    assert "<b>The strategy's own words</b>" in html(page)
    assert line in html(page)


def test_facts_are_listed_with_the_message_that_each_came_from(
    conversation_id: str,
) -> None:
    page = opened(
        "summaries", conversation_id, None
    )  # shows the one that wrote something
    assert "Facts and why" in [tab.label for tab in page.tabs]
    assert "Why? From message" in html(page)
    assert "What changed" in [tab.label for tab in page.tabs]
    assert "<fact>" not in html(page)
    clearing = opened("summaries", conversation_id, 0)
    assert "Facts and why" not in [tab.label for tab in clearing.tabs]
    charts = clearing.get("plotly_chart")
    assert any("Tokens of the first request" in chart.proto.spec for chart in charts)
    assert any(
        "Tokens of the first request after each change" in chart.proto.alt
        for chart in charts
    )
