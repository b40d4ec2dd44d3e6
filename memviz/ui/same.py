"""Keys for what is kept of a run or a log as long as it is the very same one."""

from __future__ import annotations

from memviz.conversation import Log
from memviz.engine.run import Run


class Same:
    """A key that is equal for the very same object only, and keeps it alive. Runs and logs are compared by what
    they hold, which takes longer than anything here; a log may have grown."""

    def __init__(self, value: Run | Log) -> None:
        self.value, self._length = value, len(value.log if isinstance(value, Run) else value)

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value and self._length == other._length


def run_of(key: Same) -> Run:
    """The run of a key that was made of one."""
    assert isinstance(key.value, Run)  # noqa: S101
    return key.value
