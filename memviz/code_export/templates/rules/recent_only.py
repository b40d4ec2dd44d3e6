"""A summary of every turn, and the newest turns."""

from memviz.code_export.templates.log import is_open
from memviz.code_export.templates.memories import TurnSummaries
from memviz.code_export.templates.sending import sent

RECENT_ROUNDS = 3  # turns
ENABLE_SUMMARIZATION = True


class Memory(TurnSummaries):
    def context(self) -> list[dict]:
        turns = [0, *self.starts]  # what comes before the first question is turn 0
        completed = len(self.starts) - is_open(self.log)
        start = turns[max(0, completed - RECENT_ROUNDS + 1)]
        if ENABLE_SUMMARIZATION:  # a turn whose summary failed is sent word for word
            start = min(start, *self.starts[len(self.summaries) :][:1], len(self.log))
        return sent(self.log, range(start, len(self.log)), self.accumulated())
