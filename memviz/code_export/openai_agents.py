"""The setting for the OpenAI Agents SDK: a session, and what of it is sent."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.elsewhere import statement
from memviz.code_export.model_names import for_openai_agents, is_openai, summarizer_difference
from memviz.code_export.plain_python import NO_RECALL
from memviz.code_export.python_text import constant, parameters, python_file
from memviz.code_export.rules import (
    SUMMARIZING,
    count_tokens,
    counter_constants,
    counter_imports,
    rule_bodies,
    rule_constants,
    rule_imports,
)

TITLE = "OpenAI Agents SDK"
VERSION = "openai-agents 0.20"

FITTING = '''
def text_of(item: TResponseInputItem) -> str:
    """The text of a message or of a tool's result; nothing for what is no text."""
    content = item.get("content", item.get("output", ""))
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def newest_items(history: list[TResponseInputItem], new: list[TResponseInputItem]) -> list[TResponseInputItem]:
    """As many of the newest items as fit, and always the new ones. Called by the SDK before each run."""
    tokens = sum(count_tokens(text_of(item)) for item in new)
    start = len(history)
    while start and (tokens := tokens + count_tokens(text_of(history[start - 1]))) <= MAX_TOKENS:
        start -= 1
    return history[start:] + new
'''

SUMMARIZE_OPENAI = '''
def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return OpenAI().responses.create(model=SUMMARIZER_MODEL, input=messages).output_text
'''

SUMMARIZE_LITELLM = '''
def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return litellm.completion(model=SUMMARIZER_MODEL, messages=messages).choices[0].message.content
'''

ADAPTER = '''
def as_messages(items: list[TResponseInputItem]) -> list[dict]:
    """The SDK's items as messages. A step of reasoning goes along with the item that it led to."""
    messages, group = [], []
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


def remembering(memory: Memory) -> Callable[[CallModelData], Awaitable[ModelInputData]]:
    """A filter that sends what the rule above gives. The session keeps everything."""

    def sent(items: list[TResponseInputItem]) -> list[TResponseInputItem]:
        nonlocal memory
        messages = as_messages(items)
        known = [(message["role"], message["content"]) for message in memory.log]
        if known != [(message["role"], message["content"]) for message in messages[: len(known)]]:
            memory = Memory()  # another conversation
        for message in messages[len(memory.log) :]:
            memory.append(message)
        return [
            item
            for message in memory.context()
            for item in message.get("items") or [{"role": message["role"], "content": message["content"]}]
        ]

    async def input_filter(data: CallModelData) -> ModelInputData:
        items = await asyncio.to_thread(sent, data.model_data.input)
        return ModelInputData(input=items, instructions=data.model_data.instructions)

    return input_filter
'''

MAIN = '''
def run_config() -> RunConfig:
    """What of the session is sent."""
    return RunConfig(%)


async def main() -> None:
    agent = Agent(name="Assistant", instructions=SYSTEM_PROMPT, model=MODEL)
    session, config = SQLiteSession("conversation-1", "conversations.db"), run_config()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        result = await Runner.run(agent, question, session=session, run_config=config)
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
'''

ITEMS = (
    "The SDK counts items, not messages: a tool call, its result and a step of reasoning are items of their own. "
    "Without tools and reasoning that is the same."
)
WITHIN_A_RUN = (
    "The history is cut once, before the run. What the agent does with tools within the run comes on top of it."
)
COMPACTION = (
    "The SDK's own OpenAIResponsesCompactionSession lets the provider shorten the history to items that nobody can "
    "read, by rules of its own, so it is no replacement for this setting."
)


def _models(setting: Setting) -> list[str]:
    lines = [constant("MODEL", for_openai_agents(setting.chat_model), "answers in the chat")]
    if setting.strategy.id in SUMMARIZING:
        name = setting.summary_model
        own = for_openai_agents(name) if is_openai(name) else name
        lines.append(constant("SUMMARIZER_MODEL", own, "writes the summaries"))
    return lines


def _file(
    setting: Setting,
    differences: list[str],
    names: list[str],
    imported: list[str],
    constants: list[str],
    bodies: list[str],
    *,
    run_config: str = "",
) -> str:
    extra = "" if is_openai(setting.chat_model, setting.summary_model) else "[litellm]"
    names = sorted(["Agent", "RunConfig", "Runner", "SQLiteSession", *names], key=lambda name: (name.lower(), name))
    main = MAIN.replace("%", run_config)
    return python_file(
        setting,
        f"{TITLE} ({VERSION})",
        install=f"pip install 'openai-agents{extra}'",
        differences=differences,
        imported=["import asyncio", f"from agents import {', '.join(names)}", *imported],
        constants=[*_models(setting), *constants],
        bodies=[*bodies, main],
    )


def _prompt(setting: Setting) -> str:
    return constant("SYSTEM_PROMPT", setting.system_prompt or None)


def _window(setting: Setting) -> str:
    return _file(
        setting,
        [ITEMS, WITHIN_A_RUN],
        ["SessionSettings"],
        [],
        [_prompt(setting), *parameters(setting)],
        [],
        run_config="session_settings=SessionSettings(limit=WINDOW_SIZE - 1)",
    )


def _token_buffer(setting: Setting) -> str:
    return _file(
        setting,
        [ITEMS, WITHIN_A_RUN],
        ["TResponseInputItem"],
        counter_imports(setting),
        [_prompt(setting), *parameters(setting), *counter_constants(setting)],
        [count_tokens(setting), FITTING],
        run_config="session_input_callback=newest_items",
    )


def _own(setting: Setting) -> str:
    differences = [
        "The SDK has no session with this rule, so the rule stands here as plain Python and decides before each call "
        "of the model what is sent. It sends what memviz simulated; the instructions are added by the SDK.",
        ITEMS,
        summarizer_difference(setting),
        "The summaries are kept in the process. After a restart the conversation is summarized anew.",
        COMPACTION,
    ]
    client = ["from openai import OpenAI"] if is_openai(setting.summary_model) else ["import litellm"]
    return _file(
        setting,
        differences + ([NO_RECALL] if setting.strategy.id == "summary_only" else []),
        ["TResponseInputItem"],
        [
            *rule_imports(setting),
            *client,
            "from agents.run import CallModelData, ModelInputData",
            "from collections.abc import Awaitable, Callable",
        ],
        rule_constants(setting),
        [
            *rule_bodies(
                setting,
                SUMMARIZE_OPENAI if is_openai(setting.summary_model) else SUMMARIZE_LITELLM,
                with_system_prompt=False,
            ),
            ADAPTER,
        ],
        run_config="call_model_input_filter=remembering(Memory())",
    )


def write(setting: Setting) -> str:
    """An agent with a session, and a run configuration that decides what of it is sent."""
    if not setting.is_built_in:
        return statement(setting, TITLE)
    if setting.strategy.id == "buffer":
        return _file(setting, [], [], [], [_prompt(setting)], [])
    if setting.strategy.id == "window":
        return _window(setting)
    return _token_buffer(setting) if setting.strategy.id == "token_buffer" else _own(setting)


TARGET = Target(TITLE, "openai_agents_memory.py", "python", "pip install openai-agents", write)
