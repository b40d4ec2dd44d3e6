"""UnboundedChatCompletionContext."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_ext.models.openai import OpenAIChatCompletionClient

MODEL = "gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."

DIFFERENCES = [
    *(["OpenAIChatCompletionClient speaks to OpenAI. Put the client of your provider in its place."] * ("/" in MODEL)),
]


def build_context() -> UnboundedChatCompletionContext:
    return UnboundedChatCompletionContext()


async def main() -> None:
    client = OpenAIChatCompletionClient(model=MODEL)
    agent = AssistantAgent("assistant", client, system_message=SYSTEM_PROMPT, model_context=build_context())
    for question in ("Hello, my name is Ada.", "What is my name?"):
        result = await agent.run(task=question)
        print(result.messages[-1])


if __name__ == "__main__":
    asyncio.run(main())
