"""The rule of every strategy as self-contained Python text, for files that leave memviz behind.

All values stand in constants on top of the generated file, so the texts here are fixed. What they do is held against
memviz's own engine request by request in the tests.
"""

from __future__ import annotations

from memviz.code_export.base import Setting
from memviz.code_export.python_text import constant, parameters, quoted

ESTIMATES = {
    "chars4": ("An estimate: one token for every four characters.", "text"),
    "bytes4": ("An estimate: one token for every four bytes.", 'text.encode("utf-8", "replace")'),
}


def count_tokens(setting: Setting) -> str:
    """The setting's token counter as a function ``count_tokens(text)``."""
    if setting.counter in ESTIMATES:
        rule, counted = ESTIMATES[setting.counter]
        return f'def count_tokens(text: str) -> int:\n    """{rule}"""\n    return max(1, len({counted}) // 4)'
    return 'def count_tokens(text: str) -> int:\n    """Tokens of a text."""\n' + (
        "    return len(ENCODING.encode_ordinary(text))"
    )


def counter_constants(setting: Setting) -> list[str]:
    """The encoding, if the counter is one."""
    if setting.counter in ESTIMATES:
        return []
    return [f"ENCODING = tiktoken.get_encoding({quoted(setting.counter)})"]


def counter_imports(setting: Setting) -> list[str]:
    """What the counter needs."""
    return [] if setting.counter in ESTIMATES else ["import tiktoken"]


def tokenizer(setting: Setting) -> str:
    """The counter for libraries that want the tokens themselves: the name of a function that gives a list of them."""
    return "token_ids" if setting.counter in ESTIMATES else "ENCODING.encode_ordinary"


def tokenizer_body(setting: Setting) -> str:
    """The function of that name, where it is not the encoding's own."""
    if setting.counter not in ESTIMATES:
        return ""
    rule, counted = ESTIMATES[setting.counter]
    return f'def token_ids(text: str) -> list[int]:\n    """{rule}"""\n    return [0] * max(1, len({counted}) // 4)'


SUMMARIZE = '''
def summarize(messages: list[dict]) -> str:
    """Send these messages to a model of yours and return its text. Raise an error if that fails."""
    raise NotImplementedError("Call your model here.")
'''

SENT = '''
def sent(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """The summary, the messages at these positions, and always the user's question while it is open."""
    chosen = set(positions)
    if log and (log[-1]["role"] in ("user", "tool") or log[-1].get("tool_calls")):
        chosen |= set([i for i, message in enumerate(log) if message["role"] == "user"][-1:])
    messages = [log[i] for i in sorted(without_halves(log, chosen))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    return messages
'''

SYSTEM_LINES = """    if SYSTEM_PROMPT:
        messages.insert(0, {"role": "system", "content": SYSTEM_PROMPT})
    return messages
"""

WITHOUT_HALVES = '''
def without_halves(log: list[dict], chosen: set[int]) -> set[int]:
    """Without tool calls and tool results whose other half is not sent: providers refuse them."""
    open_calls: list[tuple[str, int]] = []
    results: dict[int, list[int]] = {}
    for i, message in enumerate(log):
        if message.get("tool_calls"):
            results[i] = []
            open_calls += [(call["id"], i) for call in message["tool_calls"]]
        elif message["role"] == "tool":
            id = message.get("tool_call_id")
            match = next((call for call in reversed(open_calls) if not id or call[0] == id), None)
            if match:
                open_calls.remove(match)
                results[match[1]].append(i)
    whole: set[int] = set()
    for caller, answers in results.items():
        if len(answers) == len(log[caller]["tool_calls"]) and {caller, *answers} <= chosen:
            whole |= {caller, *answers}
    return {i for i in chosen if i in whole or not (log[i].get("tool_calls") or log[i]["role"] == "tool")}
'''

WRITTEN = '''
def written(messages: list[dict]) -> str | None:
    """The summary, or None when the model fails: then nothing is lost, and a later turn tries again."""
    try:
        text = summarize(messages).strip()
    except Exception:
        logging.exception("Nothing was summarized.")
        return None
    return text or None


def line(message: dict) -> str:
    """A message as the summarizer reads it."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    called = "".join(f" [calls {call['name']} {call['arguments']}]" for call in calls)
    return f"{message['role']}: {message['content'] or ''}{called}"
'''

