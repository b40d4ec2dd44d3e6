"""What a request sends, for libraries that add the system prompt themselves."""

from memviz.code_export.templates.tool_pairs import without_halves


def system_stop(log: list[dict]) -> int:
    """How many system messages the log begins with. They are a system prompt: always sent, and never history."""
    return next((i for i, message in enumerate(log) if message["role"] != "system"), len(log))


def sent(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """The leading system messages, the summary, the messages at these positions, and the question while it is open."""
    stop = system_stop(log)
    chosen = {i for i in positions if i >= stop}
    if log and (log[-1]["role"] in ("user", "tool") or log[-1].get("tool_calls")):
        chosen |= set([i for i, message in enumerate(log) if message["role"] == "user"][-1:])
    messages = [log[i] for i in sorted(without_halves(log, chosen))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    return log[:stop] + messages
