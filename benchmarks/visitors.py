"""Many visitors at once: what a rerun costs the server, and whether it stays up.

    python -m benchmarks.visitors reruns [--page compare] [--reruns 40]
    python -m benchmarks.visitors soak [--visitors 30] [--seconds 600] [--messages 10 100 1000 10000 50000]

``reruns`` has one visitor draw a page again: unchanged, and with another value of the sliding window each time. It
gives milliseconds of the server's processor, and the same for a bare Streamlit page with as many numbers to enter as
the page has widgets: what Streamlit itself takes.

``soak`` has visitors without a browser open pages, rerun them, and go to other pages with conversations of these sizes,
with a pause of 1.5 to 4.5 seconds after each. It prints the server's memory and the waits as it goes, and ends with 1
if anybody was shown an exception. Reads /proc, so it runs on Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.large_conversations import PAGES, address, page_of
from benchmarks.streamlit_visitor import Visitor
from benchmarks.synthetic.generator import generate
from memviz.storage.store import Store
from tests.browser.dashboard import Dashboard

NO_LIMIT_MB = 1e9
REPORT_SECONDS = 30
WIDGETS = 34
"""Widgets on Compare as it is first opened."""
BARE_APP = f"""
import streamlit as st
for number in range({WIDGETS}):
    st.number_input(str(number), value=1, key=f"number-{{number}}")
"""


async def cost_of_reruns(
    server: Dashboard, page: str, reruns: int, change: str | None
) -> float:
    """Milliseconds of the server's processor for one rerun; ``change`` is the key of a number that grows each time."""
    visitor = Visitor(server.url, server.pid, page_of(page), NO_LIMIT_MB)
    await visitor.open()
    for number in range(reruns + 5):
        if number == 5:  # by then everything is loaded and kept
            started = visitor.cpu_seconds()
        if change is not None and visitor.has(change):
            visitor.enter(change, 11 + number)
        await visitor.run("")
    cost = (visitor.cpu_seconds() - started) / reruns
    await visitor.close()
    assert not visitor.exceptions, visitor.exceptions
    return cost * 1000


def reruns(page: str, count: int) -> None:
    """Print what reruns of ``page`` cost, beside those of a bare page."""
    with TemporaryDirectory() as name:
        bare_app = Path(name) / "bare" / "app.py"
        bare_app.parent.mkdir()
        bare_app.write_text(BARE_APP)
        servers = {
            "ours": Dashboard(Path(name), is_measured=True),
            "bare": Dashboard(bare_app.parent, bare_app, is_measured=True),
        }
        for server in servers.values():
            server.start()
        try:
            bare = asyncio.run(cost_of_reruns(servers["bare"], "", count, None))
            print(
                f"a bare Streamlit page with {WIDGETS} numbers to enter   {bare:6.1f} ms",
                flush=True,
            )
            for what, change in (
                (f"{page}, unchanged", None),
                (f"{page}, another window size", WINDOW_SIZE),
            ):
                cost = asyncio.run(cost_of_reruns(servers["ours"], page, count, change))
                print(
                    f"{what:50} {cost:6.1f} ms, {cost / bare:.1f} times the bare page",
                    flush=True,
                )
        finally:
            for server in servers.values():
                server.stop()


WINDOW_SIZE = "parameter-1-window-window_size"


class Soak:
    """Visitors at work on one server, and what they saw."""

    def __init__(self, server: Dashboard, ids: list[str]) -> None:
        self.server, self.ids = server, ids
        self.waits: list[float] = []
        self.exceptions: list[str] = []
        self.is_over = False

    async def visit(self, seed: int, end: float) -> None:
        """One visitor until ``end``: opens pages, and draws each again a few times."""
        chance = random.Random(seed)
        visitor = Visitor(self.server.url, self.server.pid, "compare", NO_LIMIT_MB)
        await visitor.open()
        while perf_counter() < end:
            page, id = chance.choice(PAGES), chance.choice(self.ids)
            for number in range(chance.randint(1, 4)):
                started = perf_counter()
                await visitor.run(
                    "" if number else address(page, id, "as opened"),
                    page=None if number else page_of(page),
                )
                self.waits.append(perf_counter() - started)
                await asyncio.sleep(chance.uniform(1.5, 4.5))
        self.exceptions += visitor.exceptions
        await visitor.close()

    async def report(self) -> None:
        """Print memory and waits every half minute."""
        watching = Visitor(self.server.url, self.server.pid, "compare", NO_LIMIT_MB)
        started = perf_counter()
        while not self.is_over:
            await asyncio.sleep(REPORT_SECONDS)
            waits, self.waits = sorted(self.waits), []
            at = waits[min(len(waits) - 1, int(len(waits) * 0.95))] if waits else 0.0
            print(
                f"{perf_counter() - started:5.0f} s: {watching.rss_mb():6,.0f} MB (most {watching.peak_mb():,.0f}), "
                f"{len(waits):4} runs, median {median(waits) if waits else 0:5.2f} s, p95 {at:5.2f} s, "
                f"longest {waits[-1] if waits else 0:5.2f} s",
                flush=True,
            )

    async def run(self, visitors: int, seconds: float) -> None:
        """All of them, for so many seconds."""
        reporting = asyncio.create_task(self.report())
        end = perf_counter() + seconds
        await asyncio.gather(*(self.visit(seed, end) for seed in range(visitors)))
        self.is_over = True
        await reporting


def soak(visitors: int, seconds: float, sizes: list[int]) -> int:
    """Let visitors loose on a server; the exit code."""
    with TemporaryDirectory() as name:
        server = Dashboard(Path(name), is_measured=True)
        store = Store(server.database)
        ids = [
            store.add_conversation(generate(max(1, size // 2), seed=size))
            for size in sizes
        ]
        store.close()
        server.start()
        try:
            test = Soak(server, ids)
            asyncio.run(test.run(visitors, seconds))
        finally:
            server.stop()
    print(f"{len(test.exceptions)} exceptions shown")
    for text in test.exceptions[:5]:
        print("  ", text)
    return 1 if test.exceptions else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("reruns")
    drawing.add_argument("--page", default="compare")
    drawing.add_argument("--reruns", type=int, default=40)
    soaking = commands.add_parser("soak")
    soaking.add_argument("--visitors", type=int, default=30)
    soaking.add_argument("--seconds", type=float, default=600)
    soaking.add_argument(
        "--messages", type=int, nargs="+", default=[10, 100, 1_000, 10_000, 50_000]
    )
    options = parser.parse_args()
    if options.command == "soak":
        return soak(options.visitors, options.seconds, options.messages)
    reruns(options.page, options.reruns)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
