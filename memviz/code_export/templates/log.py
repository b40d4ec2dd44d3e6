"""The beginning of a conversation, and what at its end waits for an answer."""


def system_stop(log: list[dict]) -> int:
    """The number of system messages that the log begins with. They are a system prompt: always sent, and never
    history."""
    return next((i for i, message in enumerate(log) if message["role"] != "system"), len(log))


def begins_turn(log: list[dict], message: dict) -> bool:
    """True if the message begins a turn behind this log. Messages of the user's in a row are one question, also with
    system messages between them."""
    if message["role"] != "user":
        return False
    for before in reversed(log):
        if before["role"] != "system":
            return before["role"] != "user"
    return True


def is_open(log: list[dict]) -> bool:
    """True if the turn waits for its reply: the user or a tool spoke last, or a tool is called."""
    return bool(log) and (log[-1]["role"] != "assistant" or bool(log[-1].get("tool_calls")))


def asked_last(log: list[dict]) -> range:
    """The messages that the next call of the model answers: those behind the assistant's last one, and behind the
    system messages that follow it."""
    replies = [i for i, message in enumerate(log) if message["role"] == "assistant"]
    start = replies[-1] + 1 if replies else system_stop(log)
    for i in range(start, len(log)):
        if log[i]["role"] != "system":
            return range(i, len(log))
    return range(start, len(log))
