"""The newest messages."""

from memviz.code_export.templates.log import system_stop
from memviz.code_export.templates.sending import sent

WINDOW_SIZE = 10  # messages


class Memory:
    """Append every message as it comes; ``context`` is what to send now. The log never loses a message."""

    def __init__(self) -> None:
        self.log: list[dict] = []

    def append(self, message: dict) -> None:
        self.log.append(message)

    def context(self) -> list[dict]:
        start = max(system_stop(self.log), len(self.log) - WINDOW_SIZE)
        return sent(self.log, range(start, len(self.log)))
