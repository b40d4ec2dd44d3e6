"""The summarizer, if it is one of OpenAI's own models."""

from openai import OpenAI

SUMMARIZER_MODEL = "gpt-5-mini"  # writes the summaries


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return OpenAI().responses.create(model=SUMMARIZER_MODEL, input=messages).output_text
