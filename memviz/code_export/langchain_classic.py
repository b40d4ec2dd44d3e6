"""The setting for the classic memory classes of LangChain, or as plain Python with a LangChain model."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.elsewhere import statement
from memviz.code_export.model_names import for_langchain, langchain_package, summarizer_difference
from memviz.code_export.plain_python import NO_RECALL
from memviz.code_export.python_text import constant, parameters, python_file
from memviz.code_export.rules import (
    COUNTING,
    SUMMARIZING,
    counter_constants,
    counter_imports,
    rule_bodies,
    rule_constants,
    rule_imports,
    tokenizer,
    tokenizer_body,
)

TITLE = "LangChain, classic memory"
VERSION = "langchain-classic 1.0.8"

CLASSES = {
    "buffer": ("ConversationBufferMemory", []),
    "window": ("ConversationBufferWindowMemory", ["k=K"]),
    "token_buffer": ("ConversationTokenBufferMemory", ["llm=llm", "max_token_limit=MAX_TOKENS"]),
    "summary_buffer": (
        "ConversationSummaryBufferMemory", ["llm=llm", "max_token_limit=MAX_TOKEN_LIMIT", "prompt=PROMPT"],
    ),
    "chat_summary_buffer": (
        "ConversationSummaryBufferMemory", ["llm=llm", "max_token_limit=TOKEN_LIMIT", "prompt=PROMPT"],
    ),
}  # fmt: skip
"""The class that comes nearest, and how it is made."""

PROMPT = """PROMPT = PromptTemplate.from_template(
    INSTRUCTION.replace("{", "{{").replace("}", "}}")
    + "\\n\\nSummary so far:\\n{summary}\\n\\nNew messages:\\n{new_lines}\\n\\nNew summary:"
)"""

ASK = '''
def ask(llm: BaseChatModel, memory: BaseChatMemory, question: str) -> str:
    """Send what the memory holds and the question, and remember both question and answer."""
    system = [SystemMessage(SYSTEM_PROMPT)] if SYSTEM_PROMPT else []
    history = memory.load_memory_variables({})["history"]
    answer = str(llm.invoke([*system, *history, HumanMessage(question)]).text)
    memory.save_context({"input": question}, {"output": answer})
    return answer
'''

MAIN = """
def main() -> None:
    llm = init_chat_model(MODEL)
    memory = build_memory(init_chat_model(SUMMARIZER_MODEL@))
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(llm, memory, question))


if __name__ == "__main__":
    main()
