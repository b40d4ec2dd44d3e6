"""``memviz watch``: what programs say is kept in the library while they say it."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer
from typer import BadParameter, Option

from memviz.cli.options import Database
from memviz.cli.output import complain, say
from memviz.core import page_titles

if TYPE_CHECKING:
    from memviz.watching.programs import Place

Folders = Annotated[
    list[Path] | None,
    Option(
        "--folder",
        metavar="PATH",
        help="Watch the sessions in this folder instead of the programs' own; may be repeated.",
    ),
]
Yes = Annotated[
    bool, Option("--yes", "-y", help="Watch every folder that is found, unasked.")
]
Redact = Annotated[
    list[str] | None,
    Option(
        "--redact",
        metavar="REGEX",
        help="Conceal what this finds, beside keys, tokens and passwords of known shapes; may be repeated.",
    ),
]


def watch_programs(
    folder: Folders = None,
    yes: Yes = False,
    redact: Redact = None,
    db: Database = None,
) -> None:
    """Keep what coding agents say in the library while they say it.

    Sessions of Claude Code, Codex, Gemini CLI, Copilot CLI and opencode are read where these
    programs keep them, and stay in the library when a program compacts its own. Each is an
    ordinary conversation; the page Live shows it growing. Nothing is changed in the folders.

    \b
    Examples:
      memviz watch
      memviz watch --yes --redact "ACME-[0-9]+"
      memviz watch --folder ~/agents/sessions
    """
    from memviz.storage.workspace import Workspace
    from memviz.watching.folders import FolderWatch
    from memviz.watching.keeper import Keeper

    keeper_options = tuple(redact or ())
    places = _places_of(folder or ()) if folder else _places_asked_for(yes)
    if not places:
        raise BadParameter(
            "There is no folder to watch. Give one with --folder, or start one of the programs first."
        )
    stop = Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: stop.set())
    keeper = Keeper(Workspace(db).store, keeper_options)
    say(f"Watching. The page {page_titles.LIVE} of memviz ui shows it; Ctrl-C ends.")
    FolderWatch(places, keeper, complain).run(stop)


def _places_of(folders: Sequence[Path]) -> list[Place]:
    from memviz.watching.programs import Place

    for folder in folders:
        if not folder.expanduser().is_dir():
            raise BadParameter(f"There is no folder {str(folder)!r}.")
    return [Place(folder.expanduser().absolute()) for folder in folders]


def _places_asked_for(yes: bool) -> list[Place]:
    """Return the folders of programs that the user lets be watched."""
    from memviz.watching.programs import places_here

    allowed = []
    for place in places_here():
        title = place.program.title if place.program else ""
        question = f"Watch the sessions of {title} in {place.folder}?"
        if yes:
            say(f"{title}: {place.folder}")
        if yes or typer.confirm(question, default=True):
            allowed.append(place)
    return allowed
