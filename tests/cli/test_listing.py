"""``memviz list``: the conversations of the library."""

from __future__ import annotations

from pathlib import Path

from memviz.storage.workspace import Workspace
from memviz.transcripts.loading import load_transcript
from tests.cli.terminal import NASTY, memviz, written


def test_it_begins_with_the_samples(library: Workspace) -> None:
    head, *lines = memviz("list").lines
    assert head.split() == [
        "id",
        "title",
        "turns",
        "messages",
        "format",
        "changed",
        "(UTC)",
    ]
    assert {line.split()[0] for line in lines} == {
        entry.id for entry in library.store.conversations()
    }


def test_json_has_all_that_is_known(library: Workspace, chat: Path) -> None:
    (entry,) = library.add([load_transcript(chat)])
    (first, *others) = memviz("list", "--json").json
    assert first["id"] == entry.id
    assert (first["title"], first["turn_count"], first["message_count"]) == (
        "chat",
        6,
        12,
    )
    assert first["created_at"] == entry.created_at.isoformat()
    assert len(others) == len(library.store.conversations()) - 1


def test_the_id_shown_leads_to_the_conversation(library: Workspace, chat: Path) -> None:
    (entry,) = library.add([load_transcript(chat)])
    short = memviz("list").lines[1].split()[0]
    assert entry.id.startswith(short)
    assert len(short) == 8
    assert (
        memviz("replay", short, "--strategy", "buffer", "--json").json["messages"][0][
            "role"
        ]
        == "user"
    )


def test_search_and_limit(library: Workspace, chat: Path) -> None:
    library.add([load_transcript(chat)])
    found = memviz("list", "--search", "PRICE of 17 nets", "--json").json
    assert [entry["title"] for entry in found] == ["chat"]
    shown = memviz("list", "--limit", 2)
    assert len(shown.lines) == 3
    assert f"2 of {len(library.store.conversations())}" in shown.err
    assert memviz("list", "--search", "no such words").out == ""
    assert memviz("list", "--search", "no such words", "--json").json == []


def test_a_limit_is_at_least_one() -> None:
    assert "--limit" in memviz("list", "--limit", 0, code=2).err


def test_a_long_title_is_whole_where_no_terminal_cuts_it(
    library: Workspace, tmp_path: Path
) -> None:
    title = "The long story " * 10 + "ends"
    library.add([load_transcript(written(tmp_path / "long.json", title=title))])
    assert title in memviz("list").out


def test_nothing_in_a_title_reaches_the_terminal(
    library: Workspace, tmp_path: Path
) -> None:
    library.add([load_transcript(written(tmp_path / "x.json", title=NASTY))])
    out = memviz("list").out
    assert "Plan[2J [bold red]B[/] :boom: reversed second 31mline" in out
    assert out.replace("\n", "").isprintable()
    assert memviz("list", "--json").out.isascii()
