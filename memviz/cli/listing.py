"""``memviz list``: the conversations of the library."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Option

from memviz.cli.options import AsJson, Database
from memviz.cli.output import complain, console, on_one_line, write_json

if TYPE_CHECKING:
    from memviz.storage.entries import ConversationEntry

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

    workspace = Workspace(db)
    entries, unreadable, in_all = workspace.store.page(search, limit, 0)
    for damaged in unreadable:
        complain(f"Warning: {damaged.error()}")
    if json:
        write_json([_as_json(entry) for entry in entries])
        return
    _print_table(entries)
    if in_all > len(entries) + len(unreadable):
        complain(
            f"{len(entries):,} of {in_all:,} conversations; --limit {in_all} shows all."
        )
    elif not in_all:
        complain("No conversation matches." if search else "The library is empty.")


def _as_json(entry: ConversationEntry) -> dict[str, object]:
    times = {
        name: time.isoformat() if (time := getattr(entry, name)) else None
        for name in _TIMES
    }
    return asdict(entry) | times


_TIMES = ("created_at", "updated_at", "held_at")


def _print_table(entries: list[ConversationEntry]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("title")  # the one that gives way in a narrow terminal
    for name in ("turns", "messages"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("format", "changed (UTC)"):
        table.add_column(name, no_wrap=True)
    for entry in entries:
        table.add_row(
            short_id(entry.id),
            Text(on_one_line(entry.title), no_wrap=True, overflow="ellipsis"),
            f"{entry.turn_count:,}",
            f"{entry.message_count:,}",
            on_one_line(entry.format),
            f"{entry.updated_at:%Y-%m-%d %H:%M}",
        )
    if entries:
        console().print(table)


def short_id(id: str) -> str:
    """The beginning of an id that memviz made; the whole of one that has a meaning."""
    from uuid import UUID

    try:
        return str(UUID(id))[:SHORT_ID_CHARS]
    except ValueError:
        return on_one_line(id)
