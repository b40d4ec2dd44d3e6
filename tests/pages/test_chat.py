"""Chat: talk under a strategy, and see what was sent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.markup import without_marks
from memviz.storage.store import Store
from memviz.transcripts.samples import sample
from tests.pages.chatting import (
    FACT,
    PLAN,
    QUESTION,
    bubbles,
    chat_link,
    choose,
    words_of,
)
from tests.pages.driving import (
    click,
    figures,
    labelled,
    metric,
    open_page,
    page_of,
    request_as_json,
    say,
    sentences,
)

SYSTEM_PROMPT = "You are a helpful assistant."


@pytest.fixture
def chat() -> AppTest:
    return open_page("chat")


def fates(session: AppTest) -> list[str]:
    return [
        markdown.value
        for message in session.chat_message
        for markdown in message.markdown
    ]


def limited(session: AppTest) -> str:
    """What is said of the limit of the memory."""
    captions = sentences(session.caption)
    return next(caption for caption in captions if "not yet summarized" in caption)


def asked_by_user(session: AppTest) -> list[str]:
    return [text for who, text in bubbles(session) if who == "user"]


def test_a_talk_is_shown_answered_taken_back_and_compared(chat: AppTest) -> None:
    assert "budget is 3,000 euros" in sentences(chat.info)[0]
    assert "After the first reply" in " ".join(sentences(chat.caption))
    assert "Messages not yet summarized: 0 of 500 tokens" in limited(chat)
    say(chat, "   \n ")
    assert not bubbles(chat), "a blank message is not sent"

    labelled(chat.text_area, "System prompt").set_value("Answer like a pirate.").run()
    say(chat, FACT)
    system = {"role": "system", "content": "Answer like a pirate."}
    assert request_as_json(chat)[0] == system
    said = sum(memviz.counter("o200k_base")(text) for _, text in bubbles(chat))
    assert f"Messages not yet summarized: {said} of 500 tokens" in limited(chat)
    say(chat, PLAN)
    assert labelled(chat.text_area, "System prompt").disabled
    say(chat, QUESTION)
    assert [who for who, _ in bubbles(chat)] == ["user", "assistant"] * 3
    assert asked_by_user(chat) == [FACT, PLAN, QUESTION]
    assert "3,000 euros" in bubbles(chat)[-1][1]
    assert not chat.info
    assert page_of(chat) == "chat"

    link = chat_link(chat)
    click(chat, "Undo turn")
    assert asked_by_user(chat) == [FACT, PLAN]
    assert bubbles(open_page("chat", chat=link)) == bubbles(chat)
    say(chat, QUESTION)
    assert asked_by_user(chat) == [FACT, PLAN, QUESTION]

    click(chat, "Compare other strategies")
    assert page_of(chat) == "compare"
    chosen = labelled(chat.selectbox, "Conversation").value
    assert chosen == chat.session_state["compare"].conversation_id
    assert any("3 turns." in sentence for sentence in sentences(chat.caption))


def test_an_empty_chat_offers_a_long_conversation_of_which_the_end_is_shown_first(
    chat: AppTest,
) -> None:
    messages = [message.content for message in sample("trip").messages]
    click(chat, "Go on from the Portugal trip")
    said = [text for _, text in bubbles(chat)]
    assert said == [*map(without_marks, messages[-30:])]
    click(chat, "Show 30 earlier messages")
    said = [text for _, text in bubbles(chat)]
    assert said == [*map(without_marks, messages[-60:])]
    notes = {
        words_of(message): (message.markdown[0].value, *sentences(message.caption))
        for message in chat.chat_message
        if message.markdown
    }
    for position, kept in (
        (34, "Lost: 3,600 euros; shellfish."),
        (42, "The summary still holds: HV-440962."),
    ):
        badge, *facts = notes[without_marks(messages[position])]
        assert "replaced by a summary" in badge
        assert facts == [kept]

    say(chat, "What is Niamh allergic to?")
    assert "do not know" in bubbles(chat)[-1][1], "it was said in turn 3"
    assert chat_link(chat) != "sample-trip"
    bundled = bubbles(open_page("chat", chat="sample-trip"))
    assert bundled[-1][1] == without_marks(messages[-1])


def test_a_fact_out_of_the_window_is_not_known_and_the_chat_is_found_again(
    chat: AppTest,
) -> None:
    choose(chat, "window", "Window size", 1)
    for text in (FACT, PLAN, QUESTION):
        say(chat, text)
    answer = bubbles(chat)[-1][1]
    assert "do not know" in answer
    assert "3,000" not in answer
    sent = [message["content"] for message in request_as_json(chat)]
    assert sent == [SYSTEM_PROMPT, QUESTION]
    dropped = [n for n, message in enumerate(chat.chat_message) if message.markdown]
    assert dropped == [0, 1, 2, 3]
    assert all("dropped" in fate for fate in fates(chat))

    again = open_page("chat", chat=chat_link(chat))
    assert bubbles(again) == bubbles(chat)
    assert request_as_json(again) == request_as_json(chat)
    assert labelled(again.number_input, "Window size").value == 1
    say(again, QUESTION)
    assert len(bubbles(again)) == 8
    choose(again, "summary")
    choose(again, "window")
    assert labelled(again.number_input, "Window size").value == 1, (
        "a strategy that one goes back to has its last parameters"
    )


def test_the_pictures_show_the_request_just_sent_in_tokens_of_a_counter(
    chat: AppTest,
) -> None:
    say(chat, FACT)
    say(chat, QUESTION)
    count = memviz.counter("o200k_base")
    fact, reply, question = (text for _, text in bubbles(chat)[:3])
    tokens = {
        "System prompt": count(SYSTEM_PROMPT),
        "History": count(fact) + count(reply),
        "Input": count(question),
    }
    bar, turns = figures(chat)[:2]
    drawn = {trace["name"]: trace["x"][0] for trace in bar["data"]}
    assert drawn == {**tokens, "Format overhead": 4 * 4 + 3}
    assert f"{sum(drawn.values()):,} tokens" in " ".join(
        markdown.value for markdown in chat.markdown
    )
    assert len(turns["data"][0]["text"]) == 2
    sent = [message["content"] for message in request_as_json(chat)]
    assert sent == [SYSTEM_PROMPT, fact, reply, question]
    assert not chat.dataframe, (
        "the numbers behind the chart are made when they are opened"
    )
    chat.session_state["chat-turn-numbers"] = True
    assert list(chat.run().dataframe[0].value.iloc[-1]) == [
        2,
        f"{sum(drawn.values()):,}",
    ]
    labelled(chat.selectbox, "Token counter").select("bytes4").run()
    first = [SYSTEM_PROMPT, fact]
    both = [*first, *sent]
    total = sum(len(text.encode()) // 4 for text in both) + 4 * len(both) + 3 * 2
    assert metric(chat, "Sent") == f"{total:,}"


@pytest.mark.slow
def test_another_strategy_leaves_what_was_sent_and_marks_where_it_begins(
    chat: AppTest,
) -> None:
    def marks(session: AppTest) -> list[str]:
        told = [markdown.value.replace("\\", "") for markdown in session.markdown]
        return [text for text in told if "From turn" in text]

    choose(chat, "summary", "Buffer size", 1)
    for text in (FACT, PLAN, QUESTION):
        say(chat, text)
    request, tokens, written = (
        request_as_json(chat),
        metric(chat, "Sent"),
        metric(chat, "Summaries"),
    )
    assert any(
        "Summary of earlier conversation" in message["content"] for message in request
    )
    choose(chat, "window", "Window size", 1)
    assert (request_as_json(chat), metric(chat, "Sent"), metric(chat, "Summaries")) == (
        request,
        tokens,
        written,
    )
    assert "From turn 4 on: Sliding window" in marks(chat)[0]
    say(chat, "And now?")
    again = open_page("chat", chat=chat_link(chat))
    assert marks(again) == marks(chat)
    assert request_as_json(again)[1:] == [{"role": "user", "content": "And now?"}]
    choose(again, "summary", "Buffer size", 1)
    assert metric(again, "Summaries") == str(int(written) + 1), (
        "only what was said since is summarized"
    )


@pytest.mark.usefixtures("first_visit")
def test_a_first_visit_may_go_straight_to_a_chat(database: Path) -> None:
    chat = memviz.Chat(memviz.strategy("buffer"))
    chat.send(FACT)
    store = Store(database)
    link = store.add_conversation(memviz.Transcript((), title="Kept", format="chat"))
    store.save_turn(link, chat.run)
    session = open_page("chat", chat=link)
    assert [text for _, text in bubbles(session)] == [
        message.content for message in chat.log
    ]
    assert session.get(
        "html"
    )  # the style that navigation.py brings, so it has run as well


def test_an_address_that_names_no_chat_opens_a_new_one_and_a_new_one_keeps_the_old() -> (
    None
):
    session = open_page("chat", chat="nothing-of-this-name")
    assert not bubbles(session)
    assert not labelled(session.selectbox, "Conversation").value
    say(session, FACT)
    assert len(bubbles(session)) == 2
    click(session, "New chat")
    assert not bubbles(session)
    say(session, PLAN)
    assert asked_by_user(session) == [PLAN]
    titles = labelled(session.run().selectbox, "Conversation").options
    assert {FACT[:59] + "…", PLAN} <= set(titles)


def test_an_old_chat_is_found_among_many_newer_conversations(database: Path) -> None:
    store = Store(database)
    trip = sample("trip")
    oldest = store.add_conversation(
        replace(trip, messages=trip.messages[:4], title="Oldest")
    )
    for number in range(120):
        store.add_conversation(
            replace(trip, messages=trip.messages[:2], title=f"Newer {number}")
        )
    session = open_page("chat", chat=oldest)
    assert [text for _, text in bubbles(session)] == [
        without_marks(message.content) for message in trip.messages[:4]
    ]


def test_a_message_sent_before_the_browser_knows_of_the_saved_chat_stays_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The browser reports every control with the value that it last saw: here that of a new chat."""
    page = open_page("chat")
    chooser = labelled(page.selectbox, "Conversation")
    stale = next(
        state
        for state in page._tree.get_widget_states().widgets
        if state.id == chooser.proto.id
    )
    say(page, "My budget is 3,000 euros.")
    page.chat_input[0].set_value("What is my budget?")
    current = page._tree.get_widget_states()
    now = labelled(page.selectbox, "Conversation").proto.id
    for state in list(current.widgets):
        if state.id in (now, stale.id):
            current.widgets.remove(state)
    current.widgets.append(stale)
    monkeypatch.setattr(page._tree, "get_widget_states", lambda: current)
    page.run()
    assert page.chat_message[0].text[0].value == "My budget is 3,000 euros."
    assert len(page.chat_message) == 4
