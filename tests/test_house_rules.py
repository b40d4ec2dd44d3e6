"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([ROOT / "app.py", ROOT / "navigation.py", *ROOT.glob("pages/**/*.py"), *ROOT.glob("memviz/**/*.py")])
THE_DOOR = ROOT / "memviz" / "ui" / "shell" / "state.py"


@cache
def names_in(path: Path) -> list[tuple[str, int]]:
    """Names, attributes, imports and arguments of a file with their lines; texts and comments do not count."""
    return list(_names_in(path))


def _names_in(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.id if isinstance(node, ast.Name) else node.attr, node.lineno
        elif isinstance(node, ast.alias | ast.keyword):
            yield (node.name if isinstance(node, ast.alias) else node.arg or ""), node.lineno


def places(name: str) -> list[str]:
    return [f"{path.relative_to(ROOT)}:{line}" for path in SOURCES for found, line in names_in(path) if found == name]


def test_the_sources_are_read() -> None:
    assert len(SOURCES) > 50
    assert places("session_state"), "the door itself is found"


def test_the_state_of_a_browser_session_has_one_door() -> None:
    assert [place for place in places("session_state") if not place.startswith(str(THE_DOOR.relative_to(ROOT)))] == []


@pytest.mark.parametrize("name", ["unsafe_allow_html", "unsafe_allow_javascript"])
def test_no_page_writes_raw_html(name: str) -> None:
    assert places(name) == []


def test_no_help_stands_within_the_label_of_a_switch() -> None:
    """A click on it would turn the switch (memviz/ui/controls/switch.py)."""
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    switches = [
        (path, node)
        for path, text in texts.items()
        if "toggle(" in text or "checkbox(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("toggle", "checkbox")
    ]
    assert switches
    helped = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, node in switches
        if any(word.arg == "help" for word in node.keywords)
    ]
    assert helped == []


def test_the_stand_in_has_one_name_for_readers() -> None:
    """``offline`` is what programs call it by; docstrings of the code may speak of the offline model."""
    others = re.compile("(?:offline|bundled) (?:model|summarizer|summaries)", re.IGNORECASE)
    known_again = ROOT / "memviz" / "text" / "phrases.py"  # what the stand-in said in versions before
    found = []
    for path in SOURCES:
        if path == known_again:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            f"{path.relative_to(ROOT)}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and others.search(node.value)
            and id(node) not in told
        ]  # fmt: skip
    assert found == []
    for page in (ROOT / "README.md", ROOT / "docs" / "paid-models.md", ROOT / "docs" / "recordings.md"):
        assert not others.search(page.read_text(encoding="utf-8")), page.name


def test_a_warning_from_memviz_fails_a_test() -> None:
    with pytest.raises(DeprecationWarning):
        warnings.warn_explicit("old", DeprecationWarning, "conversation.py", 1, module="memviz.conversation")
