"""Agents of LangChain 1: with its own middleware for a strategy, or with a rule as middleware of its own.

This is a template: memviz reads it as text and copies what one strategy needs into an exported program.

- ``build_agent_for_summary`` stands there as ``build_agent``, in a program for the strategy ``summary``. A strategy
  without such a function has the general ``build_agent``, with its rule from ``rules.py`` as ``Memory``.
- Constants in capital letters get the values of the setting that is exported.
- ``DIFFERENCES`` go into the comment on top of the program. Each has the ids of its strategies in front; ``any_rule``
  is every strategy with the general ``build_agent``.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    ModelRequest,
    SummarizationMiddleware,
)
from langchain.agents.middleware.context_editing import TokenCounter
from langchain.agents.middleware.summarization import DEFAULT_SUMMARY_PROMPT
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, convert_to_messages, convert_to_openai_messages
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from memviz.code_export.templates.counting import count_tokens
from memviz.code_export.templates.rules import Memory

MODEL = "openai:gpt-5-mini"  # answers in the chat
SUMMARIZER_MODEL = "openai:gpt-5-mini"  # writes the summaries
SYSTEM_PROMPT = "Be kind."
BUFFER_SIZE = 4  # messages
MAX_TOKEN_LIMIT = 500  # tokens
TOKEN_LIMIT = 64000  # tokens
COUNT_INITIAL_TOKENS = False
TRIGGER_TOKENS = 100000  # tokens
KEEP_RESULTS = 3
CLEAR_AT_LEAST_TOKENS = 0  # tokens
RULE = "stop"  # stop, or gate
CLEAR_ARGUMENTS = False
EXCLUDED_TOOLS = "look_up, search"  # divided by commas
PLACEHOLDER = "[cleared]"
TRIGGER = [{"tokens": 4000}]  # one of these is enough, and of each all has to be reached
KEEP = ("messages", 20)
SUMMARIZER_READS_TOKENS = 4000  # tokens; 0: everything
SUMMARY_WORDS = 120  # the longest summary that the prompt asks for; 0: it names no length
INSTRUCTION = "Write one concise summary of the conversation below."
SUMMARY_PROMPT = INSTRUCTION.replace("{", "{{").replace("}", "}}") + "\n\n{messages}"

DIFFERENCES = [
    (
        "any_rule",
        "LangChain has no middleware with this rule, so the rule stands here as plain Python, in a middleware of its "
        "own. It sends what memviz simulated; the system prompt is added by the agent.",
    ),
    (
        "any_rule",
        "The summaries are kept in the process. After a restart the conversation is summarized again.",
    ),
    (
        "clear_tool_results",
        "A system message that the agent's state begins with counts like any other. In memviz it is a system prompt "
        "and does not count: give it as system_prompt.",
    ),
    (
        "clear_tool_results",
        "A call whose arguments are no JSON object is unknown to LangChain, so its result is never cleared.",
    ),
    (
        "chat_summary_buffer",
        "The first message kept may be an assistant's. memviz folds those into the summary as well.",
    ),
    (
        "chat_summary_buffer",
        "The sentence in front of the summary counts as well.",
    ),
    (
        "summary summary_buffer",
        "It looks before each call of the model. memviz looks after each message, so it may summarize at the answer "
        "already.",
    ),
    (
        "summary",
        "The summary itself counts as one of the messages, so from the second time on it may summarize one message "
        "earlier.",
    ),
    (
        "summary_buffer",
        "The summary counts toward the limit that triggers. In memviz it does not, so LangChain summarizes more often.",
    ),
    (
        "summary_buffer",
        "It also summarizes when the provider reports that many tokens for the last call. There the system prompt, "
        "the tools and the answer count as well.",
    ),
    (
        "chat_summary_buffer summary summary_buffer",
        "The summary is a user message that starts with 'Here is a summary of the conversation to date:'. In memviz "
        "it is a system message.",
    ),
    (
        "langchain_summarization threshold_summary",
        "memviz always sends the input. LangChain may send its summary alone, where a threshold is reached within "
        "what the user just said.",
    ),
    (
        "langchain_summarization threshold_summary",
        "LangChain goes on with an empty summary where the answer is empty. memviz then changes nothing.",
    ),
    (
        "chat_summary_buffer summary summary_buffer langchain_summarization threshold_summary",
        "A summarizer that fails is asked up to three times, and then the whole call of the agent fails. In memviz "
        "the request is sent with all messages, and the summarizer is asked again 2 turns later, then 4, and so on up "
        "to 32. Nothing is lost either way.",
    ),
    (
        "langchain_summarization threshold_summary",
        "It also summarizes when the provider reports that many tokens; memviz counts the texts of messages alone.",
    ),
    (
        "chat_summary_buffer summary summary_buffer langchain_summarization threshold_summary",
        "What was summarized is removed from the agent's state. memviz never removes anything.",
    ),
    (
        "chat_summary_buffer summary summary_buffer langchain_summarization threshold_summary",
        "A system message that the agent's state begins with is summarized like any other. In memviz it is a system "
        "prompt and always sent: give it as system_prompt.",
    ),
]


class StrategyMiddleware(AgentMiddleware):
    """Sends what the rule above gives. The agent's state keeps everything."""

    def __init__(self) -> None:
        super().__init__()
        self.memories: dict[str | None, Memory] = {}  # one a conversation, by the id of its first message

    def sent(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        """The messages to send of a conversation. A summary has no original, so it is converted."""
        memory = self.memories.setdefault(messages[0].id, Memory())
        for message in messages[len(memory.log) :]:
            converted = convert_to_openai_messages(message, text_format="string")
            memory.append({**converted, "original": message})
        return [message.get("original") or convert_to_messages([message])[0] for message in memory.context()]

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(request.override(messages=self.sent(request.messages)))

    async def awrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return await handler(request.override(messages=await asyncio.to_thread(self.sent, request.messages)))


def count_messages(messages: Iterable[AnyMessage]) -> int:
    """Tokens of the messages' texts, as memviz counts them."""
    return sum(count_tokens(str(message.text)) for message in messages)


class Clearing(ClearToolUsesEdit):
    """Clears all old results where the rule is a gate, or none of them as long as too few tokens would go."""

    def apply(self, messages: list[AnyMessage], *, count_tokens: TokenCounter) -> None:
        before = list(messages)
        super().apply(messages, count_tokens=count_tokens)
        if RULE != "gate":
            return
        cleared_tokens = count_tokens(before) - count_tokens(messages)
        if cleared_tokens < CLEAR_AT_LEAST_TOKENS:
            messages[:] = before


def build_editing() -> ContextEditingMiddleware:
    """Clears tool results in each request; the agent's state keeps everything."""
    excluded_tools = [name.strip() for name in (EXCLUDED_TOOLS or "").split(",")]
    edit = Clearing(
        trigger=TRIGGER_TOKENS,
        clear_at_least=0 if RULE == "gate" else CLEAR_AT_LEAST_TOKENS,
        keep=KEEP_RESULTS,
        clear_tool_inputs=CLEAR_ARGUMENTS,
        exclude_tools=[name for name in excluded_tools if name],
        placeholder="[cleared]" if PLACEHOLDER is None else PLACEHOLDER,
    )
    return ContextEditingMiddleware(edits=[edit], token_counter=count_messages)


def count_room() -> int:
    """Tokens for the summary and the messages."""
    if COUNT_INITIAL_TOKENS and SYSTEM_PROMPT:
        return TOKEN_LIMIT - count_tokens(SYSTEM_PROMPT)
    return TOKEN_LIMIT


def write_summary_prompt() -> str:
    """LangChain's own prompt, with the longest length behind its instructions, before the messages."""
    if not SUMMARY_WORDS:
        return DEFAULT_SUMMARY_PROMPT
    instructions, tag, messages = DEFAULT_SUMMARY_PROMPT.partition("<messages>")
    return f"{instructions.rstrip()} Write it in at most {SUMMARY_WORDS} words.\n\n{tag}{messages}"


def build_agent(model: str | BaseChatModel = MODEL) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[StrategyMiddleware()],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def build_agent_for_buffer(model: str | BaseChatModel = MODEL) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def build_agent_for_clear_tool_results(model: str | BaseChatModel = MODEL) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[build_editing()],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def build_agent_for_summary(
    model: str | BaseChatModel = MODEL, summarizer: str | BaseChatModel = SUMMARIZER_MODEL
) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[
            SummarizationMiddleware(
                model=summarizer,
                trigger=("messages", 2 * BUFFER_SIZE + 1),
                keep=("messages", BUFFER_SIZE),
                token_counter=count_messages,
                summary_prompt=SUMMARY_PROMPT,
                trim_tokens_to_summarize=None,  # the default of 4000 cuts off the oldest part: the summary so far
            )
        ],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def build_agent_for_summary_buffer(
    model: str | BaseChatModel = MODEL, summarizer: str | BaseChatModel = SUMMARIZER_MODEL
) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[
            SummarizationMiddleware(
                model=summarizer,
                trigger=("tokens", MAX_TOKEN_LIMIT + 1),
                keep=("tokens", max(1, MAX_TOKEN_LIMIT // 2)),
                token_counter=count_messages,
                summary_prompt=SUMMARY_PROMPT,
                trim_tokens_to_summarize=None,  # the default of 4000 cuts off the oldest part: the summary so far
            )
        ],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def build_agent_for_chat_summary_buffer(
    model: str | BaseChatModel = MODEL, summarizer: str | BaseChatModel = SUMMARIZER_MODEL
) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[
            SummarizationMiddleware(
                model=summarizer,
                trigger=("tokens", count_room() + 1),
                keep=("tokens", count_room()),
                token_counter=count_messages,
                summary_prompt=SUMMARY_PROMPT,
                trim_tokens_to_summarize=None,  # the default of 4000 cuts off the oldest part: the summary so far
            )
        ],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def build_agent_for_threshold_summary(
    model: str | BaseChatModel = MODEL, summarizer: str | BaseChatModel = SUMMARIZER_MODEL
) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[
            SummarizationMiddleware(
                model=summarizer,
                trigger=TRIGGER or None,
                keep=KEEP,
                token_counter=count_messages,
                summary_prompt=SUMMARY_PROMPT,
                trim_tokens_to_summarize=SUMMARIZER_READS_TOKENS or None,
            )
        ],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def build_agent_for_langchain_summarization(
    model: str | BaseChatModel = MODEL, summarizer: str | BaseChatModel = SUMMARIZER_MODEL
) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[
            SummarizationMiddleware(
                model=summarizer,
                trigger=TRIGGER or None,
                keep=KEEP,
                token_counter=count_messages,
                summary_prompt=write_summary_prompt(),
                trim_tokens_to_summarize=SUMMARIZER_READS_TOKENS or None,
            )
        ],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def main() -> None:
    agent = build_agent()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        answer = agent.invoke({"messages": [HumanMessage(question)]}, {"configurable": {"thread_id": "1"}})
        print(answer["messages"][-1].text)


if __name__ == "__main__":
    main()
