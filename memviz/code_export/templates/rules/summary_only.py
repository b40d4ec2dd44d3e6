"""A summary of every turn."""

from memviz.code_export.templates.log import is_open
from memviz.code_export.templates.memories import TurnSummaries
from memviz.code_export.templates.sending import sent

ENABLE_SUMMARIZATION = True

DIFFERENCES = [
    (
        "summary_only",
        "Recall and reflective thinking are memviz's own and are not in this code. Memory.log holds every message, so "
        "what is to be recalled can be taken from there.",
    ),
]


class Memory(TurnSummaries):
    def context(self) -> list[dict]:
        start = [0, *self.starts][-1] if is_open(self.log) else len(self.log)
        if ENABLE_SUMMARIZATION:  # a turn whose summary failed is sent word for word
            start = min([start, *self.starts[len(self.summaries) :][:1]])
        return sent(self.log, range(start, len(self.log)), self.accumulated())
