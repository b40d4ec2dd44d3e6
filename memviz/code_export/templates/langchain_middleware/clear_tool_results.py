"""ContextEditingMiddleware with ClearToolUsesEdit, which the strategy was made after."""

from langchain.agents import create_agent
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware
from langchain.agents.middleware.context_editing import TokenCounter
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from memviz.code_export.templates.langchain_middleware.counting import count_messages

MODEL = "openai:gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
TRIGGER_TOKENS = 100000  # tokens
KEEP_RESULTS = 3
CLEAR_AT_LEAST_TOKENS = 0  # tokens
RULE = "stop"  # stop, or gate
CLEAR_ARGUMENTS = False
EXCLUDED_TOOLS = "look_up, search"  # divided by commas
PLACEHOLDER = "[cleared]"

DIFFERENCES = [
    "A system message that the agent's state begins with counts like any other. In memviz it is a system prompt and "
    "does not count: give it as system_prompt.",
    "A call whose arguments are no JSON object is unknown to LangChain, so its result is never cleared.",
]


class Clearing(ClearToolUsesEdit):
    """Where the rule is a gate: clears all old results, or none of them as long as too few tokens would go."""

    def apply(self, messages: list[AnyMessage], *, count_tokens: TokenCounter) -> None:
        before = list(messages)
        super().apply(messages, count_tokens=count_tokens)
        if RULE == "gate" and count_tokens(before) - count_tokens(messages) < CLEAR_AT_LEAST_TOKENS:
            messages[:] = before


def editing() -> ContextEditingMiddleware:
    """What is sent with each request; the agent's state keeps everything."""
    edit = Clearing(
        trigger=TRIGGER_TOKENS,
        clear_at_least=0 if RULE == "gate" else CLEAR_AT_LEAST_TOKENS,
        keep=KEEP_RESULTS,
        clear_tool_inputs=CLEAR_ARGUMENTS,
        exclude_tools=[name.strip() for name in (EXCLUDED_TOOLS or "").split(",") if name.strip()],
        placeholder="[cleared]" if PLACEHOLDER is None else PLACEHOLDER,
    )
    return ContextEditingMiddleware(edits=[edit], token_counter=count_messages)


def build_agent(model: str | BaseChatModel = MODEL) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[editing()],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def main() -> None:
    agent = build_agent()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        answer = agent.invoke({"messages": [HumanMessage(question)]}, {"configurable": {"thread_id": "1"}})
        print(answer["messages"][-1].text)


if __name__ == "__main__":
    main()
