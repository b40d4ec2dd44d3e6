"""``memviz watch``: what programs say is kept in the library while they say it."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer
from typer import BadParameter, Option

from memviz.cli.options import Database
from memviz.cli.output import complain, say
from memviz.core import page_titles

if TYPE_CHECKING:
    from memviz.watching.keeper import Keeper
    from memviz.watching.programs import WatchedFolder

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


Traces = Annotated[
    bool,
    Option("--otlp", help="Receive OpenTelemetry traces of calls of models."),
]
TracesPort = Annotated[
    int,
    Option(
        "--otlp-port", metavar="PORT", min=1, max=65_535, help="Where to, at 127.0.0.1."
    ),
]
ProxyTo = Annotated[
    str,
    Option(
        "--proxy",
        metavar="URL",
        help="Pass requests on to the API of models at this address, and keep what is said.",
    ),
]
ProxyPort = Annotated[
    int,
    Option(
        "--proxy-port",
        metavar="PORT",
        min=1,
        max=65_535,
        help="Where programs reach it, at 127.0.0.1.",
    ),
]


def watch_programs(
    folder: Folders = None,
    yes: Yes = False,
    redact: Redact = None,
    otlp: Traces = False,
    otlp_port: TracesPort = 4318,
    proxy: ProxyTo = "",
    proxy_port: ProxyPort = 4319,
    db: Database = None,
) -> None:
    """Keep what programs say in the library while they say it.

    Sessions of Claude Code, Codex, Gemini CLI, Copilot CLI and opencode are read where these
    programs keep them, and stay in the library when a program compacts its own. Each is an
    ordinary conversation; the page Live shows it growing. Nothing is changed in the folders.
    Other programs send traces (--otlp) or talk through a proxy (--proxy); with one of these only
    the folders that are given are watched.

    \b
    Examples:
      memviz watch
      memviz watch --yes --redact "ACME-[0-9]+"
      memviz watch --folder ~/agents/sessions
      memviz watch --otlp
      memviz watch --proxy https://api.openai.com
    """
    from memviz.storage.workspace import Workspace
    from memviz.watching.folders import FolderWatch
    from memviz.watching.keeper import Keeper

    if folder or otlp or proxy:
        places = _read_places(folder or ())
    else:
        places = _ask_for_places(yes)
    if not (places or otlp or proxy):
        raise BadParameter(
            "There is no folder to watch: none was found, or none was agreed to. Give one with --folder."
        )
    # A signal only asks to stop: a file that is being read is kept whole.
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    keeper = Keeper(Workspace(db).store, tuple(redact or ()))
    with ExitStack() as servers:
        if otlp:
            servers.enter_context(_receive_traces(keeper, otlp_port))
        if proxy:
            servers.enter_context(_relay_requests(keeper, proxy, proxy_port))
        for place in places:
            say(f"Sessions are read in {place.folder}.")
        say(
            f"Watching, into {keeper.store.path}. The page {page_titles.LIVE} of memviz ui shows it; Ctrl-C ends."
        )
        FolderWatch(places, keeper, complain).run(stop)


@contextmanager
def _receive_traces(keeper: Keeper, port: int) -> Iterator[None]:
    from memviz.watching.serving import serve_traces

    with closing(serve_traces(keeper, port)) as server:
        say(
            f"Traces are received at {server.address}/v1/traces, their logs at /v1/logs."
        )
        yield


@contextmanager
def _relay_requests(keeper: Keeper, upstream: str, port: int) -> Iterator[None]:
    from memviz.watching.serving import serve_proxy

    with closing(serve_proxy(keeper, upstream, port)) as server:
        say(f"{server.address} passes requests on to {upstream}.")
        yield


def _read_places(folders: Sequence[Path]) -> list[WatchedFolder]:
    from memviz.watching.programs import WatchedFolder

    for folder in folders:
        if not folder.expanduser().is_dir():
            raise BadParameter(f"There is no folder {str(folder)!r}.")
    return [WatchedFolder(folder.expanduser().absolute()) for folder in folders]


def _ask_for_places(yes: bool) -> list[WatchedFolder]:
    """Return the folders of programs that the user lets be watched."""
    from memviz.watching.programs import find_places

    allowed = []
    for place in find_places():
        title = place.program.title if place.program else ""
        question = f"Watch the sessions of {title} in {place.folder}?"
        if yes:
            say(f"{title}: {place.folder}")
        if yes or typer.confirm(question, default=True):
            allowed.append(place)
    return allowed
