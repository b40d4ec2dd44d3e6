"""Conversations in which a turn took several calls of the model: every call is a request that one can look at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memviz.core.messages import Message
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Probe, Transcript
from tests.pages.driving import (
    click,
    click_point,
    figures,
    inspected,
    labelled,
    open_address,
    open_page,
    page_of,
    request_as_json,
    sentences,
    texts,
)
from tests.pages.sharing import shared
from tests.tool_loops import loops
from tests.tool_talk import tool_talk

pytestmark = pytest.mark.one_library
TALK = "bookings"
CALLS = (1, 4, 2, 5)
SETTING = 'summary_buffer {"max_token_limit": 90}'


@pytest.fixture
def talk() -> str:
    """The id of a conversation with turns of several calls."""
    store = Workspace().store
    if not store.exists(TALK):
        messages = tuple(Message.of(message) for message in tool_talk(*CALLS))
        store.add_conversation(Transcript(title="Bookings", messages=messages), TALK)
    return TALK


def opened(page: str, talk: str, **query: str | list[str]) -> AppTest:
    asked = {"conversation": talk, "setting": SETTING, **query}
    session = open_address(
        page,
        {
            name: [text] if isinstance(text, str) else text
            for name, text in asked.items()
        },
    )
    assert page_of(session) == page
    return session


def head(session: AppTest) -> str:
    """What Compare's reader says it shows."""
    found = (
        element.value
        for element in session.markdown
        if element.value.startswith("**Request of ")
    )
    return next(found).removeprefix("**Request of ").split("**")[0]


def player(session: AppTest) -> dict[str, Any]:
    (found,) = [
        one
        for one in session.get("bidi_component")
        if "player" in one.proto.component_name
    ]
    data: dict[str, Any] = json.loads(found.proto.json or found.proto.mixed.json)
    return data


def test_the_player_walks_through_all_calls_and_the_reader_shows_each(
    talk: str,
) -> None:
    page = opened("compare", talk, turn="2", call="2")
    assert player(page)["turns"] == [
        turn for turn, calls in enumerate(CALLS, 1) for _ in range(calls)
    ]
    assert (player(page)["at"], head(page)) == (2, "turn 2, call 2 of 4")
    assert inspected(page)[-1] == "Result 2.1: 100 dollars.", (
        "the input of the second call is what the tool gave"
    )
    assert request_as_json(page)[-1]["role"] == "tool"


def test_a_link_holds_the_call_a_click_chooses_it_and_a_turn_alone_is_its_last_one(
    talk: str,
) -> None:
    page = opened("compare", talk, turn="4", call="3")
    assert head(page) == "turn 4, call 3 of 5"
    query = shared(page)
    assert (query["turn"], query["call"]) == (["4"], ["3"])
    click_point(page, 0, {"customdata": "0:4:2", "x": 9, "y": 1})
    assert head(page) == "turn 4, call 2 of 5"
    click_point(page, 0, {"customdata": "0:4", "x": 12, "y": 1})
    assert head(page) == "turn 4, call 5 of 5"
    assert "call" not in shared(page)


def test_a_call_that_is_not_there_is_the_last_one_and_what_is_no_number_is_said(
    talk: str,
) -> None:
    for call in ("0", "99"):
        page = opened("compare", talk, turn="4", call=call)
        assert head(page) == "turn 4, call 5 of 5"
        assert not page.warning
    page = opened("compare", talk, turn="4", call="two")
    assert head(page) == "turn 4, call 5 of 5"
    (warning,) = sentences(page.warning)
    assert "The link's call 'two' was passed over" in warning


def test_a_turn_of_one_call_is_named_and_linked_by_its_turn(talk: str) -> None:
    page = opened("compare", talk, turn="1", call="1")
    assert head(page) == "turn 1"
    assert "call" not in shared(page)


def test_chat_opens_it_and_says_how_many_calls_there_were(talk: str) -> None:
    page = open_page("chat")
    labelled(page.selectbox, "Conversation").set_value(talk).run()
    page_of(page)
    assert "Result 4.2: 200 dollars." in texts(page)
    assert "What was sent with turn 4, in the last of its 5 calls" in [
        one.label for one in page.expander
    ]
    assert "over all 12 calls" in labelled(page.metric, "Sent").help


def test_lists_and_sidebars_say_how_many_requests_there_are(talk: str) -> None:
    assert "4 turns with 12 requests." in [
        one.value for one in opened("compare", talk).sidebar.caption
    ]
    about = [one.value for one in open_page("library").caption]
    assert any(
        words.startswith("4 turns with 12 requests · 24 messages · ") for words in about
    )
    assert any(words.startswith("48 turns · 96 messages · ") for words in about), (
        "without tools none are named"
    )


def test_messages_that_only_call_tools_show_what_they_call(talk: str) -> None:
    page = opened(
        "compare", talk, turn="4", call="5", setting='window {"window_size": 4}'
    )
    (earlier,) = [one for one in page.expander if "before this one" in one.label]
    calls = earlier.caption[0].value.replace("\\", "").splitlines()
    assert [line.split(":")[0] for line in calls] == [
        f'{n}. It called look_up({{"booking"' for n in range(1, 5)
    ]
    assert '"page": 4}): ' in calls[-1]
    (left,) = [one for one in page.expander if "no longer sent" in one.label]
    gone = str(left.get("html")[0].proto.body)
    assert (
        "assistant · dropped: look_up({&#34;booking&#34;: 4, &#34;page&#34;: 2})"
        in gone
    )


def test_a_fact_lost_within_its_turn_leads_to_the_request_that_lost_it() -> None:
    said = (Message("user", "My booking code is QX77Z."), *loops(2, 4)[1:])
    probe = Probe("What is the booking code?", ("QX77Z",), (0,), "code")
    (entry,) = Workspace().add([Transcript(said, title="Code", probes=(probe,))])
    page = opened("retention", entry.id, setting='window {"window_size": 4}')
    why = (
        "Turn 1 itself states it, and only what earlier turns said can be brought back."
    )
    assert why in sentences(page.caption)
    assert not [one for one in page.button if one.label.startswith("Bring ")]
    click(page, "See the request that lost it")
    assert page_of(page) == "compare"
    assert head(page) == "turn 1, call 3 of 5"


def test_dollars_are_of_requests(talk: str) -> None:
    page = opened("costs", talk, setting=["buffer", SETTING], shown="Each turn")
    (shown,) = [group for group in page.get("button_group") if group.label == "Shown"]
    assert [option.content for option in shown.proto.options] == [
        "Total so far",
        "Each request",
        "The cache",
    ]
    assert (
        figures(page)[0]["layout"]["yaxis"]["title"]["text"] == "US dollars a request"
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", ["costs", "memory_map", "retention", "summaries"])
def test_every_page_stands(talk: str, page: str) -> None:
    opened(page, talk, turn="2", call="3")
