"""The summarizer, if it is a model of another provider."""

import litellm

SUMMARIZER_MODEL = "anthropic/claude-sonnet-4-5"  # writes the summaries


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return litellm.completion(model=SUMMARIZER_MODEL, messages=messages).choices[0].message.content
