"""The setting for LlamaIndex: its own memory class where it has one, else a memory class of one's own."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.elsewhere import statement
from memviz.code_export.model_names import summarizer_difference
from memviz.code_export.plain_python import NO_RECALL
from memviz.code_export.python_text import constant, parameters, python_file
from memviz.code_export.rules import (
    SUMMARIZING,
    counter_constants,
    counter_imports,
    rule_bodies,
    rule_constants,
    rule_imports,
    tokenizer,
    tokenizer_body,
)

TITLE = "LlamaIndex"
INSTALL = "pip install llama-index-core llama-index-llms-litellm"
VERSION = "llama-index-core 0.14.25"

LITELLM = "from llama_index.llms.litellm import LiteLLM"
ENGINE = "from llama_index.core.chat_engine import SimpleChatEngine"

BUFFER = """
def build_memory(llm: LLM) -> ChatMemoryBuffer:
    return ChatMemoryBuffer.from_defaults(token_limit=sys.maxsize)
"""

FITTING = """
def build_memory(llm: LLM) -> ChatMemoryBuffer:
    return ChatMemoryBuffer.from_defaults(token_limit=MAX_TOKENS, tokenizer_fn=@)
"""

CHAT_SUMMARY_BUFFER = """
def build_memory(llm: LLM) -> ChatSummaryMemoryBuffer:
    return ChatSummaryMemoryBuffer.from_defaults(
        llm=llm,  # writes the summaries
        token_limit=TOKEN_LIMIT,
        summarize_prompt=SUMMARIZE_PROMPT,
        count_initial_tokens=COUNT_INITIAL_TOKENS,
        tokenizer_fn=@,
    )
"""

SUMMARIZE = '''
SUMMARIZER: LLM | None = None  # main sets it


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    if SUMMARIZER is None:
        raise RuntimeError("Set SUMMARIZER first.")
    answer = SUMMARIZER.chat([ChatMessage(role=message["role"], content=message["content"]) for message in messages])
    return answer.message.content or ""
'''

ADAPTER = '''
def as_dict(message: ChatMessage) -> dict:
    """A message of LlamaIndex as the rule above reads it."""
    calls = []
    for block in message.blocks:
        if isinstance(block, ToolCallBlock):
            given = block.tool_kwargs if isinstance(block.tool_kwargs, str) else json.dumps(block.tool_kwargs)
            calls.append({"id": block.tool_call_id or "", "function": {"name": block.tool_name, "arguments": given}})
    return {
        "role": message.role.value,
        "content": message.content or "",
        "tool_calls": calls,
        "tool_call_id": message.additional_kwargs.get("tool_call_id"),
        "original": message,
    }


class StrategyMemory(BaseMemory):
    """The rule above as a memory that chat engines and agents of LlamaIndex take."""

    _memory: Memory = PrivateAttr(default_factory=Memory)

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> "StrategyMemory":
        return cls()

    def put(self, message: ChatMessage) -> None:
        self._memory.append(as_dict(message))

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return [
            message["original"] if "original" in message else ChatMessage(role="system", content=message["content"])
            for message in self._memory.context()
        ]

    def get_all(self) -> list[ChatMessage]:
        return [message["original"] for message in self._memory.log]

    def set(self, messages: list[ChatMessage]) -> None:
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        self._memory = Memory()
'''

BUILD_OWN = """
def build_memory(llm: LLM) -> StrategyMemory:
    return StrategyMemory.from_defaults()
"""

BUILD_SUMMARIZING = """
def build_memory(llm: LLM) -> StrategyMemory:
    global SUMMARIZER
    SUMMARIZER = llm
    return StrategyMemory.from_defaults()
"""

MAIN = """
def main() -> None:
    memory = build_memory(LiteLLM(model=SUMMARIZER_MODEL))
    engine = SimpleChatEngine.from_defaults(llm=LiteLLM(model=MODEL), memory=memory, system_prompt=SYSTEM_PROMPT)
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(engine.chat(question))


if __name__ == "__main__":
    main()
