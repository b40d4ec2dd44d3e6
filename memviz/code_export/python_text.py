"""Python source as text: comments, values and imports."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any

WIDTH = 100
"""Longest line of a generated comment, in characters."""
PIECE_CHARS = 80
_PIECE = re.compile(rf"(?s).{{1,{PIECE_CHARS}}}(?:\s|$)|.{{1,{PIECE_CHARS}}}")


class Expression(str):
    """Python source that stands for a value."""


def one_line(text: str) -> str:
    """Text that stays within one comment, whatever somebody called a conversation: no line breaks, and no
    characters that cannot be seen."""
    visible = [letter if letter.isprintable() else " " for letter in text]
    return " ".join("".join(visible).split())


def comment(text: str, first: str = "# ", further: str = "# ") -> str:
    """A comment, wrapped."""
    lines = wrap(
        one_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=further,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def quoted(text: str) -> str:
    """A text as a Python literal, in double quotes where that needs no more escapes."""
    literal = repr(text)
    if literal[0] == '"' or '"' in literal or "\\'" in literal:
        return literal
    return f'"{literal[1:-1]}"'


def value(given: Any, indent: int = 0) -> str:
    """A value as a Python literal; a long text as pieces under each other."""
    if isinstance(given, Expression):
        return given
    if isinstance(given, dict):
        items = [f"{value(key)}: {value(item)}" for key, item in given.items()]
        return f"{{{', '.join(items)}}}"
    if isinstance(given, list):
        return f"[{', '.join(map(value, given))}]"
    if isinstance(given, tuple):
        comma = "," if len(given) == 1 else ""
        return f"({', '.join(map(value, given))}{comma})"
    if not isinstance(given, str):
        return repr(given)
    if len(given) <= PIECE_CHARS and "\n" not in given:
        return quoted(given)
    pad = " " * indent
    lines = ["("]
    for line in given.splitlines(keepends=True):
        lines += [f"{pad}    {quoted(piece)}" for piece in _PIECE.findall(line)]
    return "\n".join([*lines, f"{pad})"])


def called(function: str, first: str, arguments: Mapping[str, Any]) -> Expression:
    """A call with one argument a line after the first one."""
    if not arguments:
        return Expression(f"{function}({quoted(first)})")
    lines = [f"    {name}={value(given, 4)}," for name, given in arguments.items()]
    text = "\n".join([f"{function}(", f"    {quoted(first)},", *lines, ")"])
    return Expression(text)


def import_lines(imported: Iterable[tuple[str, str]]) -> str:
    """Import lines in the usual order: the standard library, a blank line, the rest. Each import is a module with a
    name from it, or no module and the name of one."""
    names: dict[str, set[str]] = defaultdict(set)
    for module, name in imported:
        names[module].add(name)
    lines = {name: f"import {name}" for name in sorted(names.pop("", ()))}
    for module in sorted(names):
        ordered = sorted(names[module], key=_import_order)
        lines[module] = f"from {module} import {', '.join(ordered)}"
    groups: dict[bool, list[str]] = {True: [], False: []}
    for module, line in lines.items():
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        groups[is_standard].append(line)
    return "\n\n".join("\n".join(group) for group in groups.values() if group)


def _import_order(name: str) -> tuple[bool, bool, str, str]:
    """Constants first, then classes, then functions, as sorters of imports have it."""
    return (not name.isupper(), not name[0].isupper(), name.lower(), name)
