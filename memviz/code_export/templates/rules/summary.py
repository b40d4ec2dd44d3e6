"""A running summary, and the newest messages."""

from memviz.code_export.templates.log import begins_turn, system_stop
from memviz.code_export.templates.sending import sent
from memviz.code_export.templates.summarizing import PatientSummarizer, line

BUFFER_SIZE = 4  # messages
INSTRUCTION = "Write one concise summary of the conversation below."


class Memory:
    """Append every message as it comes; ``context`` is what to send now. The log never loses a message."""

    def __init__(self) -> None:
        self.log: list[dict] = []
        self.summary: str | None = None
        self.cursor = 0  # the first message that is not summarized
        self.turn = 0
        self.summarizer = PatientSummarizer()

    def append(self, message: dict) -> None:
        if begins_turn(self.log, message):
            self.turn += 1
        self.log.append(message)
        self.cursor = max(self.cursor, system_stop(self.log))
        if len(self.log) - self.cursor > 2 * BUFFER_SIZE:
            self.fold(len(self.log) - BUFFER_SIZE)

    def context(self) -> list[dict]:
        summary = f"Summary of earlier conversation: {self.summary}" if self.summary else None
        return sent(self.log, range(self.cursor, len(self.log)), summary)

    def fold(self, keep_from: int) -> None:
        """Summarize the messages before this one, together with the summary so far."""
        lines = [line(message) for message in self.log[self.cursor : keep_from]]
        if self.summary:
            lines.insert(0, f"system: Previous summary: {self.summary}")
        text = self.summarizer.ask([{"role": "user", "content": INSTRUCTION + "\n\n" + "\n".join(lines)}], self.turn)
        if text is not None:
            self.summary, self.cursor = text, keep_from
