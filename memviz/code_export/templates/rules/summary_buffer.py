"""A running summary, and the newest messages within a token limit."""

from memviz.code_export.templates.counting import count_tokens
from memviz.code_export.templates.log import begins_turn, system_stop
from memviz.code_export.templates.memories import RunningSummary

MAX_TOKEN_LIMIT = 500  # tokens


class Memory(RunningSummary):
    def append(self, message: dict) -> None:
        if begins_turn(self.log, message):
            self.turn += 1
        self.log.append(message)
        self.cursor = max(self.cursor, system_stop(self.log))
        sizes = [count_tokens(pending["content"] or "") for pending in self.log[self.cursor :]]
        if sum(sizes) > MAX_TOKEN_LIMIT and len(sizes) > 1:
            folded = 1  # at least one message is folded, and at least one is kept
            while folded < len(sizes) - 1 and sum(sizes[folded:]) > MAX_TOKEN_LIMIT // 2:
                folded += 1
            self.fold(self.cursor + folded)
