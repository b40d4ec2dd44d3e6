"""``memviz lessons``: listed, held against the runs, written as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import memviz as library
from memviz.storage.store import Store
from tests.cli.terminal import memviz
from tests.dashboard.lessons.writing_lessons import text_with

SO = {"measure": "request_tokens", "turn": 4, "relation": "=", "value": 1186}


def a_file(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_bundled_and_saved_lessons_are_listed(database: Path) -> None:
    store = Store(database)
    store.keep("lesson", "mine", text_with())
    store.keep("lesson", "broken", "x: [")
    store.close()
    shown = memviz("lessons", "--json")
    assert [row["id"] for row in shown.json] == [*library.lessons(), "mine"]
    assert shown.err.startswith("Warning: broken, line 1: is not valid YAML")
    assert "A first look at a memory" in memviz("lessons").out


def test_claims_that_hold_are_said_and_the_command_succeeds(tmp_path: Path) -> None:
    shown = memviz(
        "lessons",
        "check",
        a_file(tmp_path, text_with({"claims": [SO], "text": "1,186 of 46."})),
    )
    assert shown.lines == [
        "mine step 1: held: At turn 4, Full buffer: the request has 1,186 tokens, which is 1,186 tokens.",
        "mine step 1: no claim: its text says 46, which no claim holds.",
    ]


def test_a_claim_that_does_not_hold_fails_the_command(tmp_path: Path) -> None:
    right, wrong = (
        a_file(tmp_path, text_with({"claims": [SO]})),
        text_with({"claims": [SO | {"value": 5}]}, id="wrong"),
    )
    shown = memviz(
        "lessons",
        "check",
        "--quiet",
        right,
        a_file(tmp_path, wrong, "wrong.yaml"),
        code=1,
    )
    assert [line.partition(": At")[0] for line in shown.lines] == [
        "wrong step 1: NOT HELD"
    ]


def test_a_file_that_is_no_lesson_is_a_sentence_beside_the_others(
    tmp_path: Path,
) -> None:
    bad, good = (
        a_file(tmp_path, "steps: []", "bad.yaml"),
        a_file(tmp_path, text_with({"claims": [SO]})),
    )
    rows = memviz("lessons", "check", "--json", bad, "gone", good, code=1).json
    assert [row["held"] for row in rows] == [False, False, True]
    assert rows[0]["sentence"] == "bad.yaml, line 1: has no title; it needs one."
    assert rows[1]["sentence"].startswith(
        "gone: there is no such file, and no such lesson among"
    )


def test_a_file_that_cannot_be_read_is_named_once_and_one_without_claims_is_said_to_be_fine(
    tmp_path: Path,
) -> None:
    bad, good = a_file(tmp_path, "steps: []", "bad.yaml"), a_file(tmp_path, text_with())
    assert memviz("lessons", "check", bad, good, code=1).lines == [
        "bad.yaml, line 1: has no title; it needs one.",
        "mine: nothing is wrong with it, and it claims nothing.",
    ]


def test_what_is_not_in_the_run_is_said_with_what_there_is(tmp_path: Path) -> None:
    prediction = {"kind": "knows", "turn": 5, "fact": "nothing"}
    (line,) = memviz(
        "lessons",
        "check",
        a_file(tmp_path, text_with({"prediction": prediction})),
        code=1,
    ).lines
    assert line.startswith(
        "mine step 1: NOT HELD: there is no fact with the answer “nothing”; the conversation's facts"
    )
    assert line.endswith(" more.")


@pytest.mark.slow
def test_a_lesson_is_written_as_one_file(tmp_path: Path) -> None:
    out = tmp_path / "lesson.html"
    shown = memviz(
        "lessons", "export", a_file(tmp_path, text_with({"claims": [SO]})), "-o", out
    )
    assert shown.err == f"Written: {out}\n"
    html = out.read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert "MemvizStage" in html
    memviz("lessons", "export", "first-look", "-o", out)
    memviz("lessons", "export", "nothing", code=None).refused(
        1, "nothing", "no such lesson among"
    )
    file = a_file(tmp_path, text_with())
    memviz("lessons", "export", file, "-o", file, code=None).refused(
        1, "is the lesson itself"
    )
