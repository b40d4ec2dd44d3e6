"""The notes of readers in the language of who reads them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from memviz.core.translation import use_language
from memviz.dashboard.words.import_notes import note_in_words
from memviz.transcripts.import_notes import ImportNotes

READERS = Path(__file__).parents[3] / "memviz" / "transcripts"


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("a tool call has no result: index 3, index 8.", "一次工具调用没有结果：序号 3、序号 8。"),
        ("a tool call has no result: row 1, day 2 and 4 more.", "一次工具调用没有结果：第 1 行、day 2，还有 4 处。"),
        ("a question without an answer was left out (3 times).", "略去了一个没有答案的问题（3 次）。"),
        ("turns that the user took back were left out: 2.", "略去了用户收回的轮：2。"),
        ("and 4 findings of other kinds.", "还有 4 个其他种类的发现。"),
        ("a reader of another package did this.", "a reader of another package did this."),
    ],
)  # fmt: skip
def test_a_note_is_said_in_the_language_of_its_reader(note: str, said: str) -> None:
    assert note_in_words(note) == note
    with use_language("zh"):
        assert note_in_words(note) == said


def test_every_note_of_a_reader_is_known() -> None:
    noted = list(plain_notes())
    assert len(noted) > 40
    with use_language("zh"):
        unknown = [note for note in noted if note_in_words(note) == note]
    assert [note for note in unknown if "simulated" not in note] == [], (
        "what names a simulated customer is not said in the words of pages"
    )


def plain_notes() -> Iterator[str]:
    """What modules of readers note without a value, written or under the name of a constant, as it is stored."""
    for path in READERS.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                constants[ast.unparse(node.targets[0])] = node.value.value
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if getattr(node.func, "attr", getattr(node.func, "id", "")) != "note":
                continue
            first = node.args[0]
            text = first.value if isinstance(first, ast.Constant) else None
            note = text or constants.get(ast.unparse(first))
            if isinstance(note, str):
                notes = ImportNotes()
                notes.add(note, "index 3")
                yield from notes.sentences()
