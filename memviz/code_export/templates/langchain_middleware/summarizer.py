"""The summarizer as a model of LangChain."""

from langchain.chat_models import init_chat_model

SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return str(init_chat_model(SUMMARIZER_MODEL).invoke(messages).text)
