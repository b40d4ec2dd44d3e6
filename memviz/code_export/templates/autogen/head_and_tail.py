"""HeadAndTailChatCompletionContext, which the strategy was made after."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.model_context import HeadAndTailChatCompletionContext
from autogen_ext.models.openai import OpenAIChatCompletionClient

MODEL = "gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
HEAD_SIZE = 2  # messages
TAIL_SIZE = 8  # messages

DIFFERENCES = [
    "memviz always sends the input: several messages of the user in a row, of which AutoGen may skip the first, and "
    "results that begin the tail, which AutoGen leaves out even where they have to be answered.",
    "The line that says how many messages are skipped has the name System.",
    *(["OpenAIChatCompletionClient speaks to OpenAI. Put the client of your provider in its place."] * ("/" in MODEL)),
]


def build_context() -> HeadAndTailChatCompletionContext:
    return HeadAndTailChatCompletionContext(head_size=HEAD_SIZE, tail_size=TAIL_SIZE)


async def main() -> None:
    client = OpenAIChatCompletionClient(model=MODEL)
    agent = AssistantAgent("assistant", client, system_message=SYSTEM_PROMPT, model_context=build_context())
    for question in ("Hello, my name is Ada.", "What is my name?"):
        result = await agent.run(task=question)
        print(result.messages[-1])


if __name__ == "__main__":
    asyncio.run(main())
