"""A session is sent whole."""

import asyncio

from agents import Agent, RunConfig, Runner, SQLiteSession

MODEL = "gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."


def run_config() -> RunConfig:
    """What of the session is sent."""
    return RunConfig()


async def main() -> None:
    agent = Agent(name="Assistant", instructions=SYSTEM_PROMPT, model=MODEL)
    session, config = SQLiteSession("conversation-1", "conversations.db"), run_config()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        result = await Runner.run(agent, question, session=session, run_config=config)
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
