"""Start the Chromium of this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "/usr/bin/chromium")
"""First the same browser without its windows: pages cost a quarter less processor time."""
PATIENCE_MILLISECONDS = 60_000
"""How long a browser test waits for anything: a busy machine is no reason to fail."""
OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,"
    "AimEnabled,PreconnectToSearch,ScriptStreaming"
)
"""Features of Chromium that are off: those that Playwright switches off, whose list ours takes the place of, and last
that it reads each script beside the page as it comes in. It did so at every load, and then found it compiled already by
the page that stays open: an eighth of what a load costs."""
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
    "--process-per-site",  # what one page has compiled serves the next
    "--font-render-hinting=none",  # else the one without windows draws wider letters than the one with them
    "--disable-features=" + OFF,
    # Scripts are compiled and rubbish is collected in the page's own thread, and more seldom: on a busy machine threads
    # beside it cost more than they save.
    "--js-flags=--single-threaded --min-semi-space-size=32 --max-semi-space-size=64",
)  # fmt: skip


def executable() -> str | None:
    """Where Chromium is, if it is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def chromium(path: str | None = None) -> Iterator[Browser]:
    """A headless Chromium: the one at ``path``, else the one that is found."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path or executable(), args=list(FLAGS)
        )
        try:
            yield browser
        finally:
            browser.close()
