"""A summary of every turn."""

from itertools import pairwise

from memviz.code_export.templates.log import begins_turn, is_open
from memviz.code_export.templates.sending import sent
from memviz.code_export.templates.summarizing import PatientSummarizer, line

ENABLE_SUMMARIZATION = True
INSTRUCTION = "Write one concise summary of the conversation below."
HEADING = "=== ACCUMULATED MEMORY SUMMARIES ==="

DIFFERENCES = [
    "Recall and reflective thinking are memviz's own and are not in this code. Memory.log holds every message, so "
    "what is to be recalled can be taken from there.",
]


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
        start = [0, *self.starts][-1] if is_open(self.log) else len(self.log)
        if ENABLE_SUMMARIZATION:  # a turn whose summary failed is sent word for word
            start = min([start, *self.starts[len(self.summaries) :][:1]])
        return sent(self.log, range(start, len(self.log)), self.accumulated())
