"""The error where a library has no code for a strategy."""

from __future__ import annotations

from memviz.code_export.base import Setting
from memviz.code_export.python_text import one_line
from memviz.core.errors import MemvizError


class NoCodeError(MemvizError):
    """There is no code for this strategy in this place. Attributes: the ``strategy``'s id and the ``place``."""

    def __init__(self, setting: Setting, place: str) -> None:
        self.strategy, self.place = setting.strategy.id, place
        why = (
            f"There is no code for {place} that does what the strategy {self.strategy!r} does."
            if setting.is_built_in
            else f"The strategy {self.strategy!r} comes from another package, so memviz does not know its rule as code "
            f"for {place}."
        )
        super().__init__(
            f"{why} Export {one_line(setting.strategy.label)} to memviz_code or memory_yaml instead: memviz itself "
            "runs it, and gives the messages to send as a list that any library takes."
        )
