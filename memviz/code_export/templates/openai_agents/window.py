"""The limit of a session's settings."""

import asyncio

from agents import Agent, RunConfig, Runner, SessionSettings, SQLiteSession

MODEL = "gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
WINDOW_SIZE = 10  # messages

DIFFERENCES = [
    "A system message that the session begins with falls out like any other. In memviz it is a system prompt and "
    "always sent: give it as the agent's instructions.",
    "The SDK counts items, not messages: a tool call, its result and a step of reasoning are items of their own. "
    "Without tools and reasoning that is the same.",
    "The history is cut once, before the run. What the agent does with tools within the run comes on top of it.",
]


def run_config() -> RunConfig:
    """What of the session is sent."""
    return RunConfig(session_settings=SessionSettings(limit=WINDOW_SIZE - 1))


async def main() -> None:
    agent = Agent(name="Assistant", instructions=SYSTEM_PROMPT, model=MODEL)
    session, config = SQLiteSession("conversation-1", "conversations.db"), run_config()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        result = await Runner.run(agent, question, session=session, run_config=config)
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
