"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import memviz
from tests.sources import ROOT, constants_of, nodes_of
from tests.tables import for_each

SOURCES = sorted(
    [
        ROOT / "app.py",
        ROOT / "navigation.py",
        *ROOT.glob("pages/**/*.py"),
        *ROOT.glob("memviz/**/*.py"),
    ]
)
THE_DOOR = ROOT / "memviz" / "dashboard" / "ui" / "shell" / "state.py"


@cache
def names_in(path: Path) -> list[tuple[str, int]]:
    """Names, attributes, imports and arguments of a file with their lines; texts and comments do not count."""
    return list(_names_in(path))


def _names_in(path: Path) -> Iterator[tuple[str, int]]:
    for node in nodes_of(path):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.id if isinstance(node, ast.Name) else node.attr, node.lineno
        elif isinstance(node, ast.alias | ast.keyword):
            yield (
                (node.name if isinstance(node, ast.alias) else node.arg or ""),
                node.lineno,
            )


def places(name: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line}"
        for path in SOURCES
        for found, line in names_in(path)
        if found == name
    ]


def test_the_sources_are_read() -> None:
    assert len(SOURCES) > 50
    assert places("session_state"), "the door itself is found"


def test_the_state_of_a_browser_session_has_one_door() -> None:
    assert [
        place
        for place in places("session_state")
        if not place.startswith(str(THE_DOOR.relative_to(ROOT)))
    ] == []


@for_each("name", ["unsafe_allow_html", "unsafe_allow_javascript"])
def test_no_page_writes_raw_html(name: str) -> None:
    assert places(name) == []


def test_metrics_find_numbers_and_leave_the_words_to_the_room_of_words() -> None:
    """The wording of numbers is for ``memviz/dashboard/words/``; a metric takes no more than the type of a place."""
    wording = "memviz.core.text.wording"
    taken = {
        f"{path.relative_to(ROOT)}:{node.lineno} {alias.name}"
        for path in ROOT.glob("memviz/metrics/**/*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and node.module == wording
        for alias in node.names
    }
    assert taken, "places are imported from there"
    assert [one for one in taken if not one.endswith(" RequestPlace")] == []


def test_no_help_stands_within_the_label_of_a_switch() -> None:
    """A click on it would turn the switch (memviz/dashboard/ui/controls/switch.py)."""
    switches = [
        (path, node)
        for path in SOURCES
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") in ("toggle", "checkbox")
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
    others = re.compile(
        "(?:offline|bundled) (?:model|summarizer|summaries)", re.IGNORECASE
    )
    known_again = (
        ROOT / "memviz" / "core" / "text" / "phrases.py"
    )  # what the built-in model said in versions before
    found = []
    for path in SOURCES:
        if path == known_again:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{node.lineno}"
            for node in constants_of(path)
            if isinstance(node.value, str) and others.search(node.value)
        ]
    assert found == []
    for page in (
        ROOT / "README.md",
        ROOT / "docs" / "paid-models.md",
        ROOT / "docs" / "recordings.md",
    ):
        assert not others.search(page.read_text(encoding="utf-8")), page.name


def test_a_warning_from_memviz_fails_a_test() -> None:
    with pytest.raises(DeprecationWarning):
        warnings.warn_explicit(
            "old",
            DeprecationWarning,
            "conversation.py",
            1,
            module="memviz.core.conversation",
        )


# What the rules of CONTRIBUTING.md on reading forbid, and how often memviz still does it. A
# change that makes one of them rarer lowers its number here, so that it cannot come back.
STILL_THERE = {
    "files over 400 lines": 2,
    "functions over 40 lines": 0,
    "comprehensions in comprehensions": 2,
    "chained conditional expressions": 0,
    "assignments of several things at once": 0,
    "docstrings that ask": 0,
    "places that the formatter skips": 48,
}

ASKING = re.compile(r"(?:What|Whether|Which|How|Where|When|Who|Why|Whose|Whom)\b")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def house_places() -> dict[str, list[str]]:
    """All places of memviz that break a rule on reading, by the rule."""
    found: dict[str, list[str]] = {rule: [] for rule in STILL_THERE}
    for path in ROOT.glob("memviz/**/*.py"):
        if "templates" in path.parts:
            continue  # exported code is written for the people who get it
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(ROOT))
        lines = text.splitlines()
        if len(lines) > 400:
            found["files over 400 lines"].append(name)
        for node in nodes_of(path):
            for rule in broken_rules(node):
                found[rule].append(f"{name}:{getattr(node, 'lineno', 1)}")
        skipped = [
            number for number, line in enumerate(lines, 1) if "# fmt: skip" in line
        ]
        found["places that the formatter skips"] += [
            f"{name}:{number}" for number in skipped
        ]
    return found


def broken_rules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, FUNCTIONS) and body_lines(node) > 40:
        yield "functions over 40 lines"
    if isinstance(node, COMPREHENSIONS):
        inner = (child for child in ast.walk(node) if child is not node)
        if any(isinstance(child, COMPREHENSIONS) for child in inner):
            yield "comprehensions in comprehensions"
    if isinstance(node, ast.IfExp) and isinstance(node.orelse, ast.IfExp):
        yield "chained conditional expressions"
    if isinstance(node, ast.Assign) and assigns_several(node):
        yield "assignments of several things at once"
    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Module)):
        if ASKING.match(ast.get_docstring(node) or ""):
            yield "docstrings that ask"


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if not body:
        return 0
    return (function.end_lineno or 0) - body[0].lineno + 1


def assigns_several(node: ast.Assign) -> bool:
    target = node.targets[0]
    return isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)


@for_each("rule", STILL_THERE)
def test_what_a_rule_on_reading_forbids_only_becomes_rarer(rule: str) -> None:
    places = house_places()[rule]
    assert len(places) <= STILL_THERE[rule], (
        f"{len(places)} {rule}, {STILL_THERE[rule]} were there (CONTRIBUTING.md, house rules): "
        + ", ".join(places[-20:])
    )


def test_the_formatter_skips_nothing_but_tables_of_data() -> None:
    wrong = []
    for path in ROOT.glob("memviz/**/*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if "# fmt: skip" in line and line.startswith(" "):
                wrong.append(f"{path.relative_to(ROOT)}:{number}")
    assert wrong == []


def test_what_memviz_offers_is_documented() -> None:
    silent = [name for name in memviz.__all__ if not getattr(memviz, name).__doc__]
    assert silent == []
