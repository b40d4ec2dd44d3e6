"""The messages of a request, the system prompt included."""

from memviz.code_export.templates.log import asked_last, system_stop
from memviz.code_export.templates.system_prompt import leading
from memviz.code_export.templates.tool_pairs import in_pairs

REPAIR_TOOL_PAIRS = True  # leave out tool calls without results, and results without calls: providers refuse both


def sent(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """The leading system messages, the summary, the messages at these positions, and what was asked last."""
    stop, asked = system_stop(log), asked_last(log)
    chosen = {i for i in positions if stop <= i < asked.start}
    messages = in_pairs(log, chosen, asked) if REPAIR_TOOL_PAIRS else [log[i] for i in sorted(chosen | set(asked))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    return leading(log) + messages
