"""Python source as text: comments, values and imports, put together to one file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
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
    lines = wrap(one_line(text), WIDTH, initial_indent=first, subsequent_indent=further, break_on_hyphens=False)
    return "\n".join(lines)


def quoted(text: str) -> str:
    """A text as a Python literal, in double quotes where that needs no more escapes."""
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal[0] == "'" and '"' not in literal and "\\'" not in literal else literal


def value(given: Any, indent: int = 0) -> str:
    """A value as a Python literal; a long text as pieces under each other."""
    if not isinstance(given, str):
        return repr(given)
    if len(given) <= PIECE_CHARS and "\n" not in given:
        return quoted(given)
    pad = " " * indent
    pieces = [piece for line in given.splitlines(keepends=True) for piece in _pieces(line)]
    return "\n".join(["(", *(f"{pad}    {quoted(piece)}" for piece in pieces), f"{pad})"])


def _pieces(line: str) -> list[str]:
    return re.findall(rf"(?s).{{1,{PIECE_CHARS}}}(?:\s|$)|.{{1,{PIECE_CHARS}}}", line)


def constant(name: str, given: Any, note: str = "") -> str:
    """``NAME = value  # note``."""
    return f"{name} = {value(given)}" + (f"  # {note}" if note else "")


def parameters(setting: Setting) -> list[str]:
    """The strategy's parameters as constants, without those that only bound what memviz's own model may do."""
    return [
        constant(parameter.name.upper(), getattr(setting.strategy, parameter.name), parameter.unit)
        for parameter in setting.strategy.parameters()
        if not parameter.live_only
        and parameter.name not in ("summarize_prompt", "enable_recall", "max_recalled_messages")
    ]


def header(setting: Setting, place: str, install: str, differences: Sequence[str]) -> str:
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


def imports(lines: Iterable[str]) -> str:
    """Import lines in the usual order: the standard library, a blank line, the rest."""
    groups: dict[bool, list[str]] = {True: [], False: []}
    for line in sorted(set(lines), key=lambda line: (line.startswith("from"), line.lower())):
        groups[line.split()[1].partition(".")[0] in sys.stdlib_module_names].append(line)
    return "\n\n".join("\n".join(group) for group in (groups[True], groups[False]) if group)


def python_file(
    setting: Setting,
    place: str,
    *,
    install: str = "",
    differences: Sequence[str] = (),
    imported: Iterable[str] = (),
    constants: Sequence[str] = (),
    bodies: Sequence[str] = (),
) -> str:
    """One file: header, imports, values to edit, and the code."""
    top = [header(setting, place, install, differences), imports(imported), "\n".join(constants)]
    blocks = "\n\n\n".join(body.strip("\n") for body in bodies if body)
    return "\n\n".join(part for part in top if part) + ("\n\n\n" + blocks if blocks else "") + "\n"
