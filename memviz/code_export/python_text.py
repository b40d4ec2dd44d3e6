"""Python source as text: comments, values and imports, put together to one file."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from memviz.code_export.base import Setting

WIDTH = 100
"""Longest line of a generated comment, in characters."""
PIECE_CHARS = 80


def one_line(text: str) -> str:
    """Text that stays within one comment, whatever somebody called a conversation: no line breaks, and no
    characters that cannot be seen."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


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
    return (
        f'"{literal[1:-1]}"'
        if literal[0] == "'" and '"' not in literal and "\\'" not in literal
        else literal
    )


def value(given: Any, indent: int = 0) -> str:
    """A value as a Python literal; a long text as pieces under each other."""
    if isinstance(given, dict):
        return (
            "{"
            + ", ".join(f"{value(key)}: {value(item)}" for key, item in given.items())
            + "}"
        )
    if isinstance(given, list):
        return f"[{', '.join(map(value, given))}]"
    if isinstance(given, tuple):
        return f"({', '.join(map(value, given))}{',' if len(given) == 1 else ''})"
    if not isinstance(given, str):
        return repr(given)
    if len(given) <= PIECE_CHARS and "\n" not in given:
        return quoted(given)
    pad = " " * indent
    pieces = [
        piece for line in given.splitlines(keepends=True) for piece in _pieces(line)
    ]
    return "\n".join(
        ["(", *(f"{pad}    {quoted(piece)}" for piece in pieces), f"{pad})"]
    )


def _pieces(line: str) -> list[str]:
    return re.findall(rf"(?s).{{1,{PIECE_CHARS}}}(?:\s|$)|.{{1,{PIECE_CHARS}}}", line)


def called(function: str, first: str, arguments: Mapping[str, Any]) -> str:
    """A call with one argument a line after the first one."""
    if not arguments:
        return f"{function}({quoted(first)})"
    lines = [f"    {name}={value(given, 4)}," for name, given in arguments.items()]
    return "\n".join([f"{function}(", f"    {quoted(first)},", *lines, ")"])


def header(
    setting: Setting, place: str, install: str, differences: Sequence[str]
) -> str:
    """The comment on top: what this is, where it was found, and what differs from the simulation."""
    lines = [comment(f"{setting.strategy.label}, for {place}.")]
    if setting.found:
        lines.append(comment(f"Found with memviz: {setting.found}"))
    if install:
        lines.append(f"# Needs: {install}")
    lines.append("#")
    if differences:
        lines.append("# Where it differs from what memviz simulated:")
        lines += [comment(difference, "# - ", "#   ") for difference in differences]
    else:
        lines.append("# It sends what memviz simulated.")
    return "\n".join(lines)


def import_lines(imported: Iterable[tuple[str, str]]) -> str:
    """Import lines in the usual order: the standard library, a blank line, the rest. Each import is a module with a
    name from it, or no module and the name of one."""
    names: dict[str, set[str]] = defaultdict(set)
    for module, name in imported:
        names[module].add(name)
    lines = [f"import {name}" for name in sorted(names.pop("", ()))]
    lines += [_from(module, names[module]) for module in sorted(names)]
    groups: dict[bool, list[str]] = {True: [], False: []}
    for line in lines:
        groups[line.split()[1].partition(".")[0] in sys.stdlib_module_names].append(
            line
        )
    return "\n\n".join(
        "\n".join(group) for group in (groups[True], groups[False]) if group
    )


def _from(module: str, names: Iterable[str]) -> str:
    """Constants first, then classes, then functions, as sorters of imports have it."""
    ordered = sorted(
        names,
        key=lambda name: (
            not name.isupper(),
            not name[0].isupper(),
            name.lower(),
            name,
        ),
    )
    return f"from {module} import {', '.join(ordered)}"


def joined(top: str, imported: str, constants: Iterable[str], code: str) -> str:
    """One file: the comment on top, imports, values to edit, and the code."""
    parts = [top, imported, "\n".join(constants)]
    return "\n\n".join(part for part in parts if part) + f"\n\n\n{code}\n"
