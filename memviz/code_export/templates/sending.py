"""What a request sends, the system prompt included."""

from memviz.code_export.templates.tool_pairs import without_halves

SYSTEM_PROMPT = "Be kind."


def system_stop(log: list[dict]) -> int:
    """How many system messages the log begins with. They are a system prompt: always sent, and never history."""
    return next((i for i, message in enumerate(log) if message["role"] != "system"), len(log))


def sent(log: list[dict], positions: range, summary: str | None = None) -> list[dict]:
    """The leading system messages, the summary, the messages at these positions, and what was asked while it is open:
    the user's newest message and, right before it, those that never got an answer."""
    stop = system_stop(log)
    chosen = {i for i in positions if i >= stop}
    if log and (log[-1]["role"] in ("user", "tool") or log[-1].get("tool_calls")):
        asked = max((i for i, message in enumerate(log) if message["role"] == "user"), default=-1)
        while asked >= stop and log[asked]["role"] == "user":
            chosen.add(asked)
            asked -= 1
    messages = [log[i] for i in sorted(without_halves(log, chosen))]
    if summary is not None:
        messages.insert(0, {"role": "system", "content": summary})
    messages = log[:stop] + messages
    if SYSTEM_PROMPT:
        messages.insert(0, {"role": "system", "content": SYSTEM_PROMPT})
    return messages
