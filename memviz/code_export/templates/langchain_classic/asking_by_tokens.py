"""The same with a memory that counts tokens."""

from memviz.code_export.templates.langchain_classic.asking import ask

DIFFERENCES = [
    "The memory is cut after each answer, so the question stands outside the limit. memviz counts it.",
    "The model counts the tokens (llm.get_num_tokens_from_messages), each message with its role in front, so a few "
    "tokens a message more than memviz counts.",
    "What no longer fits is removed from chat_memory for good. memviz never removes anything.",
]

__all__ = ["ask"]
