"""A rule with a model of LangChain."""

from langchain_classic.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from memviz.code_export.templates.rule import Memory

MODEL = "openai:gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries

DIFFERENCES = [
    "LangChain's classic memory has nothing with this rule, so the rule stands here as plain Python: a LangChain model "
    "takes its messages as they are. It sends what memviz simulated.",
]

SUMMARIZER: BaseChatModel | None = None  # main sets it


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    if SUMMARIZER is None:
        raise RuntimeError("Set SUMMARIZER first.")
    return str(SUMMARIZER.invoke(messages).text)


def build_memory(llm: BaseChatModel) -> Memory:
    global SUMMARIZER
    SUMMARIZER = llm
    return Memory()


def ask(llm: BaseChatModel, memory: Memory, question: str) -> str:
    """Send what the memory gives for this question, and remember the answer."""
    memory.append({"role": "user", "content": question})
    answer = str(llm.invoke(memory.context()).text)
    memory.append({"role": "assistant", "content": answer})
    return answer


def main() -> None:
    llm = init_chat_model(MODEL)
    memory = build_memory(init_chat_model(SUMMARIZER_MODEL))
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(llm, memory, question))


if __name__ == "__main__":
    main()
