"""ChatSummaryMemoryBuffer, which the strategy was made after."""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM
from llama_index.core.memory import ChatSummaryMemoryBuffer
from llama_index.llms.litellm import LiteLLM

from memviz.code_export.templates.counter import token_ids

MODEL = "openai/gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai/gpt-5-mini"  # writes the summaries
SYSTEM_PROMPT = "Be kind."
TEMPERATURE = 1  # gpt-5 models take no other; LlamaIndex would send 0.1
TOKEN_LIMIT = 64000  # tokens
COUNT_INITIAL_TOKENS = False
INSTRUCTION = "Write one concise summary of the conversation below."

DIFFERENCES = [
    "A system message that was put first is summarized like any other. In memviz it is a system prompt and always "
    "sent: give it as system_prompt.",
    "The class is marked as deprecated in favour of llama_index.core.memory.Memory, which cuts by tokens and keeps no "
    "running summary. It still works as it did.",
    "When the summarizer fails, LlamaIndex loses the newest messages for good, and the next request holds none of "
    "them. memviz keeps them all and tries again 2 turns later, then 4, and so on up to 32. Catch the error, and put "
    "the messages back with memory.set.",
    "A question that is over the token limit alone is swallowed by the summary, and only the summary is sent. memviz "
    "sends the question besides.",
    "The summarizer reads the same messages in another layout, without the tool calls of a message that has a text.",
    "What was summarized is removed from the chat store. memviz never removes anything.",
]


def build_memory(llm: LLM) -> ChatSummaryMemoryBuffer:
    return ChatSummaryMemoryBuffer.from_defaults(
        llm=llm,  # writes the summaries
        token_limit=TOKEN_LIMIT,
        summarize_prompt=INSTRUCTION,
        count_initial_tokens=COUNT_INITIAL_TOKENS,
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
