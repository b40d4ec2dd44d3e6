"""A summary of every turn, and the newest turns."""

from itertools import pairwise

from memviz.code_export.templates.log import begins_turn, is_open
from memviz.code_export.templates.sending import sent
from memviz.code_export.templates.summarizing import PatientSummarizer, line

RECENT_ROUNDS = 3  # turns
ENABLE_SUMMARIZATION = True
INSTRUCTION = "Write one concise summary of the conversation below."
HEADING = "=== ACCUMULATED MEMORY SUMMARIES ==="


class Memory:
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

    def context(self) -> list[dict]:
        turns = [0, *self.starts]  # what comes before the first question is turn 0
        completed = len(self.starts) - is_open(self.log)
        start = turns[max(0, completed - RECENT_ROUNDS + 1)]
        if ENABLE_SUMMARIZATION:  # a turn whose summary failed is sent word for word
            start = min(start, *self.starts[len(self.summaries) :][:1], len(self.log))
        return sent(self.log, range(start, len(self.log)), self.accumulated())
