"""What holds for the tests themselves: a test module is read and run alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent


def imported_modules(source: str) -> Iterator[str]:
    """The names of all modules that this source imports, and of what it imports from them, as modules."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_test_module(name: str) -> bool:
    path = TESTS.parent.joinpath(*name.split(".")).with_suffix(".py")
    return path.name.startswith("test_") and path.is_file()


def test_no_module_imports_a_test_module() -> None:
    """What several tests need lies in a module of its own beside them. A test module may import itself: the script of a
    page does, which AppTest runs without what stands around it."""
    borrowed = [
        f"{path.relative_to(TESTS)} imports {name}"
        for path in TESTS.rglob("*.py")
        for name in imported_modules(path.read_text(encoding="utf-8"))
        if is_test_module(name) and name.split(".")[-1] != path.stem
    ]
    assert borrowed == []
