"""Middleware with LangChain's own trimming, by messages."""

import asyncio
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, trim_messages
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

MODEL = "openai:gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
WINDOW_SIZE = 10  # messages


class NewestMessages(AgentMiddleware):
    """Sends the newest messages and always the question. The agent's state keeps everything."""

    def sent(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        leading = list(takewhile(lambda message: message.type == "system", messages))  # always sent
        kept = trim_messages(
            messages[len(leading) :],
            strategy="last",
            max_tokens=WINDOW_SIZE,
            token_counter=len,
            start_on=("human", "ai"),  # no tool result without its call, which providers refuse
        )
        question = [message for message in messages if message.type == "human"][-1:]
        if not all(message in kept for message in question):
            kept = [*question, *kept]
        return [*leading, *kept]

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(request.override(messages=self.sent(request.messages)))

    async def awrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return await handler(request.override(messages=await asyncio.to_thread(self.sent, request.messages)))


def build_agent(model: str | BaseChatModel = MODEL) -> CompiledStateGraph:
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[NewestMessages()],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )


def main() -> None:
    agent = build_agent()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        answer = agent.invoke({"messages": [HumanMessage(question)]}, {"configurable": {"thread_id": "1"}})
        print(answer["messages"][-1].text)


if __name__ == "__main__":
    main()
