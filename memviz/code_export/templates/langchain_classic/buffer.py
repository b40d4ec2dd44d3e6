"""ConversationBufferMemory."""

from langchain_classic.chat_models import init_chat_model
from langchain_classic.memory import ConversationBufferMemory
from langchain_classic.memory.chat_memory import BaseChatMemory
from langchain_core.language_models import BaseChatModel

from memviz.code_export.templates.langchain_classic.asking import ask

MODEL = "openai:gpt-5-mini"  # answers in the chat


def build_memory(llm: BaseChatModel) -> BaseChatMemory:
    return ConversationBufferMemory(
        return_messages=True,
    )


def main() -> None:
    llm = init_chat_model(MODEL)
    memory = build_memory(init_chat_model(MODEL))
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(llm, memory, question))


if __name__ == "__main__":
    main()
