"""What rules share: the methods that several of them have."""

from itertools import pairwise

from memviz.code_export.templates.log import begins_turn, system_stop
from memviz.code_export.templates.sending import sent
from memviz.code_export.templates.summarizing import PatientSummarizer, line

ENABLE_SUMMARIZATION = True
INSTRUCTION = "Write one concise summary of the conversation below."
HEADING = "=== ACCUMULATED MEMORY SUMMARIES ==="


class RunningSummary:
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


class TurnSummaries:
    """Append every message as it comes; ``context`` is what to send now. The log never loses a message."""

    def __init__(self) -> None:
        self.log: list[dict] = []
        self.starts: list[int] = []  # where each turn starts
        self.summaries: list[str] = []  # one a turn
        self.summarizer = PatientSummarizer()

    def append(self, message: dict) -> None:
        if begins_turn(self.log, message):
            if ENABLE_SUMMARIZATION:
                self.summarize_turns()
            self.starts.append(len(self.log))
        self.log.append(message)

    def summarize_turns(self) -> None:
        """One summary for every turn that has none yet. After a failure the rest waits for the next try."""
        for start, stop in list(pairwise([*self.starts, len(self.log)]))[len(self.summaries) :]:
            prompt = INSTRUCTION + "\n\n" + "\n".join(line(message) for message in self.log[start:stop])
            text = self.summarizer.ask([{"role": "user", "content": prompt}], turn=len(self.starts))
            if text is None:
                return
            self.summaries.append(text)

    def accumulated(self) -> str | None:
        entries = [f"[Turn {number}] {text}" for number, text in enumerate(self.summaries, start=1)]
        return "\n".join([HEADING, *entries]) if entries else None
