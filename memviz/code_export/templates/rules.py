"""The rule of each strategy as a class: ``append`` every message, send what ``context`` returns.

This is a template: memviz reads it as text and copies what one strategy needs into an exported program.

- ``MemoryForWindow`` stands there as ``Memory``, in a program for the strategy ``window``.
- Its base class is written into it, so ``super()`` means nothing here, and a longer ``append`` repeats the shorter one.
- Constants in capital letters get the values of the setting that is exported.
- ``DIFFERENCES`` go into the comment on top of the program, behind the ids of the strategies that they are said of.
"""

from memviz.code_export.templates.counting import count_tokens
from memviz.code_export.templates.log import begins_turn, count_system_messages, is_open
from memviz.code_export.templates.sending import build_request
from memviz.code_export.templates.summarizing import PatientSummarizer, write_line
from memviz.code_export.templates.system_prompt import list_system_messages

WINDOW_SIZE = 10  # messages
MAX_TOKENS = 2000  # tokens
BUFFER_SIZE = 4  # messages
MAX_TOKEN_LIMIT = 500  # tokens
TOKEN_LIMIT = 64000  # tokens
COUNT_INITIAL_TOKENS = False
INSTRUCTION = "Write one concise summary of the conversation below."
HEADING = "=== ACCUMULATED MEMORY SUMMARIES ==="
ENABLE_SUMMARIZATION = True
RECENT_ROUNDS = 3  # turns

DIFFERENCES = [
    (
        "summary_only",
        "Recall and reflective thinking are memviz's own and are not in this code. Memory.log holds every message, so "
        "what is to be recalled can be taken from there.",
    ),
]


class WholeLog:
    """Append every message as it comes; ``context`` is what to send now. The log never loses a message."""

    def __init__(self) -> None:
        self.log: list[dict] = []

    def append(self, message: dict) -> None:
        self.log.append(message)


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
        self.cursor = max(self.cursor, count_system_messages(self.log))

    def context(self) -> list[dict]:
        summary = f"Summary of earlier conversation: {self.summary}" if self.summary else None
        return build_request(self.log, range(self.cursor, len(self.log)), summary)

    def fold(self, keep_from: int) -> None:
        """Summarize the messages before this one, together with the summary so far."""
        lines = [write_line(message) for message in self.log[self.cursor : keep_from]]
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
        stops = [*self.starts, len(self.log)][1:]  # a turn stops where the next one starts
        turns = list(zip(self.starts, stops, strict=True))
        for start, stop in turns[len(self.summaries) :]:
            prompt = INSTRUCTION + "\n\n" + "\n".join(write_line(message) for message in self.log[start:stop])
            text = self.summarizer.ask([{"role": "user", "content": prompt}], turn=len(self.starts))
            if text is None:
                return
            self.summaries.append(text)

    def first_unsummarized(self) -> int:
        """The position at which the first turn without a summary starts, such as one whose summary failed."""
        if len(self.summaries) < len(self.starts):
            return self.starts[len(self.summaries)]
        return len(self.log)

    def accumulated(self) -> str | None:
        entries = [f"[Turn {number}] {text}" for number, text in enumerate(self.summaries, start=1)]
        return "\n".join([HEADING, *entries]) if entries else None


class MemoryForBuffer(WholeLog):
    def context(self) -> list[dict]:
        return build_request(self.log, range(len(self.log)))


class MemoryForWindow(WholeLog):
    def context(self) -> list[dict]:
        start = max(count_system_messages(self.log), len(self.log) - WINDOW_SIZE)
        return build_request(self.log, range(start, len(self.log)))


class MemoryForTokenBuffer(WholeLog):
    def context(self) -> list[dict]:
        first = count_system_messages(self.log)
        start = len(self.log)
        tokens = 0
        while start > first:
            tokens += count_tokens(self.log[start - 1]["content"] or "")
            if tokens > MAX_TOKENS:
                break
            start -= 1
        return build_request(self.log, range(start, len(self.log)))


class MemoryForSummary(RunningSummary):
    def append(self, message: dict) -> None:
        if begins_turn(self.log, message):
            self.turn += 1
        self.log.append(message)
        self.cursor = max(self.cursor, count_system_messages(self.log))
        if len(self.log) - self.cursor > 2 * BUFFER_SIZE:
            self.fold(len(self.log) - BUFFER_SIZE)


class MemoryForSummaryBuffer(RunningSummary):
    def append(self, message: dict) -> None:
        if begins_turn(self.log, message):
            self.turn += 1
        self.log.append(message)
        self.cursor = max(self.cursor, count_system_messages(self.log))
        sizes = [count_tokens(pending["content"] or "") for pending in self.log[self.cursor :]]
        if sum(sizes) > MAX_TOKEN_LIMIT and len(sizes) > 1:
            folded = 1  # at least one message is folded, and at least one is kept
            while folded < len(sizes) - 1 and sum(sizes[folded:]) > MAX_TOKEN_LIMIT // 2:
                folded += 1
            self.fold(self.cursor + folded)


class MemoryForChatSummaryBuffer(RunningSummary):
    def context(self) -> list[dict]:
        self.fold(self.first_kept())
        return build_request(self.log, range(self.cursor, len(self.log)), self.summary)

    def first_kept(self) -> int:
        """Walk back from the newest message as long as it fits; the first one kept is no assistant's or tool's."""
        room = TOKEN_LIMIT
        if COUNT_INITIAL_TOKENS:
            room -= self.initial_tokens()
        if room < 0:
            raise ValueError("The system prompt alone is over TOKEN_LIMIT.")
        start = len(self.log)
        while start > self.cursor:
            size = count_tokens(self.log[start - 1]["content"] or "")
            if size > room:
                break
            start -= 1
            room -= size
        if start == self.cursor and self.summary and count_tokens(self.summary) <= room:
            return start
        while start < len(self.log) and self.log[start]["role"] in ("assistant", "tool"):
            start += 1
        return start

    def initial_tokens(self) -> int:
        """Tokens of the system prompt, and of the system messages that the log begins with."""
        return sum(count_tokens(message["content"] or "") for message in list_system_messages(self.log))

    def fold(self, keep_from: int) -> None:
        """Summarize the messages before this one, together with the summary so far."""
        if keep_from == self.cursor:
            return
        entries = [write_line(message) for message in self.log[self.cursor : keep_from]]
        if self.summary:
            entries.insert(0, f"system: {self.summary}")
        transcript = "Transcript so far:\n\n" + "\n\n".join(entries)
        request = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": transcript}]
        text = self.summarizer.ask(request, self.turn)
        if text is not None:
            self.summary, self.cursor = text, keep_from


class MemoryForSummaryOnly(TurnSummaries):
    def context(self) -> list[dict]:
        start = len(self.log)
        if is_open(self.log):  # the last turn waits for its reply
            start = self.starts[-1] if self.starts else 0
        if ENABLE_SUMMARIZATION:  # a turn whose summary failed is sent word for word
            start = min(start, self.first_unsummarized())
        return build_request(self.log, range(start, len(self.log)), self.accumulated())


class MemoryForRecentOnly(TurnSummaries):
    def context(self) -> list[dict]:
        turns = [0, *self.starts]  # what comes before the first question is turn 0
        completed = len(self.starts)
        if is_open(self.log):
            completed -= 1
        start = turns[max(0, completed - RECENT_ROUNDS + 1)]
        if ENABLE_SUMMARIZATION:  # a turn whose summary failed is sent word for word
            start = min(start, self.first_unsummarized())
        return build_request(self.log, range(start, len(self.log)), self.accumulated())


Memory = MemoryForSummary
