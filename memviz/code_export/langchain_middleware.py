"""The setting for LangChain 1: middleware of an agent."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.elsewhere import statement
from memviz.code_export.model_names import for_langchain, langchain_package, summarizer_difference
from memviz.code_export.plain_python import NO_RECALL
from memviz.code_export.python_text import constant, parameters, python_file
from memviz.code_export.rules import (
    COUNTING,
    SUMMARIZING,
    count_tokens,
    counter_constants,
    counter_imports,
    rule_bodies,
    rule_constants,
    rule_imports,
)

TITLE = "LangChain, middleware"
VERSION = "langchain 1.4.7"

COUNT_MESSAGES = '''
def count_messages(messages: Iterable[AnyMessage]) -> int:
    """Tokens of the messages' texts, as memviz counts them."""
    return sum(count_tokens(str(message.text)) for message in messages)
'''

TRIM = '''
class NewestMessages(AgentMiddleware):
    """Sends the newest messages and always the question. The agent's state keeps everything."""

    def sent(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        kept = trim_messages(
            messages,
            strategy="last",
            max_tokens=SIZE,
            start_on=("human", "ai"),  # no tool result without its call, which providers refuse
        )
        question = [message for message in messages if message.type == "human"][-1:]
        return kept if all(message in kept for message in question) else [*question, *kept]
'''

WRAPPERS = """
    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return handler(request.override(messages=self.sent(request.messages)))

    async def awrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        return await handler(request.override(messages=await asyncio.to_thread(self.sent, request.messages)))
"""

ADAPTER = '''
class StrategyMiddleware(AgentMiddleware):
    """Sends what the rule above gives. The agent's state keeps everything."""

    def __init__(self) -> None:
        super().__init__()
        self.memories: dict[str | None, Memory] = {}  # one a conversation, by the id of its first message

    def sent(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        memory = self.memories.setdefault(messages[0].id, Memory())
        for message in messages[len(memory.log) :]:
            memory.append({**convert_to_openai_messages(message, text_format="string"), "original": message})
        return [message.get("original") or SystemMessage(message["content"]) for message in memory.context()]
'''

SUMMARIZE = '''
def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    return str(init_chat_model(SUMMARIZER_MODEL).invoke(messages).text)
'''

BUILD = """
def build_agent(@):
    return create_agent(
        model,
        tools=[],  # yours
        system_prompt=SYSTEM_PROMPT,
        middleware=[%],
        checkpointer=InMemorySaver(),  # keeps the conversation between calls
    )
"""

MAIN = """
def main() -> None:
    agent = build_agent()
    for question in ("Hello, my name is Ada.", "What is my name?"):
        answer = agent.invoke({"messages": [HumanMessage(question)]}, {"configurable": {"thread_id": "1"}})
        print(answer["messages"][-1].text)


if __name__ == "__main__":
    main()
"""

MIDDLEWARE = """
            SummarizationMiddleware(
                model=summarizer,
                trigger={trigger},
                keep={keep},
                token_counter=count_messages,
                summary_prompt=SUMMARY_PROMPT,
                trim_tokens_to_summarize=None,  # the default of 4000 cuts off the oldest part: the summary so far
            )
        """

SIZES = {
    "summary": ('("messages", 2 * BUFFER_SIZE + 1)', '("messages", BUFFER_SIZE)'),
    "summary_buffer": ('("tokens", MAX_TOKEN_LIMIT + 1)', '("tokens", max(1, MAX_TOKEN_LIMIT // 2))'),
    "chat_summary_buffer": ('("tokens", TOKEN_LIMIT + 1)', '("tokens", TOKEN_LIMIT)'),
}
"""``trigger`` and ``keep`` of the library for memviz's strategies. The library acts from the trigger on, memviz past
its limit: hence the 1."""

COMMON = [
    "The summary is a user message that starts with 'Here is a summary of the conversation to date:'. In memviz it "
    "is a system message.",
    "A summarizer that fails is asked up to three times, and then the whole call of the agent fails. In memviz the "
    "request is sent with all messages, and a later turn tries again. Nothing is lost either way.",
    "What was summarized is removed from the agent's state. memviz never removes anything.",
]
LOOKS = (
    "It looks before each call of the model. memviz looks after each message, so it may summarize at the answer "
    "already."
)
DIFFERENCES = {
    "summary": [
        LOOKS,
        "The summary itself counts as one of the messages, so from the second time on it may summarize "
        "one message earlier.",
    ],
    "summary_buffer": [
        LOOKS,
        "The summary counts toward the limit that triggers. In memviz it does not, so LangChain summarizes more often.",
        "It also summarizes when the provider reports that many tokens for the last call. There the system prompt, the "
        "tools and the answer count as well.",
    ],
    "chat_summary_buffer": [
        "The first message kept may be an assistant's. memviz folds those into the summary as well.",
        "The sentence in front of the summary counts as well.",
    ],
}

LANGUAGE_MODELS = "from langchain_core.language_models import BaseChatModel"
CALLABLE = "from collections.abc import Callable"
WRAPPING = (
    "import asyncio",
    "from typing import Any",
    "from langchain.agents.middleware import AgentMiddleware, ModelRequest",
)


def _imports(setting: Setting, *more: str) -> list[str]:
    return [
        "from langchain.agents import create_agent",
        "from langgraph.checkpoint.memory import InMemorySaver",
        *(counter_imports(setting) if setting.strategy.id in COUNTING else []),
        *more,
    ]


def _models(setting: Setting) -> list[str]:
    lines = [constant("MODEL", for_langchain(setting.chat_model), "answers in the chat")]
    if setting.strategy.id in SUMMARIZING:
        lines.append(constant("SUMMARIZER_MODEL", for_langchain(setting.summary_model), "writes the summaries"))
    return lines


def _install(setting: Setting) -> str:
    return f"pip install langchain {langchain_package(setting.chat_model, setting.summary_model)}"


def _build(middleware: str, *, summarizer: bool = False) -> str:
    arguments = "model: str | BaseChatModel = MODEL"
    if summarizer:
        arguments += ", summarizer: str | BaseChatModel = SUMMARIZER_MODEL"
    return BUILD.replace("@", arguments).replace("%", middleware)


def _file(setting: Setting, **parts: object) -> str:
    return python_file(setting, f"{TITLE} ({VERSION})", install=_install(setting), **parts)  # type: ignore[arg-type]


def _buffer(setting: Setting) -> str:
    return _file(
        setting,
        imported=_imports(setting, LANGUAGE_MODELS, "from langchain_core.messages import HumanMessage"),
        constants=[*_models(setting), constant("SYSTEM_PROMPT", setting.system_prompt or None)],
        bodies=[_build(""), MAIN],
    )


def _trimmed(setting: Setting) -> str:
    counting = setting.strategy.id == "token_buffer"
    size, counter = ("MAX_TOKENS", "count_messages") if counting else ("WINDOW_SIZE", "len")
    return _file(
        setting,
        imported=_imports(
            setting,
            LANGUAGE_MODELS,
            *WRAPPING,
            "from collections.abc import Callable, Iterable" if counting else CALLABLE,
            "from langchain_core.messages import AnyMessage, HumanMessage, trim_messages",
        ),
        constants=[
            *_models(setting),
            constant("SYSTEM_PROMPT", setting.system_prompt or None),
            *parameters(setting),
            *(counter_constants(setting) if counting else []),
        ],
        bodies=[
            count_tokens(setting) if counting else "",
            COUNT_MESSAGES if counting else "",
            TRIM.replace("SIZE", f"{size},\n            token_counter={counter}") + WRAPPERS,
            _build("NewestMessages()"),
            MAIN,
        ],
    )


def _summarizing(setting: Setting) -> str:
    trigger, keep = SIZES[setting.strategy.id]
    differences = [*DIFFERENCES[setting.strategy.id], *COMMON, summarizer_difference(setting)]
    if setting.strategy.id == "chat_summary_buffer" and setting.strategy.count_initial_tokens:  # type: ignore[attr-defined]
        less = "TOKEN_LIMIT - count_tokens(SYSTEM_PROMPT or '')"
        trigger, keep = trigger.replace("TOKEN_LIMIT", less), keep.replace("TOKEN_LIMIT", less)
    return _file(
        setting,
        differences=differences,
        imported=_imports(
            setting,
            *counter_imports(setting),
            LANGUAGE_MODELS,
            "from collections.abc import Iterable",
            "from langchain.agents.middleware import SummarizationMiddleware",
            "from langchain_core.messages import AnyMessage, HumanMessage",
        ),
        constants=[
            *_models(setting),
            constant("SYSTEM_PROMPT", setting.system_prompt or None),
            *(line for line in parameters(setting) if not line.startswith("COUNT_INITIAL_TOKENS")),
            constant("INSTRUCTION", setting.strategy.instruction),
            'SUMMARY_PROMPT = INSTRUCTION.replace("{", "{{").replace("}", "}}") + "\\n\\n{messages}"',
            *counter_constants(setting),
        ],
        bodies=[
            count_tokens(setting),
            COUNT_MESSAGES,
            _build(MIDDLEWARE.format(trigger=trigger, keep=keep), summarizer=True),
            MAIN,
        ],
    )


def _own(setting: Setting) -> str:
    differences = [
        "LangChain has no middleware with this rule, so the rule stands here as plain Python, in a middleware of its "
        "own. It sends what memviz simulated; the system prompt is added by the agent.",
        summarizer_difference(setting),
        "The summaries are kept in the process. After a restart the conversation is summarized anew.",
    ]
    return _file(
        setting,
        differences=differences + ([NO_RECALL] if setting.strategy.id == "summary_only" else []),
        imported=_imports(
            setting,
            *rule_imports(setting),
            LANGUAGE_MODELS,
            *WRAPPING,
            CALLABLE,
            "from langchain.chat_models import init_chat_model",
            "from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage, convert_to_openai_messages",
        ),
        constants=[*_models(setting), *rule_constants(setting)],
        bodies=[
            *rule_bodies(setting, SUMMARIZE, with_system_prompt=False),
            ADAPTER + WRAPPERS,
            _build("StrategyMiddleware()"),
            MAIN,
        ],
    )


def write(setting: Setting) -> str:
    """A function ``build_agent()``."""
    if not setting.is_built_in:
        return statement(setting, TITLE)
    if setting.strategy.id == "buffer":
        return _buffer(setting)
    if setting.strategy.id in ("window", "token_buffer"):
        return _trimmed(setting)
    return _summarizing(setting) if setting.strategy.id in SIZES else _own(setting)


TARGET = Target(TITLE, "langchain_agent.py", "python", "pip install langchain langchain-openai", write)
