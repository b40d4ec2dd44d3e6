"""Rooms are closed: other rooms import only the modules that a room's map opens."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache

from tests.sources import ROOT, nodes_of
from tests.tables import for_each

PACKAGE = ROOT / "memviz"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
OPENED = re.compile(r"Open to other rooms: (?P<modules>[^.]*(?:\.[^.\s][^.]*)*)\.")
NAME = re.compile(r"``([\w.]+)``")


@cache
def modules() -> frozenset[str]:
    """The dotted names of all modules of memviz."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found.add(".".join(parts).removesuffix(".__init__"))
    return frozenset(found)


def room_of(module: str) -> str:
    """The room of a module; the files of the server belong to the dashboard."""
    parts = module.split(".")
    if parts[0] != "memviz":
        return "dashboard"
    return parts[1] if len(parts) > 1 else ""


@cache
def entered() -> dict[str, set[str]]:
    """For each module: the modules of other rooms that import it."""
    found: dict[str, set[str]] = defaultdict(set)
    sources = [*PACKAGE.rglob("*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"]
    for path in sources:
        parts = path.relative_to(ROOT).with_suffix("").parts
        importer = ".".join(parts).removesuffix(".__init__")
        if "templates" in parts:
            continue  # exported code uses memviz as anybody does
        for node in nodes_of(path):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                module = inner if inner in modules() else node.module
                is_ours = module.startswith("memviz.")
                if is_ours and room_of(module) != room_of(importer):
                    found[module].add(importer)
    return found


def opened(room: str) -> set[str]:
    """The modules that the map of a room opens to other rooms, with their dotted names."""
    source = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")
    told = ast.get_docstring(ast.parse(source)) or ""
    found = OPENED.search(" ".join(told.split()))
    if found is None:
        return set()
    return {f"memviz.{room}.{name}" for name in NAME.findall(found["modules"])}


@for_each("room", ROOMS)
def test_other_rooms_import_only_what_a_room_opens(room: str) -> None:
    allowed = opened(room) | {f"memviz.{room}"}
    wrong = [
        f"{importer} imports {module}"
        for module, importers in entered().items()
        if room_of(module) == room and module not in allowed
        for importer in sorted(importers)
    ]
    assert wrong == [], (
        f"{room} keeps these modules to itself. Use what it opens, or add the module to "
        f"the line *Open to other rooms* of memviz/{room}/__init__.py."
    )


@for_each("room", ROOMS)
def test_a_room_opens_only_what_others_use(room: str) -> None:
    unused = opened(room) - set(entered())
    assert unused == set(), (
        f"No other room imports these: take them off the line *Open to other rooms* of "
        f"memviz/{room}/__init__.py, so that they may change freely."
    )
