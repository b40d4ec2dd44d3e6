"""What is written to a terminal, a pipe or a file.

Titles, messages and file names come from others, and a terminal obeys what is written to it: before they are
shown, all that is no visible character is taken out, and nothing in them is markup.
"""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

import typer

if TYPE_CHECKING:
    from rich.console import Console

PIPE_COLUMNS = 1_000
"""Width of tables that no terminal shows: nothing in them is cut or wrapped."""
UNNOTICED_SECONDS = 0.5
"""Work that takes less shows no bar."""
STANDARD_STREAM = Path("-")
_TURNS_TEXT_ROUND = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


class Progress(Protocol):
    """Gets what is done and how much there is; how long the rest takes, where that is known, in words."""

    def __call__(self, done: int, total: int, /, left: str = "") -> object:
        """Show it."""


def visible(text: str, *, keep: str = "") -> str:
    """``text`` without what a terminal would obey: control characters, and marks that reorder what follows."""
    if text.isascii() and text.isprintable():
        return text
    obeyed = ("Cc", "Cs", "Zl", "Zp")
    return "".join(
        c
        for c in text
        if c in keep
        or (unicodedata.category(c) not in obeyed and c not in _TURNS_TEXT_ROUND)
    )


def on_one_line(text: str) -> str:
    """Visible text with white space of any kind as single spaces."""
    return " ".join(visible(" ".join(text.split())).split())


def say(text: str) -> None:
    """One line of the result."""
    typer.echo(on_one_line(text))


def complain(text: str) -> None:
    """One line on stderr: an error or a warning."""
    typer.echo(on_one_line(text), err=True)


def never_fails_on_letters() -> None:
    """A letter that the terminal's encoding does not have becomes an escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def console() -> Console:
    """Where tables are drawn. No text given to it is read as markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    return Console(
        file=sys.stdout, markup=False, highlight=False, emoji=False, width=width
    )


@contextmanager
def progress_of(what: str) -> Iterator[Progress | None]:
    """A bar on stderr while something runs, fed with what is done and how much there is; none without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    texts = [
        TextColumn(f"{{task.{name}}}", markup=False)
        for name in ("description", "fields[left]")
    ]
    columns = (texts[0], BarColumn(), MofNCompleteColumn(), texts[1])
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task, began = bar.add_task(on_one_line(what), left=""), monotonic()

    def show(done: int, total: int, /, left: str = "") -> None:
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
    from memviz.cli.errors import OutputError

    if out is None or out == STANDARD_STREAM:
        if (
            sys.stdout.isatty()
        ):  # a pipe gets every character, a terminal the visible ones
            typer.echo(visible(text, keep="\n\t"))
        else:
            typer.get_binary_stream("stdout").write(text.encode("utf-8", "replace"))
        return
    try:
        if out.exists() and any(
            os.path.samefile(source, out) for source in sources if source
        ):
            raise OutputError(f"{out} is {what} itself. Give another name to write to.")
        out.write_text(text, encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        raise OutputError(
            f"{out} cannot be written: {error.strerror or error}."
        ) from error
    complain(f"Written: {out}")
