"""A running summary, and the newest messages."""

from memviz.code_export.templates.log import begins_turn, system_stop
from memviz.code_export.templates.memories import RunningSummary

BUFFER_SIZE = 4  # messages


class Memory(RunningSummary):
    def append(self, message: dict) -> None:
        if begins_turn(self.log, message):
            self.turn += 1
        self.log.append(message)
        self.cursor = max(self.cursor, system_stop(self.log))
        if len(self.log) - self.cursor > 2 * BUFFER_SIZE:
            self.fold(len(self.log) - BUFFER_SIZE)
