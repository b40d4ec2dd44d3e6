"""A callback that cuts the session's history."""

import asyncio
from itertools import takewhile

from agents import Agent, RunConfig, Runner, SQLiteSession, TResponseInputItem

from memviz.code_export.templates.counter import count_tokens

MODEL = "gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
MAX_TOKENS = 2000  # tokens

DIFFERENCES = [
    "The SDK counts items, not messages: a tool call, its result and a step of reasoning are items of their own. "
    "Without tools and reasoning that is the same.",
    "The history is cut once, before the run. What the agent does with tools within the run comes on top of it.",
]


def text_of(item: TResponseInputItem) -> str:
    """The text of a message or of a tool's result; nothing for what is no text."""
    content = item.get("content", item.get("output", ""))
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def newest_items(history: list[TResponseInputItem], new: list[TResponseInputItem]) -> list[TResponseInputItem]:
    """As many of the newest items as fit, and always the new ones. Called by the SDK before each run."""
    tokens = sum(count_tokens(text_of(item)) for item in new)
    leading = list(takewhile(lambda item: item.get("role") in ("system", "developer"), history))  # always sent
    start = len(history)
    while start > len(leading) and (tokens := tokens + count_tokens(text_of(history[start - 1]))) <= MAX_TOKENS:
        start -= 1
    return leading + history[start:] + new


def run_config() -> RunConfig:
    """What of the session is sent."""
    return RunConfig(session_input_callback=newest_items)


async def main() -> None:
    agent = Agent(name="Assistant", instructions=SYSTEM_PROMPT, model=MODEL)
    session, config = SQLiteSession("conversation-1", "conversations.db"), run_config()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        result = await Runner.run(agent, question, session=session, run_config=config)
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
