"""The work that the first visitor of a server would wait for, done while their browser
starts: the modules of the first page, the database with its samples, the tokenizer, and
the replays that the page opens with. The library is told where the server is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from importlib import import_module
from threading import Thread
from time import sleep

from memviz.core.errors import MemvizError
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.shell.frame import class_shelf, own_libraries, workspace
from memviz.dashboard.ui.shell.server.checks import (
    has_own_libraries,
    server_address,
)
from memviz.models.class_door import DAY_SECONDS, IDLE_DAYS
from memviz.models.names import OFFLINE
from memviz.storage.workspace import FIRST_SAMPLE, RunKey

FIRST_PAGE = (
    "memviz.dashboard.ui.compare.tokens",
    "memviz.dashboard.ui.compare.dollars",
    "memviz.dashboard.ui.compare.memory_map",
    "memviz.dashboard.ui.controls.sidebar",
)
PATIENCE_SECONDS = 60.0
IDLE_LOOK_SECONDS = 3_600.0


@asynccontextmanager
async def warm_up_beside(_: object) -> AsyncIterator[None]:
    """The life of a server: it answers at once, and warms up beside that."""
    Thread(target=warm_up, name="memviz-warm-up", daemon=True).start()
    yield


def keep_libraries_in_order() -> None:
    """Delete what nobody has opened for long, now and every hour, as long as the server runs."""
    while True:
        with suppress(OSError, MemvizError):
            own_libraries().delete_idle(IDLE_DAYS * DAY_SECONDS)
            for sharer in {shared.sharer_id for shared in class_shelf().shared()}:
                if not own_libraries().has(sharer):
                    class_shelf().withdraw_all_of(sharer)
        sleep(IDLE_LOOK_SECONDS)


def warm_up() -> None:
    """Do it. What cannot be done, such as opening a damaged database, is left for the page to say."""
    for name in FIRST_PAGE:
        import_module(name)
    if has_own_libraries():
        keep_libraries_in_order()
        return
    with suppress(MemvizError):
        workspace().keep_server_address(server_address())
    first = CompareState()
    with suppress(MemvizError):
        here = workspace()
        keys = [
            RunKey(FIRST_SAMPLE, setting.build(), first.counter, OFFLINE)
            for setting in first.settings
        ]
        keys = [replace(key, summarizer=here.recorded_for(key)) for key in keys]
        missing = [key for key in keys if here.kept_run(key) is None]
        for work in [here.replaying(key, here.free_summarizer(key)) for key in missing]:
            work.go_on()  # a visitor who is there already waits for this very replay
            work.wait(PATIENCE_SECONDS)
