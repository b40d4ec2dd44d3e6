"""One server and one Chromium for the journeys; each journey has its own browser context."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.browser.chromium import PATIENCE_MILLISECONDS, chromium, executable
from tests.browser.dashboard import ROOT, Dashboard
from tests.browser.script_runs import watch_runs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

ARTIFACTS = ROOT / "test-artifacts"
REQUIRED = bool(os.environ.get("MEMVIZ_REQUIRE_BROWSER"))
VIEWPORT = {"width": 1280, "height": 900}
if REQUIRED and find_spec("playwright") is None:
    raise pytest.UsageError("The browser tests need playwright (pip install playwright).")

OUTCOME = pytest.StashKey[pytest.TestReport]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    report = yield
    if report.when == "call":
        item.stash[OUTCOME] = report
    return report


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where Chromium is. Without it, tests are skipped, or fail if MEMVIZ_REQUIRE_BROWSER is set."""
    path = executable()
    if path is None:
        (pytest.fail if REQUIRED else pytest.skip)("The browser tests need Chromium (apt-get install chromium).")
    return path


# A module's scope, not the session's: as long as it lives, asyncio.run() works nowhere in this process.
@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """A headless Chromium."""
    with chromium(chromium_path) as started:
        yield started


@pytest.fixture(scope="session")
def dashboard(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """The server that most journeys share."""
    yield from _running(Dashboard(tmp_path_factory.mktemp("dashboard")))


@pytest.fixture
def fresh_dashboard(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A server of this test alone, that nobody has visited."""
    yield from _running(Dashboard(tmp_path_factory.mktemp("dashboard")))


def _running(server: Dashboard) -> Iterator[Dashboard]:
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert "(most recent call last)" not in server.output.read_text(), "a stack trace in ordinary use"


class Watch:
    """What no page may do: leave an error uncaught or in the console, or talk to another machine."""

    def __init__(self, context: BrowserContext) -> None:
        self.page_errors: list[str] = []
        self.foreign: list[str] = []
        self.console_errors: list[str] = []
        context.on("weberror", lambda error: self.page_errors.append(str(error.error)))
        context.on("console", self._console)
        context.on("request", lambda request: self._address(request.url))
        context.on("page", lambda page: page.on("websocket", lambda socket: self._address(socket.url)))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.console_errors.append(f"{message.text} ({message.location['url']})")

    def _address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob", "about", "file") and parts.hostname != "127.0.0.1":
            self.foreign.append(url)


@pytest.fixture
def open_context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., BrowserContext]]:
    """Makes browser contexts that are watched; a failed test leaves a picture of each of their pages."""
    opened: list[tuple[BrowserContext, Watch]] = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**{"viewport": VIEWPORT, **options})
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        watch_runs(context)
        opened.append((context, Watch(context)))
        return context

    yield make
    if (report := request.node.stash.get(OUTCOME, None)) is not None and report.failed:
        _take_pictures(request.node.name, [page for context, _ in opened for page in context.pages])
    for context, _ in opened:
        context.close()
    provoked = request.node.get_closest_marker("provokes_console_errors") is not None
    for _, watch in opened:
        assert not watch.page_errors
        assert not watch.foreign
        assert provoked or not watch.console_errors


def _take_pictures(name: str, pages: list[Page]) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    for number, page in enumerate(pages):
        page.screenshot(path=ARTIFACTS / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}-{number}.png", full_page=True)


@pytest.fixture
def page(open_context: Callable[..., BrowserContext]) -> Page:
    """A page in a browser context of its own."""
    return open_context().new_page()
