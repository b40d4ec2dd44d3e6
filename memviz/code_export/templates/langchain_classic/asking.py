"""A question to the model with a classic memory."""

from langchain_classic.memory.chat_memory import BaseChatMemory
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

SYSTEM_PROMPT = "Be kind."

DIFFERENCES = [
    "The classic memory classes are deprecated and take no tool calls. For new code see the export for LangChain's "
    "middleware.",
]


def ask(llm: BaseChatModel, memory: BaseChatMemory, question: str) -> str:
    """Send what the memory holds and the question, and remember both question and answer."""
    system = [SystemMessage(SYSTEM_PROMPT)] if SYSTEM_PROMPT else []
    history = memory.load_memory_variables({})["history"]
    answer = str(llm.invoke([*system, *history, HumanMessage(question)]).text)
    memory.save_context({"input": question}, {"output": answer})
    return answer
