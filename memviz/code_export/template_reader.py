"""Read templates: what a template file and those that it imports define, and which of it a program needs.

Templates are read as text and never imported: they need libraries that memviz does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

PACKAGE = "memviz.code_export.templates."
DIFFERENCES = "DIFFERENCES"
MAIN = "__main__"
"""Name of the last lines of a program, which run it."""


class Statement(NamedTuple):
    """One definition at the top level of a template, with its source and all names that it mentions."""

    node: ast.stmt
    source: str
    names: frozenset[str]

    @property
    def is_constant(self) -> bool:
        """Whether this is a value to edit, which stands on top of a program."""
        target = self.node.targets[0] if isinstance(self.node, ast.Assign) else None
        return isinstance(target, ast.Name) and target.id.isupper()

    @property
    def is_arithmetic(self) -> bool:
        """Whether this is a constant that is worked out of others, so that a program shows the result alone."""
        given = self.node.value if isinstance(self.node, ast.Assign) else None
        return isinstance(given, ast.BinOp) and not any(
            isinstance(part, ast.Call) for part in ast.walk(given)
        )


class File(NamedTuple):
    """One template file: other templates that it imports, names from elsewhere, and what it defines."""

    templates: tuple[str, ...]
    imports: Mapping[str, tuple[str, str]]
    statements: Mapping[str, Statement]


@dataclass
class Template:
    """A template together with all that it imports from others."""

    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    statements: dict[str, Statement] = field(default_factory=dict)
    differences: list[ast.expr] = field(default_factory=list)

    def needed(self, roots: Mapping[str, Statement]) -> dict[str, Statement]:
        """These statements and all that they use, in the order of the templates."""
        found, open_names = set(roots), list(roots)
        while open_names:
            statement = self.statements[open_names.pop()]
            used = (
                set()
                if statement.is_arithmetic
                else statement.names & self.statements.keys() - found
            )
            found |= used
            open_names += used
        return {
            name: statement
            for name, statement in self.statements.items()
            if name in found
        }


def has_template(name: str) -> bool:
    """Whether there is a template of this name, such as ``rules.window``."""
    return _path(name).is_file()


def is_program(name: str) -> bool:
    """Whether there is a template of this name that runs by itself, and does not only serve others."""
    return has_template(name) and MAIN in read(name).statements


def template(name: str, instead: Mapping[str, str]) -> Template:
    """A template with all that it imports. ``instead`` names the templates that take the place of others."""
    found, visited = Template(), set()

    def visit(name: str) -> None:
        name = instead.get(name, name)
        if name in visited:
            return
        visited.add(name)
        file = read(name)
        given = file.statements.get(DIFFERENCES)
        if given is not None and isinstance(given.node, ast.Assign):
            found.differences.append(given.node.value)
        for imported in file.templates:
            visit(imported)
        found.imports.update(file.imports)
        found.statements.update(
            (key, one) for key, one in file.statements.items() if key != DIFFERENCES
        )

    visit(name)
    return found


def own_statements(name: str) -> dict[str, Statement]:
    """What a template itself does, apart from values."""
    return {
        key: one for key, one in read(name).statements.items() if not one.is_constant
    }


@cache
def read(name: str) -> File:
    """One template file."""
    source = _path(name).read_text(encoding="utf-8")
    templates: list[str] = []
    imports: dict[str, tuple[str, str]] = {}
    statements: dict[str, Statement] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            templates.append(str(node.module).removeprefix(PACKAGE))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            imports |= {
                alias.name.partition(".")[0]: (module, alias.name)
                for alias in node.names
            }
        else:
            statements |= {
                defined: _statement(node, source)
                for defined in _defined(node)
                if defined != "__all__"
            }
    return File(tuple(templates), imports, statements)


def worked_out(expression: ast.expr, values: Mapping[str, Any]) -> Any:
    """The value of an expression over the constants of a template. Templates are memviz's own, so nothing is run here
    that somebody else wrote; the values are no code."""
    code = compile(ast.Expression(expression), "<template>", "eval")
    return eval(code, {"__builtins__": {}}, dict(values))  # noqa: S307


def _path(name: str) -> Traversable:
    *folders, file = name.split(".")
    return files("memviz.code_export").joinpath("templates", *folders, f"{file}.py")


def _defined(node: ast.stmt) -> Iterator[str]:
    """The name that a statement defines; a docstring defines none."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        yield target.id if isinstance(target, ast.Name) else ""
    elif isinstance(node, ast.If):
        yield MAIN


def _statement(node: ast.stmt, source: str) -> Statement:
    decorators = (
        node.decorator_list if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    )
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    lines = source.splitlines()[
        first - 1 : node.end_lineno
    ]  # whole lines, so that a comment behind them stays
    names = frozenset(
        child.id for child in ast.walk(node) if isinstance(child, ast.Name)
    )
    return Statement(node, "\n".join(lines), names)
