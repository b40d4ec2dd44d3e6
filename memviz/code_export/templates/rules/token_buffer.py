"""The newest messages that fit a token budget."""

from memviz.code_export.templates.counting import count_tokens
from memviz.code_export.templates.log import system_stop
from memviz.code_export.templates.sending import sent

MAX_TOKENS = 2000  # tokens


class Memory:
    """Append every message as it comes; ``context`` is what to send now. The log never loses a message."""

    def __init__(self) -> None:
        self.log: list[dict] = []

    def append(self, message: dict) -> None:
        self.log.append(message)

    def context(self) -> list[dict]:
        first, start, tokens = system_stop(self.log), len(self.log), 0
        while start > first and (tokens := tokens + count_tokens(self.log[start - 1]["content"] or "")) <= MAX_TOKENS:
            start -= 1
        return sent(self.log, range(start, len(self.log)))
