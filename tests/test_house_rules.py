"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
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


FIRST_VALUES = {
    "selectbox": ("index", 2), "select_slider": ("value", 2), "slider": ("value", 3), "number_input": ("value", 3),
    "text_input": ("value", 1), "text_area": ("value", 1), "toggle": ("value", 1), "multiselect": ("default", 2),
    "pills": ("default", None), "segmented_control": ("default", None),
}  # fmt: skip
"""Of each kind of widget the argument that gives it its first value: its name, and its place among the others."""
SETTERS = {"set_widget": 0, "begin_with": 0, "linked": 1, "linked_list": 1, "take_clicked_number": 1}


def test_a_widget_that_code_or_a_link_sets_has_no_default_besides() -> None:
    """Streamlit takes one of the two, and writes a stack trace into the log (`begin_with` of the door)."""
    calls = [(path, node) for path in SOURCES for node in _calls(path)]
    known = [_constants(path) for path in SOURCES]
    constants = {name: value for found in known for name, value in found.items()}
    shared = {name for name, value in constants.items() if all(found.get(name, value) == value for found in known)}

    def key_of(path: Path, key: ast.expr) -> tuple[str, str]:
        """The text of a key, or what stands for it in its file."""
        name = ast.unparse(key)
        text = _constants(path).get(name, constants[name] if name in shared else None)
        return ("", text) if text is not None else (str(path), name)

    set_keys = {
        key_of(path, node.args[SETTERS[name]])
        for path, node in calls
        if (name := _name(node)) in SETTERS and len(node.args) > SETTERS[name]
    }
    both = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, node in calls
        if _first_value(node)
        and (key := next((word.value for word in node.keywords if word.arg == "key"), None)) is not None
        and key_of(path, key) in set_keys
    ]
    assert set_keys
    assert both == []


@cache
def _calls(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]


@cache
def _constants(path: Path) -> dict[str, str]:
    """The texts that are given a name in a module, and texts themselves."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = {ast.unparse(node): node.value for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str)}  # fmt: skip
    for node in tree.body:
        if isinstance(node, ast.Assign):
            pairs = (
                zip(node.targets[0].elts, node.value.elts, strict=False)
                if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
                else [(node.targets[0], node.value)]
            )
            texts |= {
                ast.unparse(name): value.value
                for name, value in pairs
                if isinstance(value, ast.Constant) and isinstance(value.value, str)
            }
    return texts


def _name(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _first_value(node: ast.Call) -> bool:
    """Whether a widget is given a first value, whatever its key holds."""
    word, place = FIRST_VALUES.get(_name(node), (None, None))
    values = [each.value for each in node.keywords if each.arg == word and word]
    values += [node.args[place]] if place is not None and len(node.args) > place else []
    return any(
        not (isinstance(value, ast.Constant) and value.value is None) and not isinstance(value, ast.IfExp)
        for value in values
    )


def test_a_warning_from_memviz_fails_a_test() -> None:
    with pytest.raises(DeprecationWarning):
        warnings.warn_explicit("old", DeprecationWarning, "conversation.py", 1, module="memviz.conversation")