"""

DEPRECATED = (
    "The class is marked as deprecated in favour of llama_index.core.memory.Memory, which cuts by tokens and keeps no "
    "running summary. It still works as it did."
)
CHAT_SUMMARY_DIFFERENCES = [
    DEPRECATED,
    "When the summarizer fails, LlamaIndex loses the newest messages for good, and the next request holds none of "
    "them. memviz keeps them all and tries again in a later turn. Catch the error, and put the messages "
    "back with memory.set.",
    "A question that is over the token limit alone is swallowed by the summary, and only the summary is sent. memviz "
    "sends the question besides.",
    "The summarizer reads the same messages in another layout, without the tool calls of a message that has a text.",
    "What was summarized is removed from the chat store. memviz never removes anything.",
]
TOKEN_DIFFERENCES = [
    DEPRECATED,
    "The messages are joined with blanks and counted as one text, so a message that just fits in memviz may not fit.",
    "The first message kept is never an assistant's or a tool's: LlamaIndex drops those too, and so may send less.",
    "When not even the newest message fits, it is sent alone. memviz does so with the user's question only.",
]


def _models(setting: Setting) -> list[str]:
    lines = [constant("MODEL", setting.chat_model, "answers in the chat")]
    if setting.strategy.id in SUMMARIZING:
        lines.append(constant("SUMMARIZER_MODEL", setting.summary_model, "writes the summaries"))
    return lines


def _main(setting: Setting) -> str:
    """The example; where nothing is summarized, there is one model."""
    return MAIN if setting.strategy.id in SUMMARIZING else MAIN.replace("SUMMARIZER_MODEL", "MODEL")


def _native(setting: Setting, memory_class: str, body: str, differences: list[str], *, counted: bool = True) -> str:
    own = [constant("SYSTEM_PROMPT", setting.system_prompt or None), *parameters(setting)]
    if setting.strategy.id == "chat_summary_buffer":
        own.append(constant("SUMMARIZE_PROMPT", setting.strategy.instruction))
    return python_file(
        setting,
        f"{TITLE} ({VERSION})",
        install=INSTALL,
        differences=differences,
        imported=[
            *(counter_imports(setting) if counted else ["import sys"]),
            ENGINE,
            "from llama_index.core.llms import LLM",
            f"from llama_index.core.memory import {memory_class}",
            LITELLM,
        ],
        constants=[*_models(setting), *own, *(counter_constants(setting) if counted else [])],
        bodies=[tokenizer_body(setting) if counted else "", body.replace("@", tokenizer(setting)), _main(setting)],
    )


def _own(setting: Setting) -> str:
    summarizing = setting.strategy.id in SUMMARIZING
    differences = [
        f"LlamaIndex has no memory with this rule ({VERSION}), so the rule stands here as plain Python, in a memory "
        "class of its own. It sends what memviz simulated; the system prompt is added by the chat engine.",
    ]
    differences += [summarizer_difference(setting)] if summarizing else []
    differences += [NO_RECALL] if setting.strategy.id == "summary_only" else []
    return python_file(
        setting,
        TITLE,
        install=INSTALL,
        differences=differences,
        imported=[
            *rule_imports(setting),
            "import json",
            "from typing import Any",
            "from llama_index.core.base.llms.types import ToolCallBlock",
            "from llama_index.core.bridge.pydantic import PrivateAttr",
            ENGINE,
            "from llama_index.core.llms import LLM, ChatMessage",
            "from llama_index.core.memory import BaseMemory",
            LITELLM,
        ],
        constants=[*_models(setting), *rule_constants(setting)],
        bodies=[
            *rule_bodies(setting, SUMMARIZE, with_system_prompt=False),
            ADAPTER,
            BUILD_SUMMARIZING if summarizing else BUILD_OWN,
            _main(setting),
        ],
    )


def write(setting: Setting) -> str:
    """A function ``build_memory(llm)`` and a chat engine that uses it."""
    if not setting.is_built_in:
        return statement(setting, TITLE)
    if setting.strategy.id == "buffer":
        return _native(setting, "ChatMemoryBuffer", BUFFER, [DEPRECATED], counted=False)
    if setting.strategy.id == "token_buffer":
        return _native(setting, "ChatMemoryBuffer", FITTING, TOKEN_DIFFERENCES)
    if setting.strategy.id == "chat_summary_buffer":
        differences = [*CHAT_SUMMARY_DIFFERENCES, summarizer_difference(setting)]
        return _native(setting, "ChatSummaryMemoryBuffer", CHAT_SUMMARY_BUFFER, differences)
    return _own(setting)


TARGET = Target(TITLE, "llamaindex_memory.py", "python", INSTALL, write)
