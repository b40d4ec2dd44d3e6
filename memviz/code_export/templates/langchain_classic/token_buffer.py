"""ConversationTokenBufferMemory."""

from langchain_classic.chat_models import init_chat_model
from langchain_classic.memory import ConversationTokenBufferMemory
from langchain_classic.memory.chat_memory import BaseChatMemory
from langchain_core.language_models import BaseChatModel

from memviz.code_export.templates.counter import token_ids
from memviz.code_export.templates.langchain_classic.asking_by_tokens import ask

MODEL = "openai:gpt-5-mini"  # answers in the chat
MAX_TOKENS = 2000  # tokens


def build_memory(llm: BaseChatModel) -> BaseChatMemory:
    return ConversationTokenBufferMemory(
        llm=llm,
        max_token_limit=MAX_TOKENS,
        return_messages=True,
    )


def main() -> None:
    llm = init_chat_model(MODEL)
    memory = build_memory(init_chat_model(MODEL, custom_get_token_ids=token_ids))
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(llm, memory, question))


if __name__ == "__main__":
    main()
