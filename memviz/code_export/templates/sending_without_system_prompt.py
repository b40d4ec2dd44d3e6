"""The messages of a request, for libraries that add the system prompt themselves."""

from memviz.code_export.templates.log import count_system_messages, find_open_question
from memviz.code_export.templates.tool_pairs import repair_tool_pairs

REPAIR_TOOL_PAIRS = True  # leave out tool calls without results, and results without calls: providers refuse both


def build_request(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """Return the first system messages, the summary, the messages at these positions, and the open question."""
    stop = count_system_messages(log)
    asked = find_open_question(log)
    chosen = {position for position in positions if stop <= position < asked.start}
    if REPAIR_TOOL_PAIRS:
        messages = repair_tool_pairs(log, chosen, asked)
    else:
        messages = [log[position] for position in sorted(chosen | set(asked))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    return log[:stop] + messages
