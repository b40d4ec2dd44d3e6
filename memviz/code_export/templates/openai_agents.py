"""Agents of the OpenAI Agents SDK: a session, and what of it is sent."""

import asyncio
from collections.abc import Awaitable, Callable

from agents import Agent, RunConfig, Runner, SessionSettings, SQLiteSession, TResponseInputItem
from agents.run import CallModelData, ModelInputData

from memviz.code_export.templates.rules import Memory

MODEL = "gpt-5-mini"  # answers in the chat
SYSTEM_PROMPT = "Be kind."
WINDOW_SIZE = 10  # messages

DIFFERENCES = [
    (
        "any_rule",
        "The SDK has no session with this rule, so the rule stands here as plain Python and decides before each call "
        "of the model what is sent. It sends what memviz simulated; the instructions are added by the SDK.",
    ),
    (
        "window",
        "A system message that the session begins with falls out like any other. In memviz it is a system prompt and "
        "always sent: give it as the agent's instructions.",
    ),
    (
        "any_rule window",
        "The SDK counts items, not messages: a tool call, its result and a step of reasoning are items of their own. "
        "Without tools and reasoning that is the same.",
    ),
    (
        "any_rule",
        "The summaries are kept in the process. After a restart the conversation is summarized again.",
    ),
    (
        "any_rule",
        "The SDK's own OpenAIResponsesCompactionSession lets the provider shorten the history to items that nobody "
        "can read, by rules of its own, so it is no replacement for this setting.",
    ),
    (
        "window",
        "The history is cut once, before the run. What the agent does with tools within the run comes on top of it.",
    ),
]


def convert_items(items: list[TResponseInputItem]) -> list[dict]:
    """The SDK's items as messages. A step of reasoning goes along with the item that it led to."""
    messages: list[dict] = []
    group: list[TResponseInputItem] = []
    for item in items:
        group.append(item)
        kind = item.get("type", "message")
        if kind == "reasoning":
            continue
        content = item.get("output" if kind == "function_call_output" else "content") or ""
        if not isinstance(content, str):
            content = "".join(part.get("text", "") for part in content)
        message = {"role": item.get("role", "assistant"), "content": content, "items": group}
        if kind == "function_call":
            function = {"name": item["name"], "arguments": item["arguments"]}
            message["tool_calls"] = [{"id": item["call_id"], "function": function}]
        elif kind == "function_call_output":
            message |= {"role": "tool", "tool_call_id": item["call_id"]}
        messages.append(message)
        group = []
    return messages


def make_input_filter(memory: Memory) -> Callable[[CallModelData], Awaitable[ModelInputData]]:
    """A filter that sends what the rule above gives. The session keeps everything."""

    def sent(items: list[TResponseInputItem]) -> list[TResponseInputItem]:
        nonlocal memory
        messages = convert_items(items)
        known = [(message["role"], message["content"]) for message in memory.log]
        if known != [(message["role"], message["content"]) for message in messages[: len(known)]]:
            memory = Memory()  # another conversation
        for message in messages[len(memory.log) :]:
            memory.append(message)
        sent_items: list[TResponseInputItem] = []
        for message in memory.context():
            # A summary stands for no items of the session.
            sent_items += message.get("items") or [{"role": message["role"], "content": message["content"]}]
        return sent_items

    async def input_filter(data: CallModelData) -> ModelInputData:
        items = await asyncio.to_thread(sent, data.model_data.input)
        return ModelInputData(input=items, instructions=data.model_data.instructions)

    return input_filter


def run_config() -> RunConfig:
    """The configuration that says what of the session is sent."""
    return RunConfig(call_model_input_filter=make_input_filter(Memory()))


def run_config_for_buffer() -> RunConfig:
    """The configuration that says what of the session is sent."""
    return RunConfig()


def run_config_for_window() -> RunConfig:
    """The configuration that says what of the session is sent."""
    return RunConfig(session_settings=SessionSettings(limit=WINDOW_SIZE - 1))


async def main() -> None:
    agent = Agent(name="Assistant", instructions=SYSTEM_PROMPT, model=MODEL)
    session, config = SQLiteSession("conversation-1", "conversations.db"), run_config()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        result = await Runner.run(agent, question, session=session, run_config=config)
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
