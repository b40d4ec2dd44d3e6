"""A database that cannot be used is one plain sentence on every page."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.pages.driving import open_page, page_of, say, sentences

PAGES = ("compare", "chat", "library")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("content", [b"This is a shopping list. " * 50, b"SQLite format 3\x00" + b"\x01" * 5000])
def test_a_file_that_is_no_database_is_said_and_left_as_it_is(page: str, content: bytes, database: Path) -> None:
    database.write_bytes(content)
    session = open_page(page)
    (sentence,) = sentences(session.error)
    assert str(database) in sentence
    assert "no memviz database" in sentence
    assert database.read_bytes() == content


@pytest.mark.parametrize("page", PAGES)
def test_another_programs_database_is_left_alone(page: str, database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("create table recipes (name text)")
    session = open_page(page)
    assert len(session.error) == 1
    with sqlite3.connect(database) as connection:
        assert connection.execute("select name from sqlite_master").fetchall() == [("recipes",)]


@pytest.mark.parametrize("page", PAGES)
def test_a_place_where_no_file_can_be_is_said(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MEMVIZ_DB", str(tmp_path / "file" / "memviz.db"))
    session = open_page(page)
    assert "cannot be opened" in sentences(session.error)[0]


@pytest.mark.parametrize("page", PAGES)
def test_a_database_that_breaks_under_an_open_page_is_said(page: str, database: Path) -> None:
    session = open_page(page)
    for file in database.parent.glob("memviz.db*"):
        file.write_bytes(b"Overwritten. " * 20_000)
    session.run()
    assert page_of(session) == page
    assert len(session.error) == 1
    assert "damaged" in sentences(session.error)[0]


def test_a_chat_that_cannot_be_saved_says_so_and_keeps_the_talk_on_the_page(database: Path) -> None:
    session = open_page("chat")
    say(session, "My budget is 3,000 euros.")
    with sqlite3.connect(database) as connection:
        connection.execute("create trigger no_more before insert on message begin select raise(abort, 'full'); end")
    say(session, "What is my budget?")
    assert page_of(session) == "chat"
    assert any("saved" in sentence for sentence in sentences(session.error))
    said = [text.value for message in session.run().chat_message for text in message.text]
    assert len(said) == 4
