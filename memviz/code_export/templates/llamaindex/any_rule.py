"""A rule that summarizes, as a memory of LlamaIndex."""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM, ChatMessage
from llama_index.llms.litellm import LiteLLM

from memviz.code_export.templates.llamaindex.adapter import StrategyMemory

MODEL = "openai/gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai/gpt-5-mini"  # writes the summaries
SYSTEM_PROMPT = "Be kind."
TEMPERATURE = 1  # gpt-5 models take no other; LlamaIndex would send 0.1

SUMMARIZER: LLM | None = None  # main sets it


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    if SUMMARIZER is None:
        raise RuntimeError("Set SUMMARIZER first.")
    answer = SUMMARIZER.chat([ChatMessage(role=message["role"], content=message["content"]) for message in messages])
    return answer.message.content or ""


def build_memory(llm: LLM) -> StrategyMemory:
    global SUMMARIZER
    SUMMARIZER = llm
    return StrategyMemory.from_defaults()


def main() -> None:
    memory = build_memory(LiteLLM(model=SUMMARIZER_MODEL, temperature=TEMPERATURE))
    llm = LiteLLM(model=MODEL, temperature=TEMPERATURE)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt=SYSTEM_PROMPT)
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(engine.chat(question))


if __name__ == "__main__":
    main()
