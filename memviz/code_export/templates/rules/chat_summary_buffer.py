"""A running summary that counts too, and the newest messages that fit beside it."""

from memviz.code_export.templates.counting import count_tokens
from memviz.code_export.templates.memories import RunningSummary
from memviz.code_export.templates.sending import sent
from memviz.code_export.templates.summarizing import line
from memviz.code_export.templates.system_prompt import leading

TOKEN_LIMIT = 64000  # tokens
COUNT_INITIAL_TOKENS = False
INSTRUCTION = "Write one concise summary of the conversation below."


class Memory(RunningSummary):
    def context(self) -> list[dict]:
        self.fold(self.first_kept())
        return sent(self.log, range(self.cursor, len(self.log)), self.summary)

    def first_kept(self) -> int:
        """Walk back from the newest message as long as it fits; the first one kept is no assistant's or tool's."""
        room = TOKEN_LIMIT - (self.initial_tokens() if COUNT_INITIAL_TOKENS else 0)
        if room < 0:
            raise ValueError("The system prompt alone is over TOKEN_LIMIT.")
        start = len(self.log)
        while start > self.cursor and (size := count_tokens(self.log[start - 1]["content"] or "")) <= room:
            start, room = start - 1, room - size
        if start == self.cursor and self.summary and count_tokens(self.summary) <= room:
            return start
        while start < len(self.log) and self.log[start]["role"] in ("assistant", "tool"):
            start += 1
        return start

    def initial_tokens(self) -> int:
        """Tokens of the system prompt, and of the system messages that the log begins with."""
        return sum(count_tokens(message["content"] or "") for message in leading(self.log))

    def fold(self, keep_from: int) -> None:
        """Summarize the messages before this one, together with the summary so far."""
        if keep_from == self.cursor:
            return
        entries = [line(message) for message in self.log[self.cursor : keep_from]]
        if self.summary:
            entries.insert(0, f"system: {self.summary}")
        transcript = "Transcript so far:\n\n" + "\n\n".join(entries)
        request = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": transcript}]
        text = self.summarizer.ask(request, self.turn)
        if text is not None:
            self.summary, self.cursor = text, keep_from
