"""What live models replied on the pages is saved as a recording, which plays all of it again: another session, without
a key and without a network, sees the same."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.engine.recording import setting_of
from memviz.storage.workspace import Workspace
from memviz.transcripts.samples import sample
from tests.models.openai_server import OpenAIServer, text
from tests.pages.asking import FLIGHT, ask, cards
from tests.pages.chatting import FACT, KEY, bubbles, use_model
from tests.pages.downloads import named
from tests.pages.driving import (
    click,
    finished,
    labelled,
    open_page,
    say,
    sentences,
    texts,
    token_lines,
    walk_to,
)
from tests.pages.free_running import answer, as_free_run
from tests.pages.judging import ask as judge
from tests.pages.judging import results
from tests.pages.tuning import of_one_strategy, points

Writers = dict[str, Callable[[], str | bytes]]
SESSION = "recording:session"
BUFFER = 'summary_buffer {"max_token_limit": 1500}'


@pytest.fixture
def server(server: OpenAIServer) -> OpenAIServer:
    """A model that never says the same twice, so that a reply that is played is known for the one that was given."""
    numbers = count(1)

    def numbered(handler: Any) -> None:
        text(f"Reply {next(numbers)} of the served model.")(handler)

    server.otherwise = numbered
    return server


def open_what_was_saved(made: Writers, server: OpenAIServer) -> int:
    """Open the recording of the session in the Library; returns how often the server was asked until then."""
    content = named(made, ".recording")
    assert KEY not in content
    assert server.api_base not in content
    Workspace().recordings.open(content.encode(), "session.recording")
    made.clear()
    return len(server.requests)


def played_by(session: AppTest, *pickers: str) -> AppTest:
    """The page with the recording in these pickers."""
    for picker in pickers:
        labelled(session.selectbox, picker).select(SESSION).run()
    return session


def test_a_free_run(short: str, server: OpenAIServer, made: Writers) -> None:
    def opened() -> AppTest:
        page = as_free_run(open_page("compare", setting="summary"))
        return labelled(page.selectbox, "Conversation").select(short).run()

    live = answer(use_model(opened(), "Chat model", server.api_base))
    asked = open_what_was_saved(made, server)
    assert asked
    again = answer(played_by(opened(), "Chat model"))
    assert token_lines(again) == token_lines(live)
    for turn in (1, 4):
        told = [card.answer for card in cards(walk_to(live, turn))]
        assert told
        assert all(words.startswith("Reply ") for words in told)
        assert [card.answer for card in cards(walk_to(again, turn))] == told
    assert len(server.requests) == asked


@pytest.mark.slow
def test_a_chat(server: OpenAIServer, made: Writers) -> None:
    live = use_model(open_page("chat"), "Chat model", server.api_base)
    for words in (FACT, "And what is my budget?"):
        say(live, words)
    asked = open_what_was_saved(made, server)
    assert asked == 2
    again = played_by(open_page("chat"), "Chat model")
    for words in (FACT, "And what is my budget?"):
        say(again, words)
    assert bubbles(again) == bubbles(live)
    assert bubbles(again)[-1] == ("assistant", "Reply 2 of the served model.")
    assert len(server.requests) == asked


@pytest.mark.slow
def test_a_question_to_all_settings_plays_where_recordings_are_played_first(
    server: OpenAIServer, made: Writers
) -> None:
    live = ask(use_model(open_page("compare"), "Chat model", server.api_base), FLIGHT)
    asked = open_what_was_saved(made, server)
    again = ask(open_page("compare"), FLIGHT)
    assert [card.answer for card in cards(again)] == [
        card.answer for card in cards(live)
    ]
    assert any(
        text.startswith(":blue-badge[recorded · ") for text in sentences(again.markdown)
    )
    assert "No recording holds" not in " ".join(sentences(again.caption))
    assert len(server.requests) == asked


@pytest.mark.slow
def test_the_judge(short: str, server: OpenAIServer, made: Writers) -> None:
    def judged(session: AppTest, choose: Callable[[AppTest, str], AppTest]) -> AppTest:
        choose(session, "Chat model")
        labelled(session.button_group, "Settings").set_value(["Full buffer"]).run()
        labelled(session.slider, "Questions").set_value(2).run()
        labelled(session.toggle, "Let a model judge").set_value(True).run()
        choose(session, "Judge")
        judge(session)
        return labelled(session.selectbox, "Answers to one question").select(1).run()

    server.then(text("By train."), text("RIGHT"), text("By plane."), text("WRONG"))
    live = judged(
        open_page("retention"),
        lambda page, picker: use_model(page, picker, server.api_base),
    )
    assert results(live)["Judged right"] == ["1 of 2"]
    asked = open_what_was_saved(made, server)
    assert asked == 4
    again = judged(open_page("retention"), played_by)
    assert results(again)["Judged right"] == ["1 of 2"]
    assert "By plane." in texts(again)
    assert re.search(
        r"Answers: :blue-badge\[recorded · [^]]+\] 2\.",
        " ".join(sentences(again.caption)),
    )
    assert len(server.requests) == asked


def rows(made: Writers) -> list[dict[str, str]]:
    """What the table of a sweep says of each setting, apart from how long it took."""
    table = csv.DictReader(io.StringIO(named(made, "sweep.csv")))
    return [
        {name: value for name, value in row.items() if name != "seconds"}
        for row in table
    ]


@pytest.mark.slow
def test_a_sweep(server: OpenAIServer, made: Writers, database: Path) -> None:
    live = finished(use_model(of_one_strategy(), "Summarizer", server.api_base))
    finished(click(live, "Sweep with"))
    measured = rows(made)
    asked = open_what_was_saved(made, server)
    opened = Workspace().recordings.opened["session"]
    settings = Workspace().recordings.settings_of(
        *Workspace().conversation("sample-trip"), "o200k_base"
    )
    assert len(settings) == len(opened.settings) >= 5
    again = finished(played_by(of_one_strategy(), "Summarizer"))
    assert "settings were not recorded" not in " ".join(sentences(again.caption))
    assert points(again) == points(live)
    assert rows(made) == measured
    assert len(server.requests) == asked
    compared = open_page(
        "compare",
        setting=f'summary_buffer {{"max_token_limit": {settings[0].max_token_limit}}}',
    )
    assert "blue-badge[recorded · " in " ".join(sentences(compared.caption))
    assert opened.holds(
        setting_of(
            sample("trip"),
            memviz.strategy("summary_buffer", **settings[0].model_dump()),
        )
    )
