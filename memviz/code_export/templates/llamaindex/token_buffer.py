"""ChatMemoryBuffer."""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.litellm import LiteLLM

from memviz.code_export.templates.counter import token_ids

MODEL = "openai/gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
TEMPERATURE = 1  # gpt-5 models take no other; LlamaIndex would send 0.1
MAX_TOKENS = 2000  # tokens

DIFFERENCES = [
    "A system message that was put first is cut off like any other. In memviz it is a system prompt and always sent: "
    "give it as system_prompt.",
    "The class is marked as deprecated in favour of llama_index.core.memory.Memory, which cuts by tokens and keeps no "
    "running summary. It still works as it did.",
    "The messages are joined with blanks and counted as one text, so a message that just fits in memviz may not fit.",
    "The first message kept is never an assistant's or a tool's: LlamaIndex drops those too, and so may send less.",
    "When not even the newest message fits, it is sent alone. memviz does so with the user's question only.",
]


def build_memory(llm: LLM) -> ChatMemoryBuffer:
    return ChatMemoryBuffer.from_defaults(token_limit=MAX_TOKENS, tokenizer_fn=token_ids)


def main() -> None:
    llm = LiteLLM(model=MODEL, temperature=TEMPERATURE)
    memory = build_memory(llm)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt=SYSTEM_PROMPT)
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(engine.chat(question))


if __name__ == "__main__":
    main()