MEMORY = '''
class Memory:
    """Append every message as it comes; ``context`` is what to send now. The log never loses a message."""

'''

PLAIN = """    def __init__(self) -> None:
        self.log: list[dict] = []

    def append(self, message: dict) -> None:
        self.log.append(message)

    def context(self) -> list[dict]:
"""

BUFFER = (
    PLAIN
    + """        return sent(self.log, range(len(self.log)))
"""
)

WINDOW = (
    PLAIN
    + """        return sent(self.log, range(max(0, len(self.log) - WINDOW_SIZE), len(self.log)))
"""
)

TOKEN_BUFFER = (
    PLAIN
    + """        start, tokens = len(self.log), 0
        while start and (tokens := tokens + count_tokens(self.log[start - 1]["content"] or "")) <= MAX_TOKENS:
            start -= 1
        return sent(self.log, range(start, len(self.log)))
"""
)

RUNNING = """    def __init__(self) -> None:
        self.log: list[dict] = []
        self.summary: str | None = None
        self.cursor = 0  # the first message that is not summarized
        self.turn = 0
        self.failed_in_turn: int | None = None

    def append(self, message: dict) -> None:
        if message["role"] == "user" and not (self.log and self.log[-1]["role"] == "user"):
            self.turn += 1
        self.log.append(message)
"""

TELLING = '''
    def context(self) -> list[dict]:
        summary = f"Summary of earlier conversation: {self.summary}" if self.summary else None
        return sent(self.log, range(self.cursor, len(self.log)), summary)

    def fold(self, keep_from: int) -> None:
        """Summarize the messages before this one, together with the summary so far."""
        if self.failed_in_turn == self.turn:
            return
        lines = [line(message) for message in self.log[self.cursor : keep_from]]
        if self.summary:
            lines.insert(0, f"system: Previous summary: {self.summary}")
        text = written([{"role": "user", "content": INSTRUCTION + "\\n\\n" + "\\n".join(lines)}])
        if text is None:
            self.failed_in_turn = self.turn
        else:
            self.summary, self.cursor = text, keep_from
'''

SUMMARY = (
    RUNNING
    + """        if len(self.log) - self.cursor > 2 * BUFFER_SIZE:
            self.fold(len(self.log) - BUFFER_SIZE)
"""
    + TELLING
)

SUMMARY_BUFFER = (
    RUNNING
    + """        sizes = [count_tokens(pending["content"] or "") for pending in self.log[self.cursor :]]
        if sum(sizes) > MAX_TOKEN_LIMIT and len(sizes) > 1:
            folded = 1  # at least one message is folded, and at least one is kept
            while folded < len(sizes) - 1 and sum(sizes[folded:]) > MAX_TOKEN_LIMIT // 2:
                folded += 1
            self.fold(self.cursor + folded)
"""
    + TELLING
)

CHAT_SUMMARY_BUFFER = (
    RUNNING
    + '''
    def context(self) -> list[dict]:
        self.fold(self.first_kept())
        return sent(self.log, range(self.cursor, len(self.log)), self.summary)

    def first_kept(self) -> int:
        """Walk back from the newest message as long as it fits; the first one kept is no assistant's or tool's."""
        room = TOKEN_LIMIT - (count_tokens(SYSTEM_PROMPT) if COUNT_INITIAL_TOKENS and SYSTEM_PROMPT else 0)
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

    def fold(self, keep_from: int) -> None:
        """Summarize the messages before this one, together with the summary so far."""
        if keep_from == self.cursor or self.failed_in_turn == self.turn:
            return
        entries = [line(message) for message in self.log[self.cursor : keep_from]]
        if self.summary:
            entries.insert(0, f"system: {self.summary}")
        transcript = "Transcript so far:\\n\\n" + "\\n\\n".join(entries)
        text = written([{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": transcript}])
        if text is None:
            self.failed_in_turn = self.turn
        else:
            self.summary, self.cursor = text, keep_from
'''
)

