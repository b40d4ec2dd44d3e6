"""Take the pictures of README.md and docs/teaching.md, and pictures of every page, all over the same conversation.

    python -m docs.screenshots                     those of these documents, into this folder
    python -m docs.screenshots tune.png            only this one
    python -m docs.screenshots --pages FOLDER      every page and view, light and dark, in three sizes, into FOLDER

Needs Chromium and the packages of ``pip install -e '.[dev]'``. The app runs on 127.0.0.1 over a database of its own,
so neither a model nor the conversations of this machine get into a picture.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from tests.browser.chromium import chromium
from tests.browser.dashboard import Dashboard
from tests.browser.journeys import address_of, drawn, go, sees, show_all
from tests.browser.script_runs import quiet, watch_runs
from tests.page_names import QUESTIONS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parent
WIDTH_PIXELS = 1400
SETTINGS = (
    "buffer",
    "window",
    'summary_buffer {"max_token_limit": 1500, "summary_words": 120}',
)
VIEW = urlencode(
    [("conversation", "sample-trip"), *(("setting", setting) for setting in SETTINGS)]
)
SWEEP_CHART = ".st-key-tune-pareto .js-plotly-plot"
MOST_STEPS = 12
ABOVE_PIXELS = 120
"""What stays free above a chart that is scrolled to: the navigation covers the top of the page."""


def tokens_per_turn(page: Page) -> None:
    """Wait for the chart; the request beside it says why it was summarized."""
    drawn(page)
    quiet(page)


def memory_map(page: Page) -> None:
    """Wait for the maps of all settings."""
    for number in range(len(SETTINGS)):
        drawn(page, f".st-key-map-{number} .js-plotly-plot")


def stage(page: Page) -> None:
    """Wait until the stage stands at its request."""
    sees(page.locator(".memviz-stage .facts li"))
    quiet(page)
    page.wait_for_timeout(500)  # lanes are drawn after the page stands


def fact_lives(page: Page) -> None:
    """Scroll to the lives of facts."""
    drawn(page, ".st-key-retention-lives .js-plotly-plot").evaluate(
        "(chart, above) => { chart.style.scrollMarginTop = `${above}px`; chart.scrollIntoView(); }",
        ABOVE_PIXELS,
    )
    page.wait_for_timeout(500)  # the browser scrolls smoothly


def sweep(page: Page) -> None:
    """Ask for 70 % of the facts at a model's prices, with pauses that its cache does not outlast."""
    drawn(page, SWEEP_CHART)
    chooser = page.get_by_role("combobox", name="Prices of the chat model")
    # Prices stand below the chart: a list closes again while the page scrolls to it.
    chooser.evaluate("box => box.scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(500)
    chooser.fill("anthropic/claude-sonnet-4-5")
    chooser.press("Enter")
    quiet(page)
    page.get_by_role("combobox", name="Pause between turns").click()
    page.get_by_role("option", name="10 min", exact=True).click()
    quiet(page)
    slide(page, "Keep at least this share of the facts", "ArrowLeft", "70%")
    page.get_by_text(
        "that keep 70%"
    ).first.wait_for()  # the slider stands there before the answer does
    drawn(page, SWEEP_CHART).evaluate(
        "chart => chart.closest('[data-testid=stMain]').scrollTo({ top: 0 })"
    )
    page.wait_for_timeout(500)


def slide(page: Page, label: str, key: str, value: str) -> None:
    """Move a slider with an arrow key until it stands at ``value``."""
    slider = page.get_by_role("slider", name=label)
    for _ in range(MOST_STEPS):
        if slider.get_attribute("aria-valuetext") == value:
            return
        slider.press(key)
        quiet(page)
    raise SystemExit(f"The slider {label!r} has no {value!r}.")


class Picture(NamedTuple):
    """A file, the page that it shows, what to do there first, the height of the window, and what else its address
    says."""

    file: str
    page: str
    prepare: Callable[[Page], None]
    height_pixels: int = 820
    query: str = ""


STAGE = "&stage=on&turn=13"
"""What the address of Compare says besides where the stage is shown."""
PICTURES = (
    Picture("compare.png", "compare", tokens_per_turn, 735),
    Picture("stage.png", "compare", stage, 712, STAGE),
    Picture("memory-map.png", "memory_map", memory_map),
    # The recorded summaries of these settings lose nothing; those of the built-in model show how a fact ends.
    Picture("facts.png", "retention", fact_lives, query="&summarizer=offline"),
    Picture("tune.png", "tune", sweep, 960),
)


PAGES = {**dict.fromkeys(QUESTIONS, ""), "compare-stage": STAGE}
"""What is taken with ``--pages``, and what its address says besides; what stands behind a hyphen is of that page."""
SIZES: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1280, "height": 720}},
    "laptop-at-125-percent": {
        "viewport": {"width": 1024, "height": 576},
        "device_scale_factor": 1.25,
    },
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2},
}
"""What a window of each size is to Chromium."""
SCHEMES = ("light", "dark")


def opened(browser: Browser, address: str, name: str, **options: Any) -> Page:
    """A page in a window of its own, once it stands still."""
    context = browser.new_context(reduced_motion="reduce", **options)
    context.set_default_timeout(60_000)
    watch_runs(context)
    page = context.new_page()
    go(page, address, name)
    quiet(page)
    return page


def take(browser: Browser, url: str, picture: Picture) -> None:
    """Save one of the documents' pictures: what the window shows."""
    viewport = {"width": WIDTH_PIXELS, "height": picture.height_pixels}
    address = url + address_of(picture.page, VIEW + picture.query)
    page = opened(
        browser, address, picture.page, viewport=viewport, color_scheme="light"
    )
    picture.prepare(page)
    page.screenshot(path=FOLDER / picture.file)
    page.context.close()
    print(f"docs/{picture.file}")


def take_pages(browser: Browser, url: str, folder: Path) -> None:
    """Save every page and view in each size and theme: what the window shows, and the page as a whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for size, options in SIZES.items():
        for scheme in SCHEMES:
            for name, query in PAGES.items():
                of = name.partition("-")[0]
                page = opened(
                    browser,
                    url + address_of(of, VIEW + query),
                    of,
                    color_scheme=scheme,
                    **options,
                )
                page.wait_for_timeout(1_000)  # charts are drawn after the page stands
                file = folder / f"{name}-{size}-{scheme}.png"
                page.screenshot(path=file)
                show_all(page)
                page.screenshot(path=file.with_stem(f"{file.stem}-whole"))
                page.context.close()
                print(file)


def main() -> None:
    """Take the pictures that the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m docs.screenshots", description="Take pictures of the pages."
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="pictures of the documents to take; without any, all",
    )
    parser.add_argument(
        "--pages",
        type=Path,
        metavar="FOLDER",
        help="take every page in every size and theme instead",
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Dashboard(Path(folder))
        server.start()
        try:
            with chromium() as browser:
                if asked.pages:
                    take_pages(browser, server.url, asked.pages)
                else:
                    for picture in PICTURES:
                        if not asked.files or picture.file in asked.files:
                            take(browser, server.url, picture)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
