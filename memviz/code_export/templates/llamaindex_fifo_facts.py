"""Memory with a static block and a block of facts, which the strategy was made after."""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM, ChatMessage
from llama_index.core.memory import FactExtractionMemoryBlock, Memory, StaticMemoryBlock
from llama_index.llms.litellm import LiteLLM

from memviz.code_export.templates.counting import token_ids

MODEL = "openai/gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai/gpt-5-mini"  # writes the facts
SYSTEM_PROMPT = "Be kind."
TEMPERATURE = 1  # gpt-5 models take no other; LlamaIndex would send 0.1
TOKEN_LIMIT = 30000  # tokens
HISTORY_PERCENT = 70
FLUSH_PERCENT = 10
MAX_FACTS = 50
STATIC_TEXT = "You are a helpful assistant."

DIFFERENCES = [
    (
        "fifo_facts",
        "The model is asked for facts in LlamaIndex's own words. memviz asks for the same list in words of its own.",
    ),
    (
        "fifo_facts",
        "When the model fails, or answers with no text, LlamaIndex loses the messages that it took out. memviz keeps "
        "them and tries again 2 turns later, then 4, and so on up to 32.",
    ),
    (
        "fifo_facts",
        "Where a system message stands among the messages, LlamaIndex puts the facts before its words. memviz always "
        "puts them in front of the messages.",
    ),
    (
        "fifo_facts",
        "LlamaIndex also counts the ids that tool results have. An agent of LlamaIndex puts the calls and results of a "
        "turn only once the turn is over.",
    ),
]


class Facts(FactExtractionMemoryBlock):
    """The block, which asks without the session's id: LlamaIndex puts it into the messages, and OpenAI refuses it."""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        for message in messages:
            message.additional_kwargs.pop("session_id", None)
        await super()._aput(messages)


def build_memory(llm: LLM) -> Memory:
    facts = Facts(llm=llm, max_facts=MAX_FACTS)
    return Memory.from_defaults(
        token_limit=TOKEN_LIMIT,
        chat_history_token_ratio=HISTORY_PERCENT / 100,
        token_flush_size=max(1, int(TOKEN_LIMIT * (FLUSH_PERCENT / 100))),
        memory_blocks=[StaticMemoryBlock(static_content=STATIC_TEXT), facts] if STATIC_TEXT else [facts],
        tokenizer_fn=token_ids,
    )


def main() -> None:
    memory = build_memory(LiteLLM(model=SUMMARIZER_MODEL, temperature=TEMPERATURE))
    llm = LiteLLM(model=MODEL, temperature=TEMPERATURE)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt=SYSTEM_PROMPT)
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(engine.chat(question))


if __name__ == "__main__":
    main()
