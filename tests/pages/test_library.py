"""Library: import, find, rename, delete, and take a deletion back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memviz.dashboard.ui.library import recordings
from memviz.storage.store import Store
from memviz.storage.workspace import SAMPLE_PREFIX, Workspace
from memviz.transcripts.samples import bundled, sample
from tests.pages.driving import (
    click,
    labelled,
    open_page,
    page_of,
    sentences,
    token_lines,
)
from tests.pages.importing import AS_JSON, MESSAGES, titles, upload

AS_JSONL = "\n".join(json.dumps(message) for message in MESSAGES).encode()


@pytest.fixture
def library() -> AppTest:
    return open_page("library")


def search(session: AppTest, words: str) -> AppTest:
    return labelled(session.text_input, "Search").set_value(words).run()


def test_the_bundled_conversations_are_there_with_where_they_are_kept_and_a_copy(
    library: AppTest, database: Path
) -> None:
    assert sorted(titles(library)) == sorted(bundled().titles().values())
    assert f"Kept in {database}" in sentences(library.caption)
    assert any(button.label == "Back up" for button in library.get("download_button"))
    assert recordings._copy(Workspace()).startswith(b"SQLite format 3")


MALFORMED = {
    "empty": b"",
    "cut at once": b"{",
    "no message": b"[]",
    "another object": b'{"colour": "red"}',
    "no text": b"\xff\xfe\x00",
    "cut": AS_JSON[:-9],
}


def test_a_malformed_file_is_one_sentence_and_does_not_keep_the_others_out(
    library: AppTest,
) -> None:
    before = titles(library)
    bad = [(f"{name}.jsonl", content) for name, content in MALFORMED.items()]
    upload(library, *bad, ("some.jsonl", AS_JSONL[:-9]), ("good.json", AS_JSON))
    assert page_of(library) == "library"
    errors = sentences(library.error)
    assert len(errors) == len(bad)
    for (name, _content), sentence in zip(bad, errors, strict=True):
        assert sentence.startswith(f"{name} was not imported. ")
        assert "Traceback" not in sentence
    some, good = sentences(library.success)
    assert some.startswith(
        "Imported some.jsonl: 3 messages in 2 turns, read as List of role and content. Note: "
    )
    assert "4" in some.partition("Note: ")[2]
    assert good.startswith("Imported good.json")
    assert sorted(titles(library)) == sorted([*before, "some", "Ferry times"])


def test_a_file_is_imported_once_renamed_found_deleted_and_brought_back(
    library: AppTest,
) -> None:
    upload(library, ("b.jsonl", AS_JSONL)).run()
    assert "Imported b.jsonl: 4 messages in 2 turns" in sentences(library.success)[0]
    assert titles(library)[0] == "b"
    assert titles(library).count("b") == 1
    labelled(library.text_input, "Title").set_value("  ")
    click(library, "Rename")
    assert "title is empty" in sentences(library.error)[0]
    title = "Boats, *not* planes"
    labelled(library.text_input, "Title").set_value(title)
    click(library, "Rename")
    assert titles(library)[0] == title
    assert titles(open_page("library"))[0] == title

    assert titles(search(library, "*NOT* PLANES")) == [title]
    assert titles(search(library, "vestmanna")) == [title], "in a message"
    assert len(titles(search(library, ""))) == len(bundled()) + 1

    click(library, "Delete")
    assert title not in titles(library)
    assert f"Deleted “{title}”." in [text.value for text in library.text]
    assert title not in titles(open_page("library"))
    click(library, "Undo")
    assert title in titles(library)
    assert not [text for text in library.text if "Deleted" in text.value]
    elsewhere = open_page("library")
    assert title in titles(elsewhere)

    click(elsewhere, "Chat")
    assert page_of(elsewhere) == "chat"
    said = [text.value for message in elsewhere.chat_message for text in message.text]
    assert said == [message["content"] for message in MESSAGES]
    click(library, "Compare")
    assert page_of(library) == "compare"
    assert [len(line) for line in token_lines(library).values()] == [2, 2, 2]


def test_without_a_match_or_a_conversation_there_are_sentences_not_errors(
    library: AppTest, database: Path
) -> None:
    upload(library, ("a.json", AS_JSON))
    store = Store(database)
    for name in bundled():  # the samples are long, some hold such characters
        store.delete(SAMPLE_PREFIX + name)
    store.close()
    for words in ("%", "'; drop table conversations; --"):
        search(library, words)
        assert not titles(library)
        assert "Nothing matches" in sentences(library.info)[0]
    click(search(library, ""), "Delete")
    assert "No conversation is saved yet" in sentences(library.info)[0]
    assert "no conversation" in sentences(open_page("compare").info)[0]
    open_page("chat")


def test_many_conversations_come_in_pages(database: Path) -> None:
    store, ferry = Store(database), sample("trip")
    for number in range(25):
        store.add_conversation(
            replace(ferry, messages=ferry.messages[:2], title=f"Number {number}")
        )
    library = open_page("library")
    assert len(titles(library)) == 20
    assert library.get("pagination") or "pagination" in str(library.main)


def damaged(database: Path, statement: str) -> AppTest:
    library = open_page("library")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(statement)
    return library.run()


@pytest.mark.slow
def test_a_conversation_that_cannot_be_read_is_named_and_the_others_work(
    database: Path,
) -> None:
    library = damaged(
        database,
        "UPDATE conversation SET probes = '42', title = 'Bad *luck*' WHERE id = 'sample-trip'",
    )
    page_of(library)
    assert not library.error
    (sentence,) = sentences(library.warning)
    assert sentence.startswith(
        "Cannot be read, and is left aside: the value of probes is damaged ("
    )
    assert sorted(titles(library)) == sorted(
        ["Bad *luck*", *(t for n, t in bundled().titles().items() if n != "trip")]
    )
    click(library, "Read")
    assert not library.error
    for page in ("compare", "chat", "tune"):
        session = open_page(page, **{"try": '["buffer"]'})
        assert not session.error
        assert (
            "Left aside, because it cannot be read: “Bad *luck*”."
            in sentences(session.warning)[0]
        )
        assert "Bad *luck*" not in str([box.options for box in session.selectbox])
    linked = open_page("compare", conversation="sample-trip")
    assert not linked.error
    click(library, "Delete")
    assert not library.warning
    assert "Bad *luck*" not in titles(library)
    click(library, "Undo")
    assert "Bad *luck*" in titles(library)


def test_damage_inside_a_conversation_is_said_where_it_is_read(database: Path) -> None:
    library = damaged(
        database,
        "DELETE FROM message WHERE conversation_id = 'sample-trip' AND position = 3",
    )
    labelled(
        [b for b in library.button if b.key == "read-sample-trip"], "Read"
    ).click().run()
    (sentence,) = sentences(library.error)
    assert "(id sample-trip) cannot be read: message 4 is damaged" in sentence
    assert any(
        button.label == "Stored rows" for button in library.get("download_button")
    )
    assert sorted(titles(library)) == sorted(bundled().titles().values())


def test_a_large_library_is_copied_beside_itself(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "MAX_DOWNLOAD_BYTES", 1)
    library = click(open_page("library"), "Back up")
    copy = database.with_name(f"memviz-backup-{date.today()}.db")
    assert f"The copy is {copy}." in sentences(library.success)
    store = Store(copy)
    assert store.count() == len(bundled())
    store.close()
    click(library, "Back up")
    assert "is there already" in sentences(library.error)[0]


def test_the_address_holds_the_search_and_the_conversation_that_is_read() -> None:
    page = open_page("library", search="Portugal", read="sample-trip")
    assert labelled(page.text_input, "Search titles").value == "Portugal"
    assert any(
        sentence.endswith("messages in all.") for sentence in sentences(page.caption)
    )
    assert (page.query_params["search"], page.query_params["read"]) == (
        "Portugal",
        "sample-trip",
    )
    click(page, "Close")
    assert "read" not in page.query_params
    assert sentences(open_page("library", read="gone").warning)


def test_a_model_chosen_here_holds_on_the_other_pages(library: AppTest) -> None:
    box = labelled(library.selectbox, "Chat model")
    box.options.append("openai/gpt-5-mini")
    box.set_value("openai/gpt-5-mini").run()
    library.switch_page("pages/chat.py").run()
    assert labelled(library.selectbox, "Chat model").value == "openai/gpt-5-mini"
    assert any(
        "Answers: **openai/gpt-5-mini**" in said for said in sentences(library.caption)
    )
