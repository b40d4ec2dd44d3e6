"""The sources of memviz as syntax trees. Several tests look through all of them, so that each is parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the syntax tree of a file; the first one is the module."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def constants_of(path: Path) -> Iterator[ast.Constant]:
    """The constants of a file, without its docstrings."""
    nodes = nodes_of(path)
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and id(node) not in statements:
            yield node
