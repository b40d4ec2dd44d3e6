"""What a request sends, the system prompt included."""

from memviz.code_export.templates.log import asked_last, system_stop
from memviz.code_export.templates.tool_pairs import whole_pairs

SYSTEM_PROMPT = "Be kind."


def sent(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """The leading system messages, the summary, the messages at these positions, and what was asked last."""
    stop, asked = system_stop(log), asked_last(log)
    chosen = {i for i in positions if stop <= i < asked.start}
    messages = [log[i] for i in sorted(whole_pairs(log, chosen, asked))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    messages = log[:stop] + messages
    if SYSTEM_PROMPT:
        messages.insert(0, {"role": "system", "content": SYSTEM_PROMPT})
    return messages
