"""The summarizer behind an API of OpenAI's kind."""

from memviz.code_export.templates.plain_python.model import complete

SUMMARIZER_MODEL = "gpt-5-mini"  # writes the summaries


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return complete(SUMMARIZER_MODEL, messages)
