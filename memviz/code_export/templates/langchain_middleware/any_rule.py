"""A rule as middleware of an agent."""

import asyncio
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, convert_to_messages, convert_to_openai_messages
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from memviz.code_export.templates.rule import Memory

MODEL = "openai:gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."

DIFFERENCES = [
    "LangChain has no middleware with this rule, so the rule stands here as plain Python, in a middleware of its own. "
    "It sends what memviz simulated; the system prompt is added by the agent.",
    "The summaries are kept in the process. After a restart the conversation is summarized again.",
]


class StrategyMiddleware(AgentMiddleware):
    """Sends what the rule above gives. The agent's state keeps everything."""

    def __init__(self) -> None:
        super().__init__()
        self.memories: dict[str | None, Memory] = {}  # one a conversation, by the id of its first message

    def sent(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        memory = self.memories.setdefault(messages[0].id, Memory())
        for message in messages[len(memory.log) :]:
            memory.append({**convert_to_openai_messages(message, text_format="string"), "original": message})
        return [message.get("original") or convert_to_messages([message])[0] for message in memory.context()]

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(request.override(messages=self.sent(request.messages)))

    async def awrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return await handler(request.override(messages=await asyncio.to_thread(self.sent, request.messages)))


def build_agent(model: str | BaseChatModel = MODEL) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[StrategyMiddleware()],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def main() -> None:
    agent = build_agent()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        answer = agent.invoke({"messages": [HumanMessage(question)]}, {"configurable": {"thread_id": "1"}})
        print(answer["messages"][-1].text)


if __name__ == "__main__":
    main()
