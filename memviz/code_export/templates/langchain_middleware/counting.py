"""Counting messages of LangChain."""

from collections.abc import Iterable

from langchain_core.messages import AnyMessage

from memviz.code_export.templates.counter import count_tokens


def count_messages(messages: Iterable[AnyMessage]) -> int:
    """Tokens of the messages' texts, as memviz counts them."""
    return sum(count_tokens(str(message.text)) for message in messages)
