"""Play every bundled lesson in Chromium, in both languages, both themes and two sizes, and check every step.

    python -m docs.lessons_played                    all of them
    python -m docs.lessons_played first-look         only this one
    python -m docs.lessons_played --pictures FOLDER  with a picture of every step, and of every answered question

Says of each what was played and in how many seconds, and ends with an error at the first step that is not as it should
be: its title and text in the language asked for, the stage where it has one, nothing wider than the window, no error,
no request to another machine. Needs Chromium and the packages of ``pip install -e '.[dev]'``.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import memviz
from tests.browser.chromium import PATIENCE_MILLISECONDS, chromium
from tests.browser.dashboard import Dashboard
from tests.browser.lessons import Look, Way, play, ways
from tests.browser.script_runs import watch_runs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from memviz.dashboard.lessons.lesson import Lesson


def play_all(
    browser: Browser,
    url: str,
    lessons: Sequence[Lesson],
    way: Way,
    pictures: Path | None,
) -> None:
    """Play lessons one after the other in one browser window, each as a new visitor."""
    context = browser.new_context(
        viewport=way.size, color_scheme=way.scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    watch_runs(context)
    wrong = list[str]()
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("request", lambda request: wrong.extend(_foreign(request.url)))
    for lesson in lessons:
        page, began = context.new_page(), monotonic()
        play(page, url, lesson, way, _camera(page, lesson, way, pictures))
        page.close()
        if wrong:
            raise SystemExit(f"{lesson.id}, {way.name}: {wrong[0]}")
        print(
            f"{lesson.id}, {way.name}: {len(lesson.steps)} steps in {monotonic() - began:.1f} s",
            flush=True,
        )
    context.close()


def _foreign(url: str) -> list[str]:
    """The address, if it is on another machine."""
    parts = urlsplit(url)
    is_here = parts.scheme in ("data", "blob", "about") or parts.hostname == "127.0.0.1"
    return [] if is_here else [f"asked for {url}"]


def _camera(page: Page, lesson: Lesson, way: Way, folder: Path | None) -> Look:
    def take(step: int, what: str) -> None:
        if folder is not None:
            page.wait_for_timeout(400)  # the stage is drawn after the page stands
            page.screenshot(path=folder / f"{lesson.id}-{step}-{what}-{way.name}.png")

    return take


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "lessons", nargs="*", help="ids of lessons; all of them if none is given"
    )
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    chosen = [memviz.lessons()[id] for id in options.lessons or memviz.lessons()]
    if options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = Dashboard(Path(folder))
        server.start()
        try:
            with chromium() as browser:
                for way in ways():
                    play_all(browser, server.url, chosen, way, options.pictures)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
