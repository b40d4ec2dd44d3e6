"""ChatMemoryBuffer without a limit."""

import sys

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.litellm import LiteLLM

MODEL = "openai/gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
TEMPERATURE = 1  # gpt-5 models take no other; LlamaIndex would send 0.1

DIFFERENCES = [
    "The class is marked as deprecated in favour of llama_index.core.memory.Memory, which cuts by tokens and keeps no "
    "running summary. It still works as it did.",
]


def build_memory(llm: LLM) -> ChatMemoryBuffer:
    return ChatMemoryBuffer.from_defaults(token_limit=sys.maxsize)


def main() -> None:
    llm = LiteLLM(model=MODEL, temperature=TEMPERATURE)
    memory = build_memory(llm)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt=SYSTEM_PROMPT)
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(engine.chat(question))


if __name__ == "__main__":
    main()
