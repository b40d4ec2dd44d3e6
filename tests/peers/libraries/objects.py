"""The common part of the objects of all libraries: who is asked, and how what is asynchronous is run."""

import asyncio
from collections.abc import Coroutine, Sequence
from threading import Thread
from typing import Any

from memviz.core.messages import Message
from memviz.strategies.library import Ask


class Asking:
    """Asks memviz's summarizer, and keeps a failure that the library would keep to itself."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._failure: Exception | None = None

    def __call__(self, request: Sequence[Message]) -> str:
        """The summarizer's answer. Raises what it raises, and remembers it."""
        try:
            return self._ask(request)
        except Exception as failure:
            self._failure = failure
            raise

    def raise_failure(self) -> None:
        """Raise the failure since the last time, if there was one."""
        failure = self._failure
        self._failure = None
        if failure is not None:
            raise failure


def run_to_end(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of ``work``, which is run here, or in a thread where an event loop is at work here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    done: list[Any] = []
    thread = Thread(target=lambda: done.append(asyncio.run(work)))
    thread.start()
    thread.join()
    return done[0]
