"""The rule of the sliding window, which calls no summarizer."""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM
from llama_index.llms.litellm import LiteLLM

from memviz.code_export.templates.llamaindex.adapter import StrategyMemory

MODEL = "openai/gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
TEMPERATURE = 1  # gpt-5 models take no other; LlamaIndex would send 0.1


def build_memory(llm: LLM) -> StrategyMemory:
    return StrategyMemory.from_defaults()


def main() -> None:
    llm = LiteLLM(model=MODEL, temperature=TEMPERATURE)
    memory = build_memory(llm)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt=SYSTEM_PROMPT)
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(engine.chat(question))


if __name__ == "__main__":
    main()
