"""One server, one Chromium and one browser context for the journeys. Each begins without what the one before stored."""

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
    raise pytest.UsageError(
        "The browser tests need playwright (pip install playwright)."
    )

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
        (pytest.fail if REQUIRED else pytest.skip)(
            "The browser tests need Chromium (apt-get install chromium)."
        )
    return path


# This package's scope, not the session's: as long as it lives, asyncio.run() works nowhere in this process.
@pytest.fixture(scope="package")
def browser(chromium_path: str) -> Iterator[Browser]:
    """A headless Chromium."""
    with chromium(chromium_path) as started:
        yield started


@pytest.fixture(scope="package")
def shared_context(browser: Browser, dashboard: Dashboard) -> BrowserContext:
    """The browser context of ``page``. Its first page stays open, empty, and with it the process that has compiled
    Streamlit's scripts: else each test would begin with another second of processor time."""
    context = _new_context(browser)
    context.new_page().goto(dashboard.health_url)
    return context


def _new_context(browser: Browser, **options: Any) -> BrowserContext:
    # What moves and fades costs a sixth of the processor time. memviz's own movement is that of the turn's line, which
    # test_compare_journey.py looks at with it.
    context = browser.new_context(
        **{"viewport": VIEWPORT, "reduced_motion": "reduce", **options}
    )
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    watch_runs(context)
    return context


@pytest.fixture(scope="session")
def dashboard(
    chromium_path: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    """The server that most journeys share."""
    yield from _running(Dashboard(tmp_path_factory.mktemp("dashboard")))


@pytest.fixture
def fresh_dashboard(
    chromium_path: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    """A server of this test alone, that nobody has visited."""
    yield from _running(Dashboard(tmp_path_factory.mktemp("dashboard")))


def _running(server: Dashboard) -> Iterator[Dashboard]:
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert "(most recent call last)" not in server.output.read_text(), (
        "a stack trace in ordinary use"
    )


class Watch:
    """What no page may do: leave an error uncaught or in the console, or talk to another machine."""

    def __init__(
        self, context: BrowserContext, leave: Callable[[BrowserContext], None]
    ) -> None:
        self.page_errors: list[str] = []
        self.foreign: list[str] = []
        self.console_errors: list[str] = []
        self.context = context
        self._leave = leave
        self._listeners: dict[str, Callable[[Any], None]] = {
            "weberror": lambda error: self.page_errors.append(str(error.error)),
            "console": self._console,
            "request": lambda request: self._address(request.url),
            "page": lambda page: page.on(
                "websocket", lambda socket: self._address(socket.url)
            ),
        }
        for event, listener in self._listeners.items():
            context.on(event, listener)  # type: ignore[call-overload]

    def leave(self) -> None:
        """Leave the context, and see no more of what happens there."""
        self._leave(self.context)
        for event, listener in self._listeners.items():
            self.context.remove_listener(event, listener)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.console_errors.append(f"{message.text} ({message.location['url']})")

    def _address(self, url: str) -> None:
        parts = urlsplit(url)
        if (
            parts.scheme not in ("data", "blob", "about", "file")
            and parts.hostname != "127.0.0.1"
        ):
            self.foreign.append(url)


@pytest.fixture
def watch(request: pytest.FixtureRequest) -> Iterator[Callable[..., BrowserContext]]:
    """Watches browser contexts until it leaves them; a failed test leaves a picture of each of their pages."""
    watches: list[Watch] = []

    def watched(
        context: BrowserContext, leave: Callable[[BrowserContext], None]
    ) -> BrowserContext:
        watches.append(Watch(context, leave))
        return context

    yield watched
    if (report := request.node.stash.get(OUTCOME, None)) is not None and report.failed:
        _take_pictures(
            request.node.name, [page for one in watches for page in one.context.pages]
        )
    for one in watches:
        one.leave()
    provoked = request.node.get_closest_marker("provokes_console_errors") is not None
    for one in watches:
        assert not one.page_errors
        assert not one.foreign
        assert provoked or not one.console_errors


def _take_pictures(name: str, pages: list[Page]) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    for number, page in enumerate(pages):
        page.screenshot(
            path=ARTIFACTS / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}-{number}.png",
            full_page=True,
        )


def _empty(context: BrowserContext) -> None:
    """Close its pages but the first and forget what they stored and were allowed. Only what was loaded stays cached."""
    for page in context.pages[1:]:
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear()")
        page.close()
    context.clear_cookies()
    context.clear_permissions()


@pytest.fixture
def open_context(
    browser: Browser, watch: Callable[..., BrowserContext]
) -> Callable[..., BrowserContext]:
    """Makes browser contexts with options of their own."""
    return lambda **options: watch(
        _new_context(browser, **options), leave=lambda context: context.close()
    )


@pytest.fixture
def page(shared_context: BrowserContext, watch: Callable[..., BrowserContext]) -> Page:
    """A page in the shared browser context, where nothing is stored; ``page.context`` opens further ones beside it."""
    return watch(shared_context, leave=_empty).new_page()
