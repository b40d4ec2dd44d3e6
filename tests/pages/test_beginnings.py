"""A conversation that is longer than a page shows at once: its beginning first, then more of it, the same on all."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.synthetic.generator import generate
from memviz import Message
from memviz.dashboard.ui.chat import current
from memviz.dashboard.ui.controls import chat_state, study
from memviz.storage import library
from memviz.storage.conversations import LARGE_MESSAGES
from memviz.storage.workspace import Workspace
from tests.pages.driving import click, finished, open_page, token_lines

TURNS, FIRST = 60, 20
MESSAGES = 2 * TURNS
SETTING = "window"


@pytest.fixture
def id(monkeypatch: pytest.MonkeyPatch) -> str:
    """A conversation of which pages look at the first 20 messages."""
    monkeypatch.setattr(study, "FIRST_MESSAGES", FIRST)
    return Workspace().store.add_conversation(generate(TURNS, seed=7))


@pytest.fixture
def read(id: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions of its messages that are read from the database."""
    positions: list[int] = []
    make = library.message_of

    def noted(stored: dict[str, object]) -> Message:
        if stored["conversation_id"] == id:
            positions.append(int(str(stored["position"])))
        return make(stored)

    monkeypatch.setattr(library, "message_of", noted)
    return positions


def said(page: AppTest) -> str:
    return " ".join(caption.value for caption in page.caption)


def shown_turns(page: AppTest) -> int:
    ((_, tokens),) = token_lines(page).items()
    return len(tokens)


def test_the_beginning_is_shown_then_more_then_all(id: str) -> None:
    page = open_page("compare", conversation=id, setting=SETTING)
    assert f"So far: the first {FIRST} of {MESSAGES} messages." in said(page)
    assert shown_turns(page) == FIRST // 2
    click(page, f"Show {3 * FIRST}")
    assert f"So far: the first {3 * FIRST} of {MESSAGES} messages." in said(page)
    assert shown_turns(page) == 3 * FIRST // 2
    click(page, "Show all")
    assert "So far" not in said(page)
    assert shown_turns(page) == TURNS


def test_what_is_looked_at_first_is_let_go_when_nobody_looks() -> None:
    # A beginning ends with a whole turn, so it may be a few messages shorter.
    assert study.FIRST_MESSAGES > LARGE_MESSAGES


def test_an_address_says_how_much_is_shown(id: str) -> None:
    assert (
        shown_turns(open_page("compare", conversation=id, setting=SETTING, first="40"))
        == 20
    )
    assert (
        shown_turns(open_page("compare", conversation=id, setting=SETTING, first="all"))
        == TURNS
    )
    wrong = open_page("compare", conversation=id, setting=SETTING, first="many")
    assert shown_turns(wrong) == FIRST // 2
    assert any(
        "first 'many' was passed over" in warning.value for warning in wrong.warning
    )


@pytest.mark.parametrize(
    "name",
    [
        *("compare", "costs", "memory_map", "retention", "summaries"),
        pytest.param("tune", marks=pytest.mark.slow),
    ],
)
def test_no_page_reads_more_of_it_than_it_shows(
    name: str, id: str, read: list[int]
) -> None:
    query = {} if name == "tune" else {"setting": SETTING}
    page = open_page(name, conversation=id, **query)
    assert f"the first {FIRST} of {MESSAGES} messages." in said(page)
    assert read, "something is shown"
    assert max(read) == FIRST, "and one more, to know whether a turn ends there"


def test_the_library_reads_the_messages_of_one_page(id: str, read: list[int]) -> None:
    page = open_page("library")
    read.clear()
    page.button(key=f"read-{id}").click().run()
    assert read == list(range(40))
    assert f"{MESSAGES} messages in all." in said(page)


def test_chat_shows_the_newest_messages_and_derives_the_memory_when_asked(
    id: str, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current, "DERIVED_UNASKED_MESSAGES", MESSAGES - 1)
    page = open_page("chat", chat=id)
    assert min(read) == MESSAGES - chat_state.MESSAGES_SHOWN
    assert len(page.chat_message) == chat_state.MESSAGES_SHOWN
    assert page.chat_input[0].disabled
    finished(click(page, "Derive the memory"))
    assert set(read) == set(range(MESSAGES))
    assert not page.chat_input[0].disabled
