"""Bringing conversations in: several in one file, pasted text, a format by name, long files, hostile names."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from memviz.dashboard.ui.library import importing
from memviz.storage.workspace import Workspace
from memviz.transcripts import background
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.export import to_json
from memviz.transcripts.loading import load_file
from memviz.transcripts.samples import sample
from tests.pages.driving import (
    click,
    figures,
    labelled,
    open_page,
    page_of,
    sentences,
)
from tests.pages.importing import AS_JSON, MESSAGES, settled, titles, upload

THREE = json.dumps([MESSAGES, MESSAGES[:2], [{"content": "x"}, MESSAGES[0]]]).encode()


@pytest.fixture
def library() -> AppTest:
    return open_page("library")


def table(session: AppTest) -> list[dict[str, object]]:
    return session.dataframe[0].value.to_dict("records")


def test_of_a_file_with_several_conversations_one_chooses_none_some_or_all(
    library: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = titles(library)
    upload(library, ("talks.json", THREE))
    assert titles(library) == before, "nothing is saved before the choice"
    rows = table(library)
    all_titles = [f"talks, conversation {number}" for number in (1, 2, 3)]
    assert [row["title"] for row in rows] == all_titles
    assert [(row["turns"], row["messages"], row["notes"]) for row in rows] == [
        (2, 4, 0),
        (1, 2, 0),
        (1, 1, 1),
    ]
    assert all(row["tokens"] > 0 for row in rows)
    assert "date" not in rows[0], "no column for what no conversation has"
    click(library, "Import nothing")
    assert "Nothing of talks.json was imported." in sentences(library.info)
    assert titles(library) == before

    two = json.dumps([MESSAGES[2:], MESSAGES[2:3]]).encode()
    upload(library, ("some.json", two))
    tick(library, monkeypatch, [1])
    assert "Import 1 conversation" in [button.label for button in library.button]
    tick(library, monkeypatch, [1], then="Import 1 conversation")
    (sentence,) = sentences(library.success)
    assert sentence.startswith("Imported some.json: 1 message in 1 turn")
    assert titles(library)[0] == "some, conversation 2"

    upload(library, ("talks.json", THREE))
    click(library, "Import all 3")
    (sentence,) = sentences(library.success)
    assert sentence.startswith(
        "Imported 3 conversations of talks.json: 7 messages in 4 turns"
    )
    assert "Note: talks, conversation 3: imported 1 of 2 messages" in sentence
    assert titles(library)[:3] == all_titles
    assert not library.dataframe


def test_what_is_broken_is_said_of_files_archives_and_pasted_texts(
    library: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.json", AS_JSON)
        archive.writestr("b.json", b'[{"role": "user", "cont')
        archive.writestr("picture.png", b"\x89PNG")
    upload(library, ("export.zip", packed.getvalue()))
    (sentence,) = sentences(library.success)
    assert "Imported export.zip: 4 messages in 2 turns" in sentence
    assert "not imported: JSON, b.json, line 1" in sentence
    assert "picture" not in sentence
    (made,) = library.session_state["library"].imports
    assert made.saved
    assert made.outcome.loaded.transcripts == (), "it is not kept a second time"

    read = background.load_file

    def fail_at_second(content: bytes, *args: object, **named: object) -> object:
        if named["name"] == "second.json":
            raise KeyError("text")
        return read(content, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(background, "load_file", fail_at_second)
    markup = "**bold** :red[x].json"
    files = [("first.json", AS_JSON), (markup, b"{"), ("second.json", AS_JSON)]
    upload(library, *files)
    assert page_of(library) == "library"
    escaped, _defect = (error.value for error in library.error)
    assert escaped.startswith(r"\*\*bold\*\* ")
    assert "\u2060red" in escaped, "a word joiner keeps the colour from being one"
    _escaped, defect = sentences(library.error)
    assert defect.startswith("second.json was not imported.")
    assert "(KeyError)" in defect

    labelled(library.selectbox, "Format").set_value("markdown").run()
    upload(library, ("a.json", AS_JSON))
    assert "a.json was not imported. markdown" in sentences(library.error)[-1]


def test_text_can_be_pasted(library: AppTest) -> None:
    settled(click(library, "Import the text"))
    assert "pasted text was not imported." in sentences(library.error)[0]
    labelled(library.text_area, "A conversation as text").set_value(
        "User: Where to?\nAssistant: Lisbon.\nUser: Why?"
    )
    settled(click(library, "Import the text"))
    assert (
        "Imported pasted text: 3 messages in 2 turns" in sentences(library.success)[0]
    )
    assert labelled(library.text_area, "A conversation as text").value == "", (
        "so that it is not imported twice"
    )


def tick(
    session: AppTest, monkeypatch: pytest.MonkeyPatch, rows: list[int], then: str = ""
) -> None:
    """Choose rows of the table, which AppTest cannot click."""
    states, id = session._tree.get_widget_states, session.dataframe[0].proto.id

    def with_rows() -> object:
        found = states()
        widget = found.widgets.add()
        widget.id = id
        widget.string_value = json.dumps(
            {"selection": {"rows": rows, "columns": [], "cells": []}}
        )
        return found

    if then:
        labelled(session.button, then).click()
    monkeypatch.setattr(session._tree, "get_widget_states", with_rows)
    session.run()


TALK = b"Ana: I live in Lisbon.\n*Ben*: x\nBen: Noted.\nAna: Where do I live?\nBen: In Lisbon.\n"


def test_where_it_is_not_clear_who_the_user_is_one_says_it(library: AppTest) -> None:
    before = titles(library)
    upload(library, ("talk.txt", TALK))
    click(library, "Import nothing")
    assert "Nothing of talk.txt was imported." in sentences(library.info)
    assert titles(library) == before, "one need not say it"
    upload(library, ("talk.txt", TALK), ("a.json", AS_JSON))
    assert "**talk.txt** does not show who the user is." in sentences(library.markdown)
    assert titles(library) == ["Ferry times", *before]
    who = labelled(library.radio, "Who is the user?")
    assert who.options == ["Ana", "Ben"]
    assert labelled(library.button, "Import").disabled
    who.set_value("Ana").run()
    click(library, "Import")
    assert any(
        "Imported talk.txt: 4 messages in 2 turns" in sentence
        for sentence in sentences(library.success)
    )
    assert any(
        "Imported a.json" in sentence for sentence in sentences(library.success)
    ), "the other file's outcome stays"
    assert titles(library)[0] == "talk"


@pytest.mark.slow
def test_a_long_file_shows_how_far_it_is_and_can_be_cancelled(
    library: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, is_reading = Event(), Event()

    def slowly(*args: object, progress, **named: object) -> object:
        progress(1, 3)
        is_reading.set()
        go_on.wait(60)
        progress(2, 3)
        return load_file(*args, **named)

    monkeypatch.setattr(background, "load_file", slowly)
    monkeypatch.setattr(importing, "AT_ONCE_SECONDS", 0.02)
    before = titles(library)
    imports = labelled(library.file_uploader, "Import conversations")
    imports.set_value([("long.json", AS_JSON, "application/json")]).run()
    assert is_reading.wait(60)
    library.run()
    (bar,) = library.get("progress")
    assert "Reading long" in bar.proto.text
    assert "conversation 1 of 3" in bar.proto.text
    click(library, "Cancel")
    go_on.set()
    assert titles(library) == before
    assert not [button for button in library.button if button.label == "Cancel"]
    monkeypatch.undo()
    upload(library, ("a.json", AS_JSON))
    assert titles(library)[0] == "Ferry times"


TOOLS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "<b>Rain?</b> :red[x]"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "function": {"name": "sky", "arguments": "{}"}}],
    },
    {"role": "tool", "content": "dry", "tool_call_id": "c"},
    {"role": "assistant", "content": "No."},
]


def test_a_conversation_can_be_read_with_its_tool_calls_as_text(
    library: AppTest,
) -> None:
    upload(library, ("tools.json", json.dumps(TOOLS).encode()))
    click(library, "Read")
    (page,) = [
        html.proto.body for html in library.get("html") if "<section" in html.proto.body
    ]
    assert "&lt;b&gt;Rain?&lt;/b&gt; :red[x]" in page
    assert "sky({})" in page
    assert (
        page.index("1 · System")
        < page.index("2 · User")
        < page.index("4 · Tool result")
        < page.index("5 · Assist")
    )
    click(library, "Close")
    assert not [html for html in library.get("html") if "<section" in html.proto.body]


EVENT = RecordedEvent(
    "compaction",
    20,
    "They planned a trip.",
    "auto",
    150_000,
    9_000,
    "2025-03-01T10:00:00+00:00",
)


def with_events() -> str:
    trip = sample("trip")
    held = Transcript(
        trip.messages,
        title="Session",
        events=(EVENT,),
        held_at=datetime(2025, 3, 1, tzinfo=UTC),
    )
    return Workspace().add([held])[0].id


def marks_of_events(session: AppTest) -> list[dict[str, object]]:
    """The marks of what a program did itself. Fails if they are not explained, or explained and not there."""
    notes = figures(session)[0]["layout"]["annotations"]
    marks = [note for note in notes if note.get("text") == "▼"]
    is_explained = any("Dotted lines" in said for said in sentences(session.caption))
    assert is_explained == bool(marks)
    return marks


@pytest.mark.slow
def test_what_the_program_itself_compacted_stands_beside_ours() -> None:
    id = with_events()
    assert not marks_of_events(open_page("compare")), "no event, no mark"
    page = open_page("compare", conversation=id)
    (mark,) = marks_of_events(page)
    assert mark["x"] % 1 == 0.5
    assert "150,000 tokens before" in mark["hovertext"]
    assert "(auto)" in mark["hovertext"]
    summaries = open_page("summaries", conversation=id)
    assert "What its own program did" in [head.value for head in summaries.header]
    assert any(
        "150,000 tokens before, 9,000 tokens after" in panel.label
        for panel in summaries.expander
    )
    assert "They planned a trip." in [text.value for text in summaries.text]


def test_events_and_date_come_with_a_file(library: AppTest) -> None:
    id = with_events()
    saved = to_json(Workspace().conversation(id)[0]).encode()
    upload(library, ("session.json", saved))
    assert "held 2025-03-01" in " ".join(sentences(library.caption))
    click(library, "Read")
    assert "Its program compacted here (auto)" in "".join(
        html.proto.body for html in library.get("html")
    )


@pytest.mark.slow
def test_text_that_makes_the_tokenizer_panic_reaches_every_page(
    library: AppTest,
) -> None:
    endless = [
        {"role": "user", "content": "x" + " " * 1_200_000 + "<|endoftext|>"},
        *MESSAGES[1:],
    ]
    upload(library, ("spaces.json", json.dumps([endless, MESSAGES]).encode()))
    assert table(library)[0]["tokens"] > table(library)[1]["tokens"]
    settled(click(library, "Import all 2"))
    click(library, "Compare")
    assert page_of(library) == "compare"
    assert figures(library)
