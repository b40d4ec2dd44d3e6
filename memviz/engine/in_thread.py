"""Async twins of methods that block."""

from asyncio import to_thread
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def in_thread(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Return the async twin of a method, which runs it in a worker thread while the event loop goes on. In a subclass
    it runs what the subclass made of the method."""
    name = method.__name__

    @wraps(method)
    async def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        run: Callable[P, R] = getattr(self, name)
        return await to_thread(run, *args, **kwargs)

    twin.__name__ = f"a{name}"
    twin.__doc__ = f"``{name}``, in a worker thread."
    return twin
