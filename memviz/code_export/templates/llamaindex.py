"""Chat engines of LlamaIndex, with its own memory for a strategy or with a rule as a memory of its own."""

import json
import sys
from typing import Any

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import LLM, ChatMessage
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer, ChatSummaryMemoryBuffer
from llama_index.llms.litellm import LiteLLM

from memviz.code_export.templates.counting import token_ids
from memviz.code_export.templates.rules import Memory

MODEL = "openai/gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai/gpt-5-mini"  # writes the summaries
SYSTEM_PROMPT = "Be kind."
TEMPERATURE = 1  # gpt-5 models take no other; LlamaIndex would send 0.1
MAX_TOKENS = 2000  # tokens
TOKEN_LIMIT = 64000  # tokens
COUNT_INITIAL_TOKENS = False
INSTRUCTION = "Write one concise summary of the conversation below."

DIFFERENCES = [
    (
        "any_rule window",
        "LlamaIndex has no memory with this rule, so the rule stands here as plain Python, in a memory class of its "
        "own. It sends what memviz simulated; the system prompt is added by the chat engine.",
    ),
    (
        "token_buffer",
        "A system message that was put first is cut off like any other. In memviz it is a system prompt and always "
        "sent: give it as system_prompt.",
    ),
    (
        "chat_summary_buffer",
        "A system message that was put first is summarized like any other. In memviz it is a system prompt and always "
        "sent: give it as system_prompt.",
    ),
    (
        "buffer token_buffer chat_summary_buffer",
        "The class is marked as deprecated in favour of llama_index.core.memory.Memory, which cuts by tokens and keeps "
        "no running summary. It still works as it did.",
    ),
    (
        "token_buffer",
        "The messages are joined with blanks and counted as one text, so a message that just fits in memviz may not "
        "fit.",
    ),
    (
        "token_buffer",
        "The first message kept is never an assistant's or a tool's: LlamaIndex drops those too, and so may send less.",
    ),
    (
        "token_buffer",
        "When not even the newest message fits, it is sent alone. memviz does so with the user's question only.",
    ),
    (
        "chat_summary_buffer",
        "When the summarizer fails, LlamaIndex loses the newest messages for good, and the next request holds none of "
        "them. memviz keeps them all and tries again 2 turns later, then 4, and so on up to 32. Catch the error, and "
        "put the messages back with memory.set.",
    ),
    (
        "chat_summary_buffer",
        "A question that is over the token limit alone is swallowed by the summary, and only the summary is sent. "
        "memviz sends the question besides.",
    ),
    (
        "chat_summary_buffer",
        "The summarizer reads the same messages in another layout, without the tool calls of a message that has a "
        "text.",
    ),
    (
        "chat_summary_buffer",
        "What was summarized is removed from the chat store. memviz never removes anything.",
    ),
]


def as_dict(message: ChatMessage) -> dict:
    """A message of LlamaIndex as the rule above reads it."""
    calls = []
    for block in message.blocks:
        if isinstance(block, ToolCallBlock):
            arguments = block.tool_kwargs
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments)
            function = {"name": block.tool_name, "arguments": arguments}
            calls.append({"id": block.tool_call_id or "", "function": function})
    return {
        "role": message.role.value,
        "content": message.content or "",
        "tool_calls": calls,
        "tool_call_id": message.additional_kwargs.get("tool_call_id"),
        "original": message,
    }


def as_message(message: dict) -> ChatMessage:
    """A message that the rule above sends, as LlamaIndex has it."""
    if "original" in message:
        return message["original"]
    written = ChatMessage(role=message["role"], content=message["content"])
    for call in message.get("tool_calls", ()):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        written.blocks.append(ToolCallBlock(tool_call_id=call["id"], tool_name=name, tool_kwargs=arguments))
    return written


class StrategyMemory(BaseMemory):
    """The rule above as a memory that chat engines and agents of LlamaIndex take."""

    _memory: Memory = PrivateAttr(default_factory=Memory)

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> "StrategyMemory":
        return cls()

    def put(self, message: ChatMessage) -> None:
        self._memory.append(as_dict(message))

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return [as_message(message) for message in self._memory.context()]

    def get_all(self) -> list[ChatMessage]:
        return [message["original"] for message in self._memory.log]

    def set(self, messages: list[ChatMessage]) -> None:
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        self._memory = Memory()


SUMMARIZER: LLM | None = None  # main sets it


def summarize_for_llamaindex(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    if SUMMARIZER is None:
        raise RuntimeError("Set SUMMARIZER first.")
    answer = SUMMARIZER.chat([ChatMessage(role=message["role"], content=message["content"]) for message in messages])
    return answer.message.content or ""


def build_memory(llm: LLM) -> StrategyMemory:
    global SUMMARIZER
    SUMMARIZER = llm
    return StrategyMemory.from_defaults()


def build_memory_for_window(llm: LLM) -> StrategyMemory:
    return StrategyMemory.from_defaults()


def build_memory_for_buffer(llm: LLM) -> ChatMemoryBuffer:
    return ChatMemoryBuffer.from_defaults(token_limit=sys.maxsize)


def build_memory_for_token_buffer(llm: LLM) -> ChatMemoryBuffer:
    return ChatMemoryBuffer.from_defaults(token_limit=MAX_TOKENS, tokenizer_fn=token_ids)


def build_memory_for_chat_summary_buffer(llm: LLM) -> ChatSummaryMemoryBuffer:
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


def main_for_no_summarizer() -> None:
    llm = LiteLLM(model=MODEL, temperature=TEMPERATURE)
    memory = build_memory(llm)
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt=SYSTEM_PROMPT)
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(engine.chat(question))


if __name__ == "__main__":
    main()
