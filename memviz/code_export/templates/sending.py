"""What a request sends, the system prompt included."""

from memviz.code_export.templates.tool_pairs import without_halves

SYSTEM_PROMPT = "Be kind."


def sent(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """The summary, the messages at these positions, and always the user's question while it is open."""
    chosen = set(positions)
    if log and (log[-1]["role"] in ("user", "tool") or log[-1].get("tool_calls")):
        chosen |= set([i for i, message in enumerate(log) if message["role"] == "user"][-1:])
    messages = [log[i] for i in sorted(without_halves(log, chosen))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    if SYSTEM_PROMPT:
        messages.insert(0, {"role": "system", "content": SYSTEM_PROMPT})
    return messages
