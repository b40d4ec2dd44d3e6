"""Long conversations on every page: time to the first picture, most memory, and memory that is given back.

    python -m benchmarks.large_conversations [--messages 1000 10000 50000] [--pages compare memory_map]
                                             [--settings window buffer] [--first all]

Every page is opened with every strategy in a server of its own, by the websocket that a
browser would use. Seconds are of the processor of the server, from the moment the page
is asked for until its first picture is sent, so a busy machine does not change them;
those in brackets are of the clock. "Peak" is the most memory that the process ever had,
"left" what it has once the visitor has gone to another conversation. A server that
grows beyond --most-mb is ended. "So far" says that the picture shows what was replayed
until then (``memviz/dashboard/ui/controls/replaying.py``). Of a long conversation
pages look at the beginning (``memviz/dashboard/ui/controls/conversations.py``), with
``--first all`` at all of it; then "page" is the time until all of it was replayed and
drawn. The first picture of Chat are the newest messages, which are there before the
memory is derived (``memviz/dashboard/ui/chat/deriving.py``); "memory after" says when
that was there as well, on the clock, and "page" is then the time of the whole. Reads
/proc, so it runs on Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlencode

from benchmarks.streamlit_visitor import ServerGoneError, Visitor
from benchmarks.synthetic.generator import generate
from memviz import strategies
from memviz.storage.store import Store
from memviz.transcripts.base import Transcript
from tests.browser.dashboard import Dashboard

VIEWS = {
    "costs": ("compare", "dollars"),
    "memory_map": ("compare", "memory_map"),
    "retention": ("facts", "lives"),
    "summaries": ("facts", "summaries"),
}
"""Views of pages that are measured by themselves."""
PAGES = ("compare", *VIEWS, "tune", "chat", "library")
WITHOUT_SETTINGS = ("tune", "library")
NEWCOMERS = "as opened"
"""The three settings that a page shows at first."""
PARAMETERS = {
    "token_buffer": '{"max_tokens": 2000}',
    "summary_buffer": '{"max_token_limit": 2000}',
    "chat_summary_buffer": '{"token_limit": 2000}',
}
MOST_TURNS = 100_000
"""Of one generated conversation; a longer one is several in a row."""
GIVEN_BACK_SECONDS = 4
"""How long after the visitor has gone the memory is looked at."""

LOOK_SECONDS = 0.5
"""How often a page is drawn again while it waits."""


class Measured(NamedTuple):
    """One page under one setting."""

    picture_cpu_seconds: float
    picture_seconds: float
    page_cpu_seconds: float
    sent_mb: float
    peak_mb: float
    left_mb: float
    note: str = ""

    def __str__(self) -> str:
        note = f"  {self.note}" if self.note else ""
        return (
            f"{self.picture_cpu_seconds:7.2f} s ({self.picture_seconds:5.1f}) {self.page_cpu_seconds:7.2f} s "
            f"{self.sent_mb:7.1f} MB {self.peak_mb:8,.0f} MB {self.left_mb:8,.0f} MB{note}"
        )


class Limits(NamedTuple):
    """When a measurement is given up, and how much of a conversation is looked at (``first`` of an address)."""

    most_mb: float
    seconds: float
    first: str = ""


def database_with(
    folder: Path, messages: int, facts_per_100_turns: int
) -> tuple[Path, str]:
    """A database with one conversation of that many messages; returns it and the conversation's id."""
    path = folder / f"{messages}.db"
    parts = [
        generate(
            min(MOST_TURNS, messages // 2 - start),
            seed=1 + start,
            facts_per_100_turns=facts_per_100_turns,
        )
        for start in range(0, messages // 2, MOST_TURNS)
    ]
    first, *more = parts
    said = (*first.messages, *(message for part in more for message in part.messages))
    # As a file without facts is imported: the pages have to find them.
    return path, Store(path).add_conversation(Transcript(said, title=first.title))


def page_of(name: str) -> str:
    """Return the page of a view, or the page itself."""
    return VIEWS[name][0] if name in VIEWS else name


def address(page: str, id: str, setting: str, first: str) -> str:
    """The query that opens ``page`` with one setting."""
    if page == "library":
        return ""
    if page == "chat":
        return urlencode({"chat": id})
    chosen = (
        []
        if setting == NEWCOMERS or page in WITHOUT_SETTINGS
        else [("setting", written(setting))]
    )
    view = [("view", VIEWS[page][1])] if page in VIEWS else []
    return urlencode([("conversation", id), ("first", first), *view, *chosen])


def written(setting: str) -> str:
    """A setting as links have it."""
    return f"{setting} {PARAMETERS[setting]}" if setting in PARAMETERS else setting


async def visit(
    server: Dashboard, page: str, id: str, setting: str, limits: Limits
) -> Measured:
    """Open the page, look at it, go to another conversation, and leave."""
    visitor = Visitor(server.url, server.pid, page_of(page), limits.most_mb)
    await visitor.open()
    try:
        async with asyncio.timeout(limits.seconds):
            note = await look(visitor, page, id, setting, limits.first)
    except TimeoutError:
        note = f"ended after {limits.seconds:,.0f} s"
    except ServerGoneError as gone:
        return visitor.measured(Measured, 0.0, str(gone))
    if not note.startswith("ended"):
        await visitor.run("conversation=sample-trip", page="compare")
        await visitor.run("chat=sample-trip", page="chat")
    await visitor.close()
    await asyncio.sleep(GIVEN_BACK_SECONDS)
    return visitor.measured(Measured, visitor.rss_mb(), note)


async def look(visitor: Visitor, page: str, id: str, setting: str, first: str) -> str:
    """What somebody does to see the page; returns what is worth noting about it."""
    if page == "chat" and setting != NEWCOMERS:
        await choose_strategy(visitor, setting)
        visitor.start()
        visitor.click(f"chat-{id}")
    else:
        visitor.start()
    await visitor.run(address(page, id, setting, first))
    if page == "library":
        visitor.click(f"read-{id}")
        await visitor.run("")
    await until_derived(visitor)
    while first and visitor.has("long-replay-stop"):
        await asyncio.sleep(LOOK_SECONDS)
        await visitor.run_fragment()
    if visitor.has("long-replay-stop"):
        visitor.exceptions.append("so far")
    return "; ".join(visitor.exceptions[:1])


async def until_derived(visitor: Visitor) -> None:
    """Stay in Chat until the memory of the conversation is there."""
    begun = monotonic()
    if not visitor.has("chat-derive-stop"):
        return
    while visitor.has("chat-derive-stop"):
        await asyncio.sleep(LOOK_SECONDS)
        await visitor.run("")
    visitor.exceptions.append(f"memory after {monotonic() - begun:,.0f} s")


async def choose_strategy(visitor: Visitor, setting: str) -> None:
    """Choose the strategy of the next chat, and go to the library, where a conversation can be opened as one."""
    await visitor.run("")
    visitor.choose("strategy-0", strategies()[setting].title)
    await visitor.run("")
    await visitor.run("", page="library")


def copy(database: Path, to: Path) -> None:
    """A copy of a database, with what is still in its write-ahead log."""
    with (
        closing(sqlite3.connect(database)) as source,
        closing(sqlite3.connect(to)) as target,
    ):
        source.backup(target)


def measure(
    database: Path, id: str, page: str, setting: str, limits: Limits
) -> Measured:
    """One page under one setting in a server and a database of its own."""
    with TemporaryDirectory() as name:
        server = Dashboard(Path(name), is_measured=True)
        copy(database, server.database)
        server.start()
        try:
            return asyncio.run(visit(server, page, id, setting, limits))
        finally:
            server.stop()


def cases(pages: list[str], settings: list[str]) -> Iterator[tuple[str, str]]:
    """Every page with every setting it can have."""
    for page in pages:
        for setting in [NEWCOMERS] if page in WITHOUT_SETTINGS else settings:
            yield page, setting


def main() -> None:
    every = [NEWCOMERS, *strategies()]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--messages", type=int, nargs="+", default=[1_000, 10_000, 50_000]
    )
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    parser.add_argument("--settings", nargs="+", choices=every, default=every)
    parser.add_argument("--facts", type=int, default=1, help="facts in 100 turns")
    parser.add_argument("--most-mb", type=float, default=4_000)
    parser.add_argument(
        "--seconds",
        type=float,
        default=300,
        help="the longest that a page is waited for",
    )
    parser.add_argument(
        "--first",
        default="",
        help="messages that pages look at: a number, or all; as a newcomer does",
    )
    options = parser.parse_args()
    limits = Limits(options.most_mb, options.seconds, options.first)
    head = f"{'picture (clock)':>20} {'page':>9} {'sent':>10} {'peak':>11} {'left':>11}"
    for messages in options.messages:
        with TemporaryDirectory() as name:
            database, id = database_with(Path(name), messages, options.facts)
            print(f"\n{f'{messages:,} messages':34}{head}", flush=True)
            for page, setting in cases(options.pages, options.settings):
                found = measure(database, id, page, setting, limits)
                print(f"{page:12} {setting:20} {found}", flush=True)


if __name__ == "__main__":
    main()
