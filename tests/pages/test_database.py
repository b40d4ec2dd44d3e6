"""A database that cannot be used is one plain sentence on every page.

Compare stands for all: what opens the database for a page is the same, and ends every page with its sentence."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.storage.store import Store
from memviz.storage.workspace import FIRST_SAMPLE, Workspace
from tests.pages.driving import (
    click,
    labelled,
    open_page,
    page_of,
    say,
    sentences,
)
from tests.pages.tuning import open_sweep


@pytest.mark.parametrize(
    "content",
    [b"This is a shopping list. " * 50, b"SQLite format 3\x00" + b"\x01" * 5000],
)
def test_a_file_that_is_no_database_is_said_and_left_as_it_is(
    content: bytes, database: Path
) -> None:
    database.write_bytes(content)
    session = open_page("compare")
    (sentence,) = sentences(session.error)
    assert str(database) in sentence
    assert "not a memviz database" in sentence
    assert database.read_bytes() == content


def test_another_programs_database_is_left_alone(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("create table recipes (name text)")
    session = open_page("compare")
    assert len(session.error) == 1
    with sqlite3.connect(database) as connection:
        assert connection.execute("select name from sqlite_master").fetchall() == [
            ("recipes",)
        ]


def test_a_place_where_no_file_can_be_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MEMVIZ_DB", str(tmp_path / "file" / "memviz.db"))
    session = open_page("compare")
    assert "cannot be opened" in sentences(session.error)[0]


def test_a_database_that_breaks_under_an_open_page_is_said(database: Path) -> None:
    session = open_page("compare")
    for file in database.parent.glob("memviz.db*"):
        file.write_bytes(b"Overwritten. " * 20_000)
    session.run()
    assert page_of(session) == "compare"
    assert len(session.error) == 1
    assert "damaged" in sentences(session.error)[0]


def test_a_chat_that_cannot_be_saved_says_so_and_keeps_the_talk_on_the_page(
    database: Path,
) -> None:
    session = open_page("chat")
    say(session, "My budget is 3,000 euros.")
    with sqlite3.connect(database) as connection:
        connection.execute(
            "create trigger no_more before insert on message begin select raise(abort, 'full'); end"
        )
    say(session, "What is my budget?")
    assert page_of(session) == "chat"
    assert any("saved" in sentence for sentence in sentences(session.error))
    said = [
        text.value for message in session.run().chat_message for text in message.text
    ]
    assert len(said) == 4


@pytest.mark.slow
def test_a_page_says_that_the_file_was_removed_and_works_on(database: Path) -> None:
    session = open_page("compare")
    before = [len(session.button), len(session.get("plotly_chart"))]
    database.unlink()
    session.run()
    assert page_of(session) == "compare"
    (sentence,) = sentences(session.error)
    assert sentence.startswith(
        f"{database} was removed while memviz was using it. Nothing is saved at the moment."
    )
    assert [len(session.button) - 1, len(session.get("plotly_chart"))] == before
    click(session, "Save everything to a new file")
    assert page_of(session) == "compare"
    assert not session.error
    assert f"Everything is in {database}, and is saved there from now on." in sentences(
        session.success
    )
    assert "is saved there from now on" not in str(sentences(session.run().success))
    assert database.exists()


def said(session: AppTest) -> list[str]:
    return [text.value for message in session.chat_message for text in message.text]


def test_what_is_said_while_the_file_is_gone_is_saved_with_all_the_rest(
    database: Path,
) -> None:
    session = open_page("chat")
    say(session, "My budget is 3,000 euros.")
    for file in database.parent.glob("memviz.db*"):
        file.unlink()
    say(session, "What is my budget?")
    assert "Nothing was saved" in " ".join(sentences(session.error))
    talk = said(session.run())
    assert len(talk) == 4
    click(session, "Save everything to a new file")
    assert not session.error
    assert said(session) == talk
    store = Store(database)
    newest, *samples = store.conversations()
    assert [
        message.content for message in store.conversation(newest.id).messages
    ] == talk
    assert samples
    store.close()


def test_an_import_while_the_file_is_gone_is_not_said_to_be_saved(
    database: Path,
) -> None:
    session = open_page("library")
    database.unlink()
    imports = labelled(session.file_uploader, "Import conversations")
    imports.set_value(
        [("a.json", b'[{"role": "user", "content": "Hi."}]', "application/json")]
    ).run()
    assert not session.success
    assert any("Nothing was saved" in sentence for sentence in sentences(session.error))


def test_a_restored_backup_is_gone_on_with_where_that_is_wanted(database: Path) -> None:
    session = open_page("chat")
    say(session, "My budget is 3,000 euros.")
    backup = Store(database.with_name("backup.db"))
    backup.close()
    backup_content = database.with_name("backup.db").read_bytes()
    database.with_name("backup.db").replace(database)
    session.run()
    assert "Another file has taken the place" in sentences(session.error)[0]
    assert database.read_bytes() == backup_content
    library = open_page("library")
    click(library, "Go on with the file that is there now")
    assert not library.error
    assert "goes on with" in sentences(library.success)[0]
    assert "My budget" not in str(library.main)


def test_what_a_replaced_file_held_is_written_beside_it(database: Path) -> None:
    session = open_page("library")
    database.unlink()
    database.write_text("Dear diary, " * 500)
    click(session.run(), "Save everything to a new file")
    (sentence,) = sentences(session.success)
    assert "memviz-rescued-" in sentence
    assert f"Another file is at {database}, so give memviz the new one" in sentence
    assert database.read_text().startswith("Dear diary")
    assert not session.run().error


@pytest.mark.slow
def test_a_sweep_is_made_although_it_cannot_be_kept(database: Path) -> None:
    open_page("library")
    database.unlink()
    session = open_sweep("buffer", "window")
    assert "was removed while memviz was using it" in sentences(session.error)[0]
    assert len(session.error) == 1
    assert "**Take " in " ".join(sentences(session.success))


def test_a_sweep_is_made_although_no_connection_to_a_removed_database_is_free(
    database: Path,
) -> None:
    workspace = Workspace()
    workspace.conversation(FIRST_SAMPLE)
    database.unlink()
    window = memviz.strategy("window")
    with (
        workspace.store._database.reading.connect()
    ):  # as a page does that reads while the sweep begins
        sweeping = workspace.sweeping([FIRST_SAMPLE], [window], counter="o200k_base")
        assert len([*sweeping]) == 1
