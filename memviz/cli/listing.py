"""The lists to choose from: ``memviz list``, ``memviz strategies``, ``memviz formats`` and ``memviz models``."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from typer import Argument, Option

from memviz.cli.options import AsJson, Database
from memviz.cli.output import complain, console, new_table, write_json
from memviz.core.text.visible import put_on_one_line
from memviz.strategies import strategies, strategy_class
from memviz.strategies.presets import presets

if TYPE_CHECKING:
    from rich.console import Console

    from memviz.storage.entries import ConversationEntry
    from memviz.strategies.base import Strategy
    from memviz.strategies.parameters import Parameter
    from memviz.strategies.presets import Preset

SHORT_ID_CHARS = 8
Search = Annotated[
    str,
    Option(
        "--search",
        metavar="TEXT",
        help="Only those with this text in title or messages.",
    ),
]
Limit = Annotated[
    int,
    Option(
        "--limit", metavar="N", min=1, help="At most so many, the last changed first."
    ),
]
Name = Annotated[
    str | None, Argument(metavar="[NAME]", help="Everything about this one.")
]
Local = Annotated[
    bool,
    Option(
        "--local",
        help="Ask the servers of models that run on this machine what they have.",
    ),
]
At = Annotated[
    list[str] | None,
    Option(
        "--at",
        metavar="ADDRESS",
        help="With --local: ask at this address of this machine too, such as 8081.",
    ),
]


def list_conversations(
    search: Search = "", limit: Limit = 50, json: AsJson = False, db: Database = None
) -> None:
    """List saved conversations, the last changed first.

    The ids shown are short; any beginning of an id that fits only one conversation can be given to other commands.

    \b
    Examples:
      memviz list
      memviz list --search refund --limit 5
      memviz list --json | jq -r '.[].id'
    """
    from memviz.storage.workspace import Workspace

    entries, unreadable, in_all = Workspace(db).store.page(search, limit, 0)
    for damaged in unreadable:
        complain(f"Warning: {damaged.error()}")
    if json:
        write_json([_entry_as_json(entry) for entry in entries])
        return
    if entries:
        _print_entries(entries)
    if in_all > len(entries) + len(unreadable):
        complain(
            f"{len(entries):,} of {in_all:,} conversations; --limit {in_all} shows all."
        )
    elif not in_all:
        complain("No conversation matches." if search else "The library is empty.")


def list_strategies(name: Name = None, json: AsJson = False) -> None:
    """Show the memory strategies and their parameters, and the presets: what products do; with NAME, all about one.

    \b
    Examples:
      memviz strategies
      memviz strategies summary_buffer
      memviz strategies gemini_cli
      memviz strategies --json
    """

    if name in presets():
        _print_preset(presets()[name], json=json)
        return
    classes = list(strategies().values()) if name is None else [strategy_class(name)]
    if json:
        described = [_strategy_as_json(cls) for cls in classes]
        write_json(described if name is None else described[0])
        return
    out = console()
    for number, cls in enumerate(classes):
        if number:
            out.print()
        _print_strategy(out, cls, whole=name is not None)
    if name is None:
        out.print("\nPresets: what products and libraries do", style="bold")
        table = new_table(
            "name", "title", "strategy", "known", wrapped=["known"], header_style="dim"
        )
        for preset in presets().values():
            table.add_row(preset.id, preset.title, preset.strategy, preset.known)
        out.print(table)


def _print_preset(preset: Preset, *, json: bool) -> None:
    if json:
        write_json(asdict(preset))
        return
    out = console()
    out.print(f"{preset.id}  ({preset.title})", style="bold")
    out.print(f"The strategy {preset.strategy} with:")
    for name, value in preset.parameters.items():
        if name == "steps":
            value = "; ".join(value.split("\n"))
        out.print(f"  {name}: {value}")
    out.print(f"Known: {preset.known}.")
    if preset.differs:
        out.print(f"Differs: {preset.differs}")


def list_formats() -> None:
    """Show the formats that files can be imported from, by name and title.

    \b
    Example:
      memviz formats
    """
    from memviz.transcripts.loading import formats

    table = new_table("name", "title", wrapped=["title"], header_style="dim")
    for name, reader in formats().items():
        table.add_row(name, reader.title)
    console().print(table)


def list_models(local: Local = False, at: At = None, json: AsJson = False) -> None:
    """List models by name, each with the context that it takes and the key that it still needs.

    Any other name that litellm knows can be given to commands as well. --local asks Ollama, llama.cpp, LM Studio and
    vLLM at their usual ports of 127.0.0.1; without it, nobody is asked.

    \b
    Examples:
      memviz models
      memviz models --local
      memviz models --local --at 8081
    """
    if local or at:
        _list_local_models(at or [], json=json)
    else:
        _list_known_models(json=json)


def short_id(id: str) -> str:
    """Return the beginning of an id that memviz made; the whole of one that has a meaning."""

    try:
        return str(UUID(id))[:SHORT_ID_CHARS]
    except ValueError:
        return put_on_one_line(id)


def _entry_as_json(entry: ConversationEntry) -> dict[str, object]:
    values = asdict(entry)
    for name in ("created_at", "updated_at", "held_at"):
        time = values[name]
        values[name] = time.isoformat() if time else None
    return values


def _print_entries(entries: list[ConversationEntry]) -> None:
    from rich.text import Text

    numbers = ("turns", "messages")
    table = new_table(
        "id",
        "title",
        *numbers,
        "format",
        "changed (UTC)",
        right=numbers,
        wrapped=["title"],
    )
    for entry in entries:
        title = Text(put_on_one_line(entry.title), no_wrap=True, overflow="ellipsis")
        table.add_row(
            short_id(entry.id),
            title,
            f"{entry.turn_count:,}",
            f"{entry.message_count:,}",
            put_on_one_line(entry.format),
            f"{entry.updated_at:%Y-%m-%d %H:%M}",
        )
    console().print(table)


def _strategy_as_json(cls: type[Strategy]) -> dict[str, Any]:
    parameters = []
    for parameter in cls.parameters():
        parameters.append(asdict(parameter) | {"kind": parameter.kind.__name__})
    return {
        "id": cls.id,
        "title": cls.title,
        "summary": cls.summary_line(),
        "description": inspect.getdoc(cls) or "",
        "reference": cls.reference,
        "cannot_be_run": cls().reason_not_to_run(),
        "parameters": parameters,
    }


def _print_strategy(out: Console, cls: type[Strategy], *, whole: bool) -> None:
    from memviz.strategies.library import LibraryStrategy, version_of

    out.print(f"{cls.id}  ({cls.title})", style="bold")
    if whole:
        out.print(_joined_lines(inspect.getdoc(cls) or ""))
        if cls.reference:
            out.print(f"Reference: {cls.reference}")
    else:
        out.print(cls.summary_line())
    if issubclass(cls, LibraryStrategy) and version_of(cls.package):
        out.print(f"It is run here with {cls.package} {version_of(cls.package)}.")
    reason = cls().reason_not_to_run()
    if reason:
        out.print(f"It cannot be run here: {reason}")
    if not cls.parameters():
        return
    columns = ("parameter", "default", "range", "unit", "help")
    table = new_table(*columns, wrapped=["help"], header_style="dim")
    for parameter in cls.parameters():
        default = str(parameter.default).lower()
        if parameter.default is None:
            default = "its own"
        # What it does, and where it has a few values, what each of them does.
        meanings = [f"{value}: {meaning}" for value, meaning in parameter.choices]
        help = " ".join([parameter.help, *meanings])
        table.add_row(
            parameter.name, default, _range_of(parameter), parameter.unit, help
        )
    out.print(table)


def _joined_lines(text: str) -> str:
    """The text with the lines of each paragraph joined, so that the terminal breaks them where it is wide enough."""
    paragraphs = text.split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        is_list = re.search(r"^[-* ]", paragraph, re.MULTILINE)
        if not is_list:
            paragraphs[number] = " ".join(paragraph.split())
    return "\n\n".join(paragraphs)


def _range_of(parameter: Parameter) -> str:
    if parameter.kind is bool:
        return "true or false"
    if parameter.choices:
        return " or ".join(value for value, _ in parameter.choices)
    if not parameter.is_number:
        return "text"
    if parameter.minimum is None:
        return "whole number"
    if parameter.maximum is None:
        return f"{parameter.minimum:,} or more"
    return f"{parameter.minimum}-{parameter.maximum}"


def _list_known_models(*, json: bool) -> None:
    from memviz.models.prices import context_window_tokens
    from memviz.models.provider_keys import missing_keys
    from memviz.models.registry import known_models

    rows = []
    table = new_table(
        "name", "context tokens", "needs the key", right=["context tokens"]
    )
    for name in known_models():
        tokens = context_window_tokens(name)
        keys = missing_keys(name)
        rows.append({"name": name, "context_tokens": tokens, "missing_keys": keys})
        table.add_row(name, f"{tokens:,}" if tokens else "", " and ".join(keys))
    if json:
        write_json(rows)
    else:
        console().print(table)


def _list_local_models(at: list[str], *, json: bool) -> None:
    from memviz.models.local_servers import find_local_servers

    servers = find_local_servers(at)
    for sentence in servers.sentences:
        complain(sentence)
    if json:
        write_json([asdict(model) for model in servers.models])
    elif servers.models:
        table = new_table("name", "served by", "context", "base URL")
        for model in servers.models:
            name = put_on_one_line(model.name)
            table.add_row(name, model.program, model.context_words, model.api_base)
        console().print(table)
