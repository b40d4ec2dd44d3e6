"""How fast the dashboard reacts, measured in a real browser against a server of its own.

    python -m benchmarks.reaction [--repeat 3] [--changes 5]

Everything runs on a new database in a temporary folder. "drawn" is when the new figure or reply is
on the page, "settled" when nothing on the page has changed since; both from the key press on, in the
browser's own clock. A chat turn's time is also given without the offline model's and summarizer's,
which are timed in this process on the very same requests.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from benchmarks.synthetic.generator import generate
from memviz.engine.records import TurnRecord
from memviz.models.offline import OfflineModel
from memviz.storage.store import Store
from tests.browser.chromium import chromium
from tests.browser.dashboard import Dashboard
from tests.browser.journeys import bubbles, drawn, go, say
from tests.browser.script_runs import DRAWN as QUIET
from tests.browser.script_runs import watch_runs

COMPARED_TURNS = 200
CHAT_TURNS = 1_000
QUESTIONS = (
    "Which dates did I give you?",
    "What was the budget?",
    "Who was allergic?",
    "Where was it?",
    "Who came?",
)
WATCH = """([shown, quiet]) => {
    let pressed = null, changed = 0, seen = null;
    addEventListener('keydown', event => { if (event.key === 'Enter') pressed ??= performance.now(); }, true);
    new MutationObserver(() => { changed = performance.now(); }).observe(
        document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    const isShown = new Function('return ' + shown);
    window.reaction = new Promise(resolve => {
        const look = () => {
            const now = performance.now();
            if (pressed !== null && seen === null && isShown()) seen = now;
            const still = seen === null ? 0 : now - Math.max(changed, seen);
            if (still > 500 && document.querySelector(quiet)) {
                resolve([seen - pressed, Math.max(changed, seen) - pressed]);
            } else requestAnimationFrame(look);
        };
        look();
    });
}"""
WATCH_FIRST_CHART = """(() => {
    const look = () => {
        const line = document.querySelector('.js-plotly-plot .main-svg .scatterlayer .trace');
        if (line && line.getBoundingClientRect().width > 0) window.firstChart = performance.now();
        else requestAnimationFrame(look);
    };
    look();
})()"""
BARE_APP = """
import streamlit as st
st.title("One chart")
st.plotly_chart({"data": [{"x": [1, 2, 3], "y": [2, 3, 4]}]})
"""
LITELLM_CHECK = """
import json, os, sys
from streamlit.testing.v1 import AppTest
session = AppTest.from_file(os.path.abspath("navigation.py"), default_timeout=120).run()
for page in ("library", "chat"):
    session.switch_page(f"pages/{page}.py").run()
session.chat_input[0].set_value("Hello, my name is Ada.").run()
assert not session.exception
print(json.dumps([name for name in ("litellm", "openai") if name in sys.modules]))
"""


class Reaction(NamedTuple):
    """Milliseconds from the key press until the new thing is drawn, and until the page is still."""

    drawn_ms: float
    settled_ms: float


def reaction(page: Page, shown: str, act: Callable[[], None]) -> Reaction:
    """Do ``act``, which presses Enter, and wait until the JavaScript expression ``shown`` holds."""
    page.evaluate(WATCH, [shown, QUIET])
    act()
    return Reaction(*page.evaluate("window.reaction"))


def report(what: str, measured: str) -> None:
    print(f"{what:58}{measured}", flush=True)


def median_reaction(measured: list[Reaction]) -> str:
    drawn_ms, settled_ms = (median(values) for values in zip(*measured, strict=True))
    return f"drawn {drawn_ms:,.0f} ms, settled {settled_ms:,.0f} ms"


def server_starts(folder: Path, repeat: int) -> float:
    seconds = []
    for number in range(repeat):
        server = Dashboard(folder / f"start-{number}", is_measured=True)
        server.output.parent.mkdir()
        seconds.append(server.start())
        server.stop()
    return median(seconds)


def first_chart(browser: Browser, url: str) -> float:
    """Seconds from opening the address in a browser that knows nothing to the drawn chart, by the page's own clock."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH_FIRST_CHART)
    page.goto(url, wait_until="commit")
    page.wait_for_function("window.firstChart", polling=50)
    milliseconds: float = page.evaluate("window.firstChart")
    context.close()
    return milliseconds / 1000


def first_charts(browser: Browser, folder: Path, url: str, repeat: int) -> None:
    """Ours beside the least that Streamlit and Plotly need here: a title and three points."""
    app = folder / "bare" / "app.py"
    app.parent.mkdir()
    app.write_text(BARE_APP)
    bare = Dashboard(app.parent, app, is_measured=True)
    bare.start()
    try:
        first_chart(browser, bare.url)
        pairs = [
            (first_chart(browser, url), first_chart(browser, bare.url))
            for _ in range(repeat)
        ]
    finally:
        bare.stop()
    ours, least = zip(*pairs, strict=True)
    report(
        "first chart in a new browser context, warm server",
        f"{median(ours):.2f} s, at best {min(ours):.2f} s",
    )
    report(
        "  a bare Streamlit page with three points, in turn",
        f"{median(least):.2f} s, at best {min(least):.2f} s",
    )


def open_in(page: Page, url: str, button: str, title: str) -> float:
    """Open a conversation of the library on another page; returns the seconds until it is quiet."""
    go(page, f"{url}/library", "library")
    row = page.locator("[class*='st-key-conversation-']", has_text=title).last
    started = perf_counter()
    row.get_by_role("button", name=button, exact=True).click()
    page.get_by_test_id("stHeading").get_by_text("What does").wait_for()
    page.wait_for_selector(QUIET)
    return perf_counter() - started


def parameter_changes(
    page: Page, name: str, label: str, values: list[int]
) -> list[Reaction]:
    """Give a parameter one value after the other; ``label`` is the setting's label for a value."""
    box = page.get_by_role("spinbutton", name=name)
    if not box.is_visible():
        page.get_by_test_id("stSidebar").get_by_text(
            label.split(" · ")[0]
        ).first.click()
    measured = []
    for value in values:
        box.fill(str(value))
        wanted = json.dumps(label.format(value))
        shown = (
            "[...document.querySelectorAll('.st-key-compare-tokens .legendtext')]"
            f".some(text => text.textContent === {wanted})"
        )
        measured.append(reaction(page, shown, lambda: box.press("Enter")))
    page.keyboard.press("Escape")  # closes the setting's panel
    return measured


def chat_turns(page: Page, questions: tuple[str, ...]) -> list[Reaction]:
    measured = []
    for question in questions:
        shown = f"""(() => {{
            const said = [...document.querySelectorAll('[data-testid="stChatMessage"]')].map(each => each.innerText);
            return said.length > 1 && said.at(-2).includes({json.dumps(question)})
                && said.at(-1).length > 20 && !said.at(-1).includes('Thinking');
        }})()"""
        measured.append(reaction(page, shown, lambda text=question: say(page, text)))
    return measured


def model_ms(record: TurnRecord) -> float:
    """Milliseconds that the offline model needs for this request, and the summaries written since the one before."""
    model, started = OfflineModel(), perf_counter()
    model.complete(record.context.messages)
    return 1000 * (
        perf_counter()
        - started
        + sum(compaction.seconds for compaction in record.compactions)
    )


def measure_compare(page: Page, url: str, title: str, changes: int) -> None:
    seconds = open_in(page, url, "Compare", title)
    drawn(page)
    report(
        f"compare, {COMPARED_TURNS} turns: opening with three new replays",
        f"{seconds:.2f} s",
    )
    windows = parameter_changes(
        page,
        "Window size (messages)",
        "Sliding window · {} messages",
        list(range(20, 20 + changes)),
    )
    report("  a sliding window's size changed", median_reaction(windows))
    limits = [1000 + 10 * step for step in range(changes)]
    summaries = parameter_changes(
        page, "Max token limit (tokens)", "Summary buffer · {:,} tokens", limits
    )
    report("  a summary buffer's limit changed", median_reaction(summaries))


def measure_chat(
    page: Page, url: str, database: Path, id: str, title: str, repeat: int
) -> None:
    seconds = open_in(page, url, "Chat", title)
    bubbles(page).first.wait_for(timeout=120_000)
    report(
        f"chat, {CHAT_TURNS:,} turns: opening, its memory derived anew",
        f"{seconds:.2f} s",
    )
    turns = chat_turns(page, QUESTIONS[:repeat])
    report("  a turn, from Enter on", median_reaction(turns))
    run = Store(database).chat_run(id)
    assert run is not None
    own = [model_ms(record) for record in run.turns[-repeat:]]
    without = [
        Reaction(turn.drawn_ms - ms, turn.settled_ms - ms)
        for turn, ms in zip(turns, own, strict=True)
    ]
    report("  of which the model and the summarizer", f"{median(own):,.0f} ms")
    report("  a turn without them", median_reaction(without))


def imports_of_an_offline_visit(folder: Path) -> str:
    """Heavy packages that a visit of every page with one offline chat turn imports."""
    found = subprocess.run(
        [sys.executable, "-c", LITELLM_CHECK],
        env=os.environ | {"MEMVIZ_DB": str(folder / "imports.db")},
        capture_output=True,
        text=True,
        check=True,
    )
    names = json.loads(found.stdout.splitlines()[-1])
    return ", ".join(names) or "none of litellm, openai"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--repeat",
        type=int,
        default=3,
        help="starts, first charts and chat turns (at most 5)",
    )
    parser.add_argument("--changes", type=int, default=5, help="parameter changes")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        report(
            "server start until it answers",
            f"{server_starts(folder, options.repeat):.2f} s",
        )
        report(
            "imported by an offline visit of every page",
            imports_of_an_offline_visit(folder),
        )
        server = Dashboard(folder, is_measured=True)
        store = Store(server.database)
        compared, talked = (
            generate(COMPARED_TURNS, seed=1),
            generate(CHAT_TURNS, seed=2),
        )
        store.add_conversation(compared)
        talked_id = store.add_conversation(talked)
        server.start()
        try:
            with chromium() as browser:
                report(
                    "first chart on a new server",
                    f"{first_chart(browser, server.url):.2f} s",
                )
                first_charts(browser, folder, server.url, options.repeat)
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                watch_runs(page.context)
                page.set_default_timeout(120_000)
                measure_compare(page, server.url, compared.title, options.changes)
                measure_chat(
                    page,
                    server.url,
                    server.database,
                    talked_id,
                    talked.title,
                    min(options.repeat, len(QUESTIONS)),
                )
        finally:
            server.stop()


if __name__ == "__main__":
    main()
