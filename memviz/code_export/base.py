"""A place that a memory setting found with memviz can be exported to, the error where it has no
code for it, and Python source as text: comments, values and imports.
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
# at most 80 letters, up to the end of a word where one ends within them
_PIECE = re.compile(rf"(?s).{{1,{PIECE_CHARS}}}(?:\s|$)|.{{1,{PIECE_CHARS}}}")
Language = Literal["yaml", "python"]


class Expression(str):
    """Python source that stands for a value."""


def join_lines(text: str) -> str:
    """Text that stays within one comment, whatever somebody called a conversation: no line breaks, and no
    characters that cannot be seen."""
    visible = [letter if letter.isprintable() else " " for letter in text]
    return " ".join("".join(visible).split())


def write_comment(text: str, first: str = "# ", further: str = "# ") -> str:
    """A comment, wrapped."""
    lines = wrap(
        join_lines(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=further,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def quote_text(text: str) -> str:
    """A text as a Python literal, in double quotes where that needs no more escapes."""
    literal = repr(text)
    if literal[0] == '"' or '"' in literal or "\\'" in literal:
        return literal
    return f'"{literal[1:-1]}"'


def write_value(content: Any, indent: int = 0) -> str:
    """A value as a Python literal; a long text as pieces under each other."""
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
        # Pieces that stand behind each other are one text for Python. Each line of the text begins a new one, so that
        # the program shows its lines.
        lines += [f"{pad}    {quote_text(piece)}" for piece in _PIECE.findall(line)]
    return "\n".join([*lines, f"{pad})"])


def write_call(function: str, first: str, arguments: Mapping[str, Any]) -> Expression:
    """A call with one argument a line after the first one."""
    if not arguments:
        return Expression(f"{function}({quote_text(first)})")
    lines = [
        f"    {name}={write_value(argument, 4)},"
        for name, argument in arguments.items()
    ]
    text = "\n".join([f"{function}(", f"    {quote_text(first)},", *lines, ")"])
    return Expression(text)


def write_imports(imported: Iterable[tuple[str, str]]) -> str:
    """Import lines in the usual order: the standard library, a blank line, the rest. Each import is a module with a
    name from it, or no module and the name of one."""
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
    """Constants first, then classes, then functions, as sorters of imports have it."""
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
    """The writer of the summaries in the simulation: a model's name as memviz takes it, such as ``offline``,
    ``recording:trip`` or ``openai/gpt-5-mini``."""
    model: str = DEFAULT_MODEL
    """The name of the model that answers in the chat."""
    system_prompt: str | None = None
    """The system prompt that was simulated."""
    found: str = ""
    """One line on which conversations the setting was found and what it showed."""
    repair_tool_pairs: bool = False
    """True if tool calls without results and results without calls, which providers refuse, are left out of
    requests."""
    summarizer_model: str = ""
    """The name of the model that is to write the summaries; empty: the ``summarizer``, and where that is no model of a
    provider the one that answers in the chat."""

    def __post_init__(self) -> None:
        find_counter(self.counter)

    @property
    def is_built_in(self) -> bool:
        """Return whether the strategy is a file of memviz itself, so that no other package's has its id."""
        return type(self.strategy).__module__ == f"memviz.strategies.{self.strategy.id}"

    @property
    def chat_model(self) -> str:
        """The model that answers in exported code: never the built-in model, which is for trying things out."""
        return DEFAULT_MODEL if is_free(self.model) else self.model

    @property
    def summary_model(self) -> str:
        """The model that summarizes in exported code, the same in every target."""
        name = self.summarizer_model or self.summarizer
        return self.chat_model if is_free(name) else name

    @property
    def summarizer_difference(self) -> str:
        """A sentence on who wrote the summaries that were simulated, and who will write them."""
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
    """One place to export a setting to."""

    title: str
    file_name: str
    """The name of the file that is saved."""
    language: Language
    install: str
    """The command that installs what is needed; empty where that is nothing."""
    writer: Callable[[Setting], str]

    def write(self, setting: Setting) -> str:
        """Return the whole file as text. Deterministic. Raises :class:`memviz.code_export.NoCodeError` where the target
        has no code for the strategy."""
        with use_language(ENGLISH):
            return self.writer(setting)


class NoCodeError(MemvizError):
    """There is no code for this strategy in this place. Attributes: the ``strategy``'s id and the ``place``."""

    def __init__(self, setting: Setting, place: str) -> None:
        self.strategy = setting.strategy.id
        self.place = place
        self._setting = setting
        super().__init__(str(self))

    def __str__(self) -> str:
        """The sentence, in the language of who reads it: code is written in English, so it was raised there."""
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
