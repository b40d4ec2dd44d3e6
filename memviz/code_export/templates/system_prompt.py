"""The system prompt of an exported program."""

from memviz.code_export.templates.log import count_system_messages

SYSTEM_PROMPT = "Be kind."


def list_system_messages(log: list[dict]) -> list[dict]:
    """Return the system messages of a request: those that the log begins with, after the prompt if they are not it."""
    own = log[: count_system_messages(log)]
    own_text = "\n\n".join(message["content"] or "" for message in own)
    if not SYSTEM_PROMPT or own_text == SYSTEM_PROMPT:
        return own
    return [{"role": "system", "content": SYSTEM_PROMPT}, *own]
