"""A program for a setting, put together from templates."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memviz.code_export.python_text import import_lines, value
from memviz.code_export.template_reader import (
    Statement,
    own_statements,
    template,
    worked_out,
)


class Program(NamedTuple):
    """The parts of a file: imports, values to edit, and code; and in sentences where it differs from memviz."""

    imports: str
    constants: Mapping[str, str]
    code: str
    differences: Sequence[str]

    @property
    def counts_with_tiktoken(self) -> bool:
        """Whether the package tiktoken has to be installed."""
        return "ENCODING" in self.constants


def program(
    name: str,
    values: Mapping[str, Any],
    instead: Mapping[str, str],
    expressions: Mapping[str, str] | None = None,
) -> Program:
    """The template of this name with these values. ``instead`` names templates that take the place of others,
    ``expressions`` gives the source of what stands behind ``=`` for names that are no constants."""
    whole = template(name, instead)
    needed = whole.needed(own_statements(name))
    known = dict(values)
    constants = {
        key: _constant(key, one, known)
        for key, one in needed.items()
        if one.is_constant
    }
    ordered = [key for key in values if key in constants] + [
        key for key in constants if key not in values
    ]
    used = {word for statement in needed.values() for word in statement.names}
    return Program(
        import_lines(line for word, line in whole.imports.items() if word in used),
        {key: constants[key] for key in ordered},
        _code(
            [
                _with(one, name, expressions or {})
                for name, one in needed.items()
                if not one.is_constant
            ]
        ),
        [
            sentence
            for given in whole.differences
            for sentence in worked_out(given, known)
        ],
    )


def _constant(name: str, statement: Statement, known: dict[str, Any]) -> str:
    """The line of a constant with the setting's value. Arithmetic on values is worked out, and becomes known."""
    given = statement.node.value if isinstance(statement.node, ast.Assign) else None
    if given is not None and statement.is_arithmetic:
        known[name] = worked_out(given, known)
    if given is None or name not in known:
        return statement.source
    comment = (
        statement.source.splitlines()[-1].encode()[given.end_col_offset or 0 :].decode()
    )
    return f"{name} = {value(known[name])}{comment}"


def _with(statement: Statement, name: str, expressions: Mapping[str, str]) -> Statement:
    return (
        statement._replace(source=f"{name} = {expressions[name]}")
        if name in expressions
        else statement
    )


def _code(statements: Sequence[Statement]) -> str:
    """Definitions with two blank lines round each; simple statements stay under each other."""
    return "".join(_spaced(statements)).strip("\n")


def _spaced(statements: Sequence[Statement]) -> Iterator[str]:
    before: ast.stmt | None = None
    for node, source, _ in statements:
        is_simple = isinstance(node, ast.Assign) and isinstance(before, ast.Assign)
        yield ("\n" if is_simple else "\n\n\n") + source
        before = node
