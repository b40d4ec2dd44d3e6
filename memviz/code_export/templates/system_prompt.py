"""The system prompt of an exported program."""

from memviz.code_export.templates.log import system_stop

SYSTEM_PROMPT = "Be kind."


def leading(log: list[dict]) -> list[dict]:
    """The system messages that come first: the prompt, unless the log begins with it, and those of the log."""
    own = log[: system_stop(log)]
    if not SYSTEM_PROMPT or "\n\n".join(message["content"] or "" for message in own) == SYSTEM_PROMPT:
        return own
    return [{"role": "system", "content": SYSTEM_PROMPT}, *own]