PER_TURN = '''    def __init__(self) -> None:
        self.log: list[dict] = []
        self.starts: list[int] = []  # where each turn starts
        self.summaries: list[str] = []  # one a turn

    def append(self, message: dict) -> None:
        if message["role"] == "user" and not (self.log and self.log[-1]["role"] == "user"):
            if ENABLE_SUMMARIZATION:
                self.summarize_turns()
            self.starts.append(len(self.log))
        self.log.append(message)

    def summarize_turns(self) -> None:
        """One summary for every turn that has none yet. After a failure the rest waits for a later turn."""
        for start, stop in list(pairwise([*self.starts, len(self.log)]))[len(self.summaries) :]:
            lines = [line(message) for message in self.log[start:stop]]
            text = written([{"role": "user", "content": INSTRUCTION + "\\n\\n" + "\\n".join(lines)}])
            if text is None:
                return
            self.summaries.append(text)

    def accumulated(self) -> str | None:
        entries = [f"[Turn {number}] {text}" for number, text in enumerate(self.summaries, start=1)]
        return "\\n".join([HEADING, *entries]) if entries else None
'''

RECENT_ONLY = (
    PER_TURN
    + """
    def context(self) -> list[dict]:
        turns = [0, *self.starts]  # what comes before the first question is turn 0
        completed = len(self.starts) - (self.log[-1]["role"] == "user" if self.log else 0)
        start = turns[max(0, completed - RECENT_ROUNDS + 1)]
        if ENABLE_SUMMARIZATION:  # a turn whose summary failed is sent word for word
            start = min(start, *self.starts[len(self.summaries) :][:1], len(self.log))
        return sent(self.log, range(start, len(self.log)), self.accumulated())
"""
)

SUMMARY_ONLY = (
    PER_TURN
    + """
    def context(self) -> list[dict]:
        if not (ENABLE_SUMMARIZATION and self.starts):
            return sent(self.log, range(0))
        failed = self.starts[len(self.summaries) :]  # a turn whose summary failed is sent word for word
        stop = self.starts[-1] if self.log[-1]["role"] == "user" else len(self.log)
        return sent(self.log, range(failed[0] if failed else stop, stop), self.accumulated())
"""
)

COUNTING = {"token_buffer", "summary_buffer", "chat_summary_buffer"}
SUMMARIZING = {"recent_only", "summary", "summary_buffer", "chat_summary_buffer", "summary_only"}
RULES = {
    "buffer": BUFFER,
    "window": WINDOW,
    "token_buffer": TOKEN_BUFFER,
    "recent_only": RECENT_ONLY,
    "summary": SUMMARY,
    "summary_buffer": SUMMARY_BUFFER,
    "chat_summary_buffer": CHAT_SUMMARY_BUFFER,
    "summary_only": SUMMARY_ONLY,
}


def rule_imports(setting: Setting) -> list[str]:
    """What the rule needs."""
    counting = counter_imports(setting) if setting.strategy.id in COUNTING else []
    writing = ["import logging"] if setting.strategy.id in SUMMARIZING else []
    turns = ["from itertools import pairwise"] if setting.strategy.summary_heading else []
    return [*counting, *writing, *turns]


def rule_constants(setting: Setting) -> list[str]:
    """The values of the rule: its parameters, the system prompt, the counter, the texts for the summarizer."""
    id = setting.strategy.id
    lines = [*parameters(setting), constant("SYSTEM_PROMPT", setting.system_prompt or None)]
    if id in SUMMARIZING:
        lines.append(constant("INSTRUCTION", setting.strategy.instruction))
    if setting.strategy.summary_heading:
        lines.append(constant("HEADING", setting.strategy.summary_heading))
    return lines + (counter_constants(setting) if id in COUNTING else [])


def rule_bodies(setting: Setting, summarize: str = SUMMARIZE, *, with_system_prompt: bool = True) -> list[str]:
    """The class ``Memory`` and all that it stands on. ``summarize`` is the text of the function that asks a model;
    ``with_system_prompt``: whether the context starts with it, because no library adds it."""
    id = setting.strategy.id
    send = SENT.replace("    return messages\n", SYSTEM_LINES) if with_system_prompt else SENT
    return [
        count_tokens(setting) if id in COUNTING else "",
        summarize if id in SUMMARIZING else "",
        WRITTEN if id in SUMMARIZING else "",
        WITHOUT_HALVES,
        send,
        MEMORY + RULES[id],
    ]
