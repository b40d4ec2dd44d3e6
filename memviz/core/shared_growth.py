"""The base of values that grow with a log and are shared by the threads that replay it."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any


@dataclass(eq=False, repr=False)
class SharedGrowth:
    """Base of indexes that are extended under the lock ``_extending``: two threads at once would add messages twice.
    A worker process gets a copy with a lock of its own."""

    _extending: Lock = field(default_factory=Lock, init=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the lock, which cannot be sent to worker processes."""
        return {
            name: value for name, value in self.__dict__.items() if name != "_extending"
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _extending=Lock())
