"""``memviz strategies`` and ``memviz formats``: what there is to choose from."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument

from memviz.cli.options import AsJson
from memviz.cli.output import console, write_json
from memviz.core.errors import UnknownStrategyError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from memviz.strategies.base import Strategy
    from memviz.strategies.parameters import Parameter

Name = Annotated[
    str | None, Argument(metavar="[NAME]", help="Everything about this one.")
]


def list_strategies(name: Name = None, json: AsJson = False) -> None:
    """Show the memory strategies and their parameters; with NAME, all about one.

    \b
    Examples:
      memviz strategies
      memviz strategies summary_buffer
      memviz strategies --json
    """
    from memviz.strategies import strategies

    known = strategies()
    if name is not None and name not in known:
        raise UnknownStrategyError(name, known)
    chosen = list(known.values()) if name is None else [known[name]]
    if json:
        described = [_as_json(cls) for cls in chosen]
        write_json(described if name is None else described[0])
        return
    out = console()
    for number, cls in enumerate(chosen):
        if number:
            out.print()
        _print_strategy(out, cls, whole=name is not None)


def list_formats() -> None:
    """Show the formats that files can be imported from, by name and title.

    \b
    Example:
      memviz formats
    """
    from memviz.transcripts.loading import formats

    table = _table("name", "title")
    for name, known in formats().items():
        table.add_row(name, known.title)
    console().print(table)


def _as_json(cls: type[Strategy]) -> dict[str, Any]:
    parameters = [
        asdict(parameter) | {"kind": parameter.kind.__name__}
        for parameter in cls.parameters()
    ]
    return {
        "id": cls.id,
        "title": cls.title,
        "summary": cls.summary_line(),
        "description": inspect.getdoc(cls) or "",
        "reference": cls.reference,
        "cannot_be_run": cls().can_be_run(),
        "parameters": parameters,
    }


def _print_strategy(out: Console, cls: type[Strategy], *, whole: bool) -> None:
    out.print(f"{cls.id}  ({cls.title})", style="bold")
    out.print(_paragraphs(inspect.getdoc(cls) or "") if whole else cls.summary_line())
    if whole and cls.reference:
        out.print(f"Reference: {cls.reference}")
    if reason := cls().can_be_run():
        out.print(f"It cannot be run here: {reason}")
    if cls.parameters():
        table = _table("parameter", "default", "range", "unit", "help")
        for parameter in cls.parameters():
            default = (
                "its own"
                if parameter.default is None
                else str(parameter.default).lower()
            )
            table.add_row(
                parameter.name,
                default,
                _range(parameter),
                parameter.unit,
                _help(parameter),
            )
        out.print(table)


def _paragraphs(text: str) -> str:
    """The text with its lines joined, so that the terminal breaks them where it is wide enough."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        part if re.search(r"^[-* ]", part, re.MULTILINE) else " ".join(part.split())
        for part in paragraphs
    )


def _range(parameter: Parameter) -> str:
    if parameter.kind is bool:
        return "true or false"
    if parameter.choices:
        return " or ".join(value for value, _ in parameter.choices)
    if not parameter.is_number:
        return "text"
    if parameter.minimum is None:
        return "whole number"
    return (
        f"{parameter.minimum:,} or more"
        if parameter.maximum is None
        else f"{parameter.minimum}-{parameter.maximum}"
    )


def _help(parameter: Parameter) -> str:
    """What it does, and where it has a few values, what each of them does."""
    return " ".join(
        [
            parameter.help,
            *(f"{value}: {meaning}" for value, meaning in parameter.choices),
        ]
    )


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, no_wrap=column not in ("help", "title"))
    return table
