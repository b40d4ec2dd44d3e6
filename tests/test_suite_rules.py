"""What holds for the tests themselves: a test module is read and run alone."""

from __future__ import annotations

import ast
import re
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


NAMED = re.compile(r"\btest_\w+")
MODULES = {path.stem for path in TESTS.rglob("test_*.py")}


def is_test_module(name: str) -> bool:
    path = TESTS.parent.joinpath(*name.split(".")).with_suffix(".py")
    return path.name.startswith("test_") and path.is_file()


def sources_that_name_another() -> Iterator[tuple[Path, str]]:
    """Each file with the name of a test module, other than its own, anywhere in its text. Few of them import one."""
    for path in TESTS.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if MODULES & {*NAMED.findall(source)} - {path.stem}:
            yield path, source


def test_no_module_imports_a_test_module() -> None:
    """What several tests need lies in a module of its own beside them. A test module may import itself: the script of a
    page does, which AppTest runs without what stands around it."""
    borrowed = [
        f"{path.relative_to(TESTS)} imports {name}"
        for path, source in sources_that_name_another()
        for name in imported_modules(source)
        if is_test_module(name) and name.split(".")[-1] != path.stem
    ]
    assert borrowed == []