"""

SUMMARIZE = '''
SUMMARIZER: BaseChatModel | None = None  # main sets it


def summarize(messages: list[dict]) -> str:
    """Ask the model. An error means that nothing is summarized this time."""
    if SUMMARIZER is None:
        raise RuntimeError("Set SUMMARIZER first.")
    return str(SUMMARIZER.invoke(messages).text)
'''

ASK_PLAIN = '''
def build_memory(llm: BaseChatModel) -> Memory:
    global SUMMARIZER
    SUMMARIZER = llm
    return Memory()


def ask(llm: BaseChatModel, memory: Memory, question: str) -> str:
    """Send what the memory gives for this question, and remember the answer."""
    memory.append({"role": "user", "content": question})
    answer = str(llm.invoke(memory.context()).text)
    memory.append({"role": "assistant", "content": answer})
    return answer
'''

DEPRECATED = (
    "The classic memory classes are deprecated and take no tool calls. For new code see the export for LangChain's "
    "middleware."
)
AFTER_THE_TURN = "The memory is cut after each answer, so the question stands outside the limit. memviz counts it."
COUNTED = (
    "The model counts the tokens (llm.get_num_tokens_from_messages), each message with its role in front, so a few "
    "tokens a message more than memviz counts."
)
CUT_FOR_GOOD = "What no longer fits is removed from chat_memory for good. memviz never removes anything."
SUMMARY_DIFFERENCES = [
    "When the summarizer fails, the messages that were to be summarized are lost: they are gone from chat_memory and "
    "in no summary. memviz keeps them and tries again in a later turn.",
    "The summary is a system message with the bare text, in front of the messages.",
    "The summarizer reads the messages as 'Human: ...' and 'AI: ...', in one text with the instruction.",
]
THRASH = (
    "memviz cuts back to half of the limit, so that it summarizes seldom. LangChain cuts back to the limit itself: "
    "once it is reached, every turn calls the summarizer, and more is kept word for word."
)
UNCOUNTED = (
    "The summary does not count toward max_token_limit here. In memviz's chat summary buffer it does, so requests grow "
    "by the summary."
)
NEAREST_CLASSES = {
    "recent_only": "ConversationBufferWindowMemory keeps exchanges but writes no summaries",
    "summary": "ConversationSummaryMemory calls the summarizer in every turn and keeps no message word for word",
    "summary_only": "ConversationSummaryMemory keeps one running summary and no list of turns",
}


def _window_difference(window_size: int) -> list[str]:
    k = window_size // 2
    sent = 2 * k + 1
    if sent == window_size:
        return []
    return [
        f"k counts exchanges of two messages, and the question comes on top: k={k} sends {sent} messages. memviz sends "
        f"{window_size}, so LangChain sends one more, the user's message of the oldest exchange."
    ]


def _differences(setting: Setting) -> list[str]:
    id = setting.strategy.id
    if id == "buffer":
        return [DEPRECATED]
    if id == "window":
        return [*_window_difference(setting.strategy.window_size), DEPRECATED]  # type: ignore[attr-defined]
    if id == "token_buffer":
        return [AFTER_THE_TURN, COUNTED, CUT_FOR_GOOD, DEPRECATED]
    own = THRASH if id == "summary_buffer" else UNCOUNTED
    found = [own, AFTER_THE_TURN, COUNTED, *SUMMARY_DIFFERENCES, CUT_FOR_GOOD, summarizer_difference(setting)]
    if id == "chat_summary_buffer" and setting.strategy.count_initial_tokens:  # type: ignore[attr-defined]
        found.append("LangChain cannot count the system prompt against the limit: lower max_token_limit by its size.")
    return [*found, DEPRECATED]


def _constants(setting: Setting) -> list[str]:
    id = setting.strategy.id
    lines = [*_models(setting), constant("SYSTEM_PROMPT", setting.system_prompt or None)]
    if id == "window":
        k = setting.strategy.window_size // 2  # type: ignore[attr-defined]
        lines.append(constant("K", k, "exchanges of two messages"))
    else:
        lines += [line for line in parameters(setting) if not line.startswith("COUNT_INITIAL_TOKENS")]
    if id in SUMMARIZING:
        lines += [constant("INSTRUCTION", setting.strategy.instruction), PROMPT]
    return lines + (counter_constants(setting) if id in COUNTING else [])


def _models(setting: Setting) -> list[str]:
    lines = [constant("MODEL", for_langchain(setting.chat_model), "answers in the chat")]
    if setting.strategy.id in SUMMARIZING:
        lines.append(constant("SUMMARIZER_MODEL", for_langchain(setting.summary_model), "writes the summaries"))
    return lines


def _main(setting: Setting) -> str:
    """The example; where nothing is summarized, there is one model."""
    return MAIN if setting.strategy.id in SUMMARIZING else MAIN.replace("SUMMARIZER_MODEL", "MODEL")


def _install(setting: Setting) -> str:
    return f"pip install langchain-classic {langchain_package(setting.chat_model, setting.summary_model)}"


def _native(setting: Setting) -> str:
    memory_class, options = CLASSES[setting.strategy.id]
    counting = setting.strategy.id in COUNTING
    made = "\n        ".join(f"{option}," for option in [*options, "return_messages=True"])
    body = f"def build_memory(llm: BaseChatModel) -> BaseChatMemory:\n    return {memory_class}(\n        {made}\n    )"
    summarizing = setting.strategy.id in SUMMARIZING
    return python_file(
        setting,
        f"{TITLE} ({VERSION})",
        install=_install(setting),
        differences=_differences(setting),
        imported=[
            *(counter_imports(setting) if counting else []),
            "from langchain_classic.chat_models import init_chat_model",
            f"from langchain_classic.memory import {memory_class}",
            "from langchain_classic.memory.chat_memory import BaseChatMemory",
            "from langchain_core.language_models import BaseChatModel",
            "from langchain_core.messages import HumanMessage, SystemMessage",
            *(["from langchain_core.prompts import PromptTemplate"] if summarizing else []),
        ],
        constants=_constants(setting),
        bodies=[
            tokenizer_body(setting) if counting else "",
            body,
            ASK,
            _main(setting).replace("@", f", custom_get_token_ids={tokenizer(setting)}" if counting else ""),
        ],
    )


def _plain(setting: Setting) -> str:
    differences = [
        f"LangChain's classic memory has nothing with this rule ({NEAREST_CLASSES[setting.strategy.id]}), so the rule "
        "stands here as plain Python: a LangChain model takes its messages as they are. It sends "
        "what memviz simulated.",
        summarizer_difference(setting),
    ]
    return python_file(
        setting,
        TITLE,
        install=_install(setting),
        differences=differences + ([NO_RECALL] if setting.strategy.id == "summary_only" else []),
        imported=[
            *rule_imports(setting),
            "from langchain_classic.chat_models import init_chat_model",
            "from langchain_core.language_models import BaseChatModel",
        ],
        constants=[*_models(setting), *rule_constants(setting)],
        bodies=[*rule_bodies(setting, SUMMARIZE), ASK_PLAIN, _main(setting).replace("@", "")],
    )


def write(setting: Setting) -> str:
    """Functions ``build_memory(llm)`` and ``ask(llm, memory, question)``."""
    if not setting.is_built_in:
        return statement(setting, TITLE)
    return _native(setting) if setting.strategy.id in CLASSES else _plain(setting)


TARGET = Target(TITLE, "langchain_memory.py", "python", "pip install langchain-classic langchain-openai", write)
