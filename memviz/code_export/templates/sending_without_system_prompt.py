"""What a request sends, for libraries that add the system prompt themselves."""

from memviz.code_export.templates.tool_pairs import without_halves


def sent(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """The summary, the messages at these positions, and always the user's question while it is open."""
    chosen = set(positions)
    if log and (log[-1]["role"] in ("user", "tool") or log[-1].get("tool_calls")):
        chosen |= set([i for i, message in enumerate(log) if message["role"] == "user"][-1:])
    messages = [log[i] for i in sorted(without_halves(log, chosen))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    return messages
