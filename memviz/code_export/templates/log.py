"""Where the turns of a conversation begin and end."""


def count_system_messages(log: list[dict]) -> int:
    """Return how many system messages the log begins with: a system prompt, always sent, and never history."""
    for position, message in enumerate(log):
        if message["role"] != "system":
            return position
    return len(log)


def begins_turn(log: list[dict], message: dict) -> bool:
    """Return True if this message begins a turn when it is appended to the log.

    Several messages of the user in a row are one question, even with system messages between them.
    """
    if message["role"] != "user":
        return False
    for earlier in reversed(log):
        if earlier["role"] != "system":
            return earlier["role"] != "user"
    return True


def is_open(log: list[dict]) -> bool:
    """Return True if the last turn waits for its reply: the user or a tool spoke last, or a tool is called."""
    if not log:
        return False
    last = log[-1]
    return last["role"] != "assistant" or bool(last.get("tool_calls"))


def find_open_question(log: list[dict]) -> range:
    """Return the positions of the messages that the next reply answers: all after the last one of the assistant.

    System messages at their beginning are no part of the question.
    """
    start = count_system_messages(log)
    for position, message in enumerate(log):
        if message["role"] == "assistant":
            start = position + 1
    for position in range(start, len(log)):
        if log[position]["role"] != "system":
            return range(position, len(log))
    return range(start, len(log))
