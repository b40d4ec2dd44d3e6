"""The setting to export, the target to export it to, and functions that write Python source as text.

A user finds a memory setting with memviz and exports it as a file of its own, for example for LangChain. A
:class:`Target` writes that file from a :class:`Setting`. The ``write_`` functions here write its parts: comments,
values, calls and imports.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Literal

from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.counters import counter as find_counter
from memviz.core.errors import MemvizError
from memviz.core.translation import ENGLISH, _, noop, use_language
from memviz.models.names import DEFAULT_MODEL, OFFLINE, is_free
from memviz.strategies.base import Strategy

WIDTH = 100
"""Longest line of a generated comment, in characters."""
PIECE_CHARS = 80
# At most 80 characters, up to the end of a word if one ends within them.
_PIECE = re.compile(rf"(?s).{{1,{PIECE_CHARS}}}(?:\s|$)|.{{1,{PIECE_CHARS}}}")
Language = Literal["yaml", "python"]


class Expression(str):
    """Python source, which :func:`write_value` writes as it is instead of quoting it."""


def join_lines(text: str) -> str:
    """Return ``text`` in one line without invisible characters, so that no title of a user ends a comment."""
    visible = [letter if letter.isprintable() else " " for letter in text]
    return " ".join("".join(visible).split())


def write_comment(text: str, first: str = "# ", further: str = "# ") -> str:
    """Return ``text`` as a comment, wrapped at :data:`WIDTH` characters."""
    lines = wrap(
        join_lines(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=further,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def quote_text(text: str) -> str:
    """Return ``text`` as a Python literal, in double quotes unless that needs more escapes."""
    literal = repr(text)
    if literal[0] == '"' or '"' in literal or "\\'" in literal:
        return literal
    return f'"{literal[1:-1]}"'


def write_value(content: Any, indent: int = 0) -> str:
    """Return ``content`` as a Python literal; a long text as several literals below each other, in brackets."""
    if isinstance(content, Expression):
        return content
    if isinstance(content, dict):
        items = [
            f"{write_value(key)}: {write_value(item)}" for key, item in content.items()
        ]
        return f"{{{', '.join(items)}}}"
    if isinstance(content, list):
        return f"[{', '.join(map(write_value, content))}]"
    if isinstance(content, tuple):
        comma = "," if len(content) == 1 else ""
        return f"({', '.join(map(write_value, content))}{comma})"
    if not isinstance(content, str):
        return repr(content)
    if len(content) <= PIECE_CHARS and "\n" not in content:
        return quote_text(content)
    pad = " " * indent
    lines = ["("]
    for line in content.splitlines(keepends=True):
        # Python joins literals that follow each other. Each line of the text begins a new one, so that the program
        # shows the lines as they are.
        lines += [f"{pad}    {quote_text(piece)}" for piece in _PIECE.findall(line)]
    return "\n".join([*lines, f"{pad})"])


def write_call(function: str, first: str, arguments: Mapping[str, Any]) -> Expression:
    """Return the source of a call, with one line for each argument after ``first``, which is a text."""
    if not arguments:
        return Expression(f"{function}({quote_text(first)})")
    lines = [
        f"    {name}={write_value(argument, 4)},"
        for name, argument in arguments.items()
    ]
    text = "\n".join([f"{function}(", f"    {quote_text(first)},", *lines, ")"])
    return Expression(text)


def write_imports(imported: Iterable[tuple[str, str]]) -> str:
    """Return import lines in the usual order: the standard library, a blank line, then the rest.

    Each item of ``imported`` is a module and a name from it, or "" and the name of a module: ("typing", "Any") gives
    ``from typing import Any``, ("", "json") gives ``import json``.
    """
    # One line for each module, with all names that are imported from it.
    names: dict[str, set[str]] = defaultdict(set)
    for module, name in imported:
        names[module].add(name)
    lines = {name: f"import {name}" for name in sorted(names.pop("", ()))}
    for module in sorted(names):
        ordered = sorted(names[module], key=_rank_import)
        lines[module] = f"from {module} import {', '.join(ordered)}"
    groups: dict[bool, list[str]] = {True: [], False: []}
    for module, line in lines.items():
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        groups[is_standard].append(line)
    return "\n\n".join("\n".join(group) for group in groups.values() if group)


def _rank_import(name: str) -> tuple[bool, bool, str, str]:
    """Return a key that sorts constants first, then classes, then functions, as import sorters do."""
    return (not name.isupper(), not name[0].isupper(), name.lower(), name)


@dataclass(frozen=True)
class Setting:
    """A memory setting to export.

    Raises :class:`memviz.UnknownCounterError` for a counter without a name that others know.
    """

    strategy: Strategy
    counter: str = DEFAULT_COUNTER
    """The name of a token counter."""
    summarizer: str = OFFLINE
    """The model that wrote the summaries in the simulation, such as ``offline``, ``recording:trip`` or
    ``openai/gpt-5-mini``."""
    model: str = DEFAULT_MODEL
    """The name of the model that answers in the chat."""
    system_prompt: str | None = None
    """The system prompt that was simulated."""
    found: str = ""
    """A line that says over which conversations the setting was found, and what it measured there."""
    repair_tool_pairs: bool = False
    """True if tool calls without results and results without calls, which providers refuse, are left out of
    requests."""
    summarizer_model: str = ""
    """The model that writes the summaries in the exported program. Empty stands for the ``summarizer``, or for the
    model of the chat if that is no model of a provider."""

    def __post_init__(self) -> None:
        find_counter(self.counter)

    @property
    def is_built_in(self) -> bool:
        """True if the strategy is part of memviz itself, and not one of another package with the same id."""
        return type(self.strategy).__module__ == f"memviz.strategies.{self.strategy.id}"

    @property
    def chat_model(self) -> str:
        """The model that answers in the exported program: never the built-in model, which is only for trying out."""
        return DEFAULT_MODEL if is_free(self.model) else self.model

    @property
    def summary_model(self) -> str:
        """The model that writes summaries in the exported program, the same for every target."""
        name = self.summarizer_model or self.summarizer
        return self.chat_model if is_free(name) else name

    @property
    def summarizer_difference(self) -> str:
        """A sentence for the exported program that says who wrote the simulated summaries, and who writes them now."""
        wrote = join_lines(self.summarizer)
        writes = join_lines(self.summary_model)
        if self.summarizer == OFFLINE:
            return (
                f"memviz's built-in model wrote the summaries there; here {writes} writes them. A model words them "
                "differently and at another length, so what a summary keeps and costs differs."
            )
        if wrote == writes:
            return f"{wrote} wrote the summaries there and writes them here, but no two times in the same words."
        return f"{wrote} wrote the summaries there; here {writes} writes them, in other words and at another length."


@dataclass(frozen=True)
class Target:
    """A library or format that a setting can be exported to."""

    title: str
    file_name: str
    """The name of the file that is saved."""
    language: Language
    install: str
    """The command that installs what is needed; empty where that is nothing."""
    writer: Callable[[Setting], str]

    def write(self, setting: Setting) -> str:
        """Return the exported file as text, the same for the same setting.

        Raises :class:`memviz.code_export.NoCodeError` where the target has no code for the strategy.
        """
        with use_language(ENGLISH):
            return self.writer(setting)


class NoCodeError(MemvizError):
    """A target has no code for a strategy. Attributes: the id of the ``strategy`` and the ``place``."""

    def __init__(self, setting: Setting, place: str) -> None:
        self.strategy = setting.strategy.id
        self.place = place
        self._setting = setting
        super().__init__(str(self))

    def __str__(self) -> str:
        """Return the sentence in the language of the reader. It was raised where English is used, as in all code."""
        return _(
            _NO_CODE if self._setting.is_built_in else _UNKNOWN_RULE,
            place=_(self.place),
            strategy=repr(self.strategy),
            label=join_lines(self._setting.strategy.label),
        )


_NO_CODE = noop(
    "There is no code for {place} that does what the strategy {strategy} does. Export {label} to memviz_code or "
    "memory_yaml instead: memviz itself runs it, and gives the messages to send as a list that any library takes."
)

_UNKNOWN_RULE = noop(
    "The strategy {strategy} comes from another package, so memviz does not know its rule as code for {place}. Export "
    "{label} to memviz_code or memory_yaml instead: memviz itself runs it, and gives the messages to send as a list "
    "that any library takes."
)
