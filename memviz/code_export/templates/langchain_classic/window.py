"""ConversationBufferWindowMemory."""

from langchain_classic.chat_models import init_chat_model
from langchain_classic.memory import ConversationBufferWindowMemory
from langchain_classic.memory.chat_memory import BaseChatMemory
from langchain_core.language_models import BaseChatModel

from memviz.code_export.templates.langchain_classic.asking import ask

MODEL = "openai:gpt-5-mini"  # answers in the chat
WINDOW_SIZE = 10  # messages
K = WINDOW_SIZE // 2  # exchanges of two messages

DIFFERENCES = (
    []
    if WINDOW_SIZE == 2 * K + 1
    else [
        f"k counts exchanges of two messages, and the question comes on top: k={K} sends {2 * K + 1} messages. memviz "
        f"sends {WINDOW_SIZE}, so LangChain sends one more, the user's message of the oldest exchange."
    ]
)


def build_memory(llm: BaseChatModel) -> BaseChatMemory:
    return ConversationBufferWindowMemory(
        k=K,
        return_messages=True,
    )


def main() -> None:
    llm = init_chat_model(MODEL)
    memory = build_memory(init_chat_model(MODEL))
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(llm, memory, question))


if __name__ == "__main__":
    main()
