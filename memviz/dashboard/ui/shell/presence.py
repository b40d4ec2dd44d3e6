"""The visitors of conversations: a large one is let go once its last visitor has gone to another, or has left."""

from collections.abc import Callable
from functools import lru_cache
from threading import Lock, Thread
from time import monotonic, sleep
from typing import TypeVar, cast
from weakref import ref

from streamlit.runtime.scriptrunner import get_script_run_ctx

from memviz.core.process_memory import give_back
from memviz.storage.workspace import Workspace

IDLE_SECONDS = 600.0
"""A visitor who does nothing for so long may have closed the page: what they looked at is read again if they come
back."""
LOOK_SECONDS = 30.0
F = TypeVar("F", bound=Callable[..., object])
_CACHES: list[Callable[[], object]] = []
_SHOWN: list[Callable[[], str | None]] = []
_looks: dict[str, tuple[frozenset[str], float]] = {}
_lock = Lock()


def kept_until_left(size: int) -> Callable[[F], F]:
    """A cache of the ``size`` newest results of a function of runs or logs. It is emptied when a large conversation is
    let go, because its results hold on to that."""

    def keep(function: F) -> F:
        cached = lru_cache(size)(function)
        _CACHES.append(cached.cache_clear)
        return cast(F, cached)

    return keep


def conversation_shown(of: Callable[[], str | None]) -> None:
    """Note that a page of every visitor shows the conversation whose id ``of`` gives, if any."""
    _SHOWN.append(of)


def looks_at() -> None:
    """Note what this visitor is going to look at, before it is loaded: until the page is drawn, another visitor's could
    let it go, and it would be loaded twice."""
    context = get_script_run_ctx()
    if context is not None:
        ids = frozenset(id for of in _SHOWN if (id := of()) is not None)
        with _lock:
            _looks[context.session_id] = (ids, monotonic())


def looked_at(workspace: Workspace) -> None:
    """Note what this visitor looks at, at the end of a page, and let go what nobody looks at any more."""
    looks_at()
    let_go_of_unseen(workspace)


def let_go_of_unseen(workspace: Workspace) -> None:
    """Keep large conversations that nobody looks at no longer in this process."""
    with _lock:
        for session, (_ids, at) in list(_looks.items()):
            if monotonic() - at > IDLE_SECONDS:
                del _looks[session]
        looked_at_ids = frozenset[str]().union(*(ids for ids, _at in _looks.values()))
    unseen = set(workspace.large_conversations()) - looked_at_ids
    if any(list(map(workspace.let_go, unseen))):
        for clear in _CACHES:
            clear()
        give_back()


def watch_in_background(workspace: Workspace) -> None:
    """Look now and then, for visitors who left without a word, as long as there is this workspace."""
    Thread(
        target=_watch, args=[ref(workspace)], name="memviz memory", daemon=True
    ).start()


def _watch(watched: ref[Workspace]) -> None:
    while (there := watched()) is not None:
        let_go_of_unseen(there)
        del there
        sleep(LOOK_SECONDS)
