"""What rules that summarize share."""

import logging

from memviz.code_export.templates.summarizer import summarize


def written(messages: list[dict]) -> str | None:
    """The summary, or None when the model fails: then nothing is lost, and a later turn tries again."""
    try:
        text = summarize(messages).strip()
    except Exception:
        logging.exception("Nothing was summarized.")
        return None
    return text or None


def line(message: dict) -> str:
    """A message as the summarizer reads it."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    called = "".join(f" [calls {call['name']} {call['arguments']}]" for call in calls)
    return f"{message['role']}: {message['content'] or ''}{called}"
