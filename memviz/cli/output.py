"""Writing to a terminal, a pipe or a file.

Titles, messages and file names come from others, and a terminal obeys what is written to it: before they are
shown, all that is no visible character is taken out, and nothing in them is markup.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

import typer

from memviz.cli.errors import OutputError
from memviz.core.text.visible import put_on_one_line, remove_control_characters

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PIPE_COLUMNS = 1_000
"""Width of tables that no terminal shows: nothing in them is cut or wrapped."""
UNNOTICED_SECONDS = 0.5
"""Work that takes less shows no bar."""
STANDARD_STREAM = Path("-")


class Progress(Protocol):
    """Gets what is done and how much there is, ``None`` where nobody knows; how long the rest takes, where that is
    known, in words."""

    def __call__(self, done: int, total: int | None, /, left: str = "") -> object:
        """Show it."""


def say(text: str) -> None:
    """One line of the result."""
    typer.echo(put_on_one_line(text))


def complain(text: str) -> None:
    """One line on stderr: an error or a warning."""
    typer.echo(put_on_one_line(text), err=True)


def never_fails_on_letters() -> None:
    """A letter that the terminal's encoding does not have becomes an escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def console() -> Console:
    """Return the console that tables are drawn on. No text given to it is read as markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    return Console(
        file=sys.stdout, markup=False, highlight=False, emoji=False, width=width
    )


def new_table(
    *columns: str,
    right: Collection[str] = (),
    wrapped: Collection[str] = (),
    header_style: str = "bold",
    overflow: Any = "ellipsis",
    **layout: Any,
) -> Table:
    """Return an empty table. The columns named in ``right`` hold numbers, those in ``wrapped`` give way in a narrow
    terminal; ``layout`` are further options of :class:`rich.table.Table`."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style=header_style, **layout)
    for title in columns:
        justify: Any = "right" if title in right else "left"
        is_whole = title not in wrapped
        table.add_column(title, justify=justify, no_wrap=is_whole, overflow=overflow)
    return table


@contextmanager
def progress_of(what: str) -> Iterator[Progress]:
    """Show a bar on stderr while something runs, fed with what is done and how much there is; without a terminal
    nothing is shown."""
    if not sys.stderr.isatty():
        yield lambda done, total, /, left="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(put_on_one_line(what), left="")
    began = monotonic()

    def show(done: int, total: int | None, /, left: str = "") -> None:
        # What is done within a moment needs no bar: it would only flicker.
        if not bar.live.is_started and monotonic() - began > UNNOTICED_SECONDS:
            bar.start()
        bar.update(task, completed=done, total=total, left=left)

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()


def write_json(value: Any) -> None:
    """JSON on stdout, in ASCII: any pipe can carry it, and no terminal finds anything in it to obey."""
    typer.echo(json.dumps(value, indent=1, default=str))


def write_text(
    text: str, out: Path | None, *sources: str, what: str = "the conversation"
) -> None:
    """The text as UTF-8 into a file, or on stdout. ``sources`` are the files that it was made from, which are never
    written over, and ``what`` is in them. Raises :class:`memviz.cli.errors.OutputError`."""
    if out is None or out == STANDARD_STREAM:
        # A pipe gets every character, a terminal the visible ones.
        if sys.stdout.isatty():
            typer.echo(remove_control_characters(text, keep="\n\t"))
        else:
            typer.get_binary_stream("stdout").write(text.encode("utf-8", "replace"))
        return
    try:
        if out.exists():
            for source in filter(None, sources):
                if os.path.samefile(source, out):
                    raise OutputError(
                        f"{out} is {what} itself. Give another name to write to."
                    )
        out.write_text(text, encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{out} cannot be written: {reason}.") from error
    complain(f"Written: {out}")
