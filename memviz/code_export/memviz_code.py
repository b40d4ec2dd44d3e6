"""The setting as Python for memviz itself: exactly what was simulated, in one's own chat loop."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.python_text import constant, python_file, quoted, value

HALVES = (
    "A tool call without its result, or a result without its call, is left out of a request, because providers refuse "
    "it. A replay only does so where it is asked to."
)

BODY = '''
memory = memviz.ChatMemory(strategy, model=SUMMARIZER, counter=COUNTER, system_prompt=SYSTEM_PROMPT)


def ask(question: str) -> str:
    """Send what the memory gives for this question, and remember the answer."""
    memory.append({"role": "user", "content": question})
    reply = memviz.model(MODEL).complete(memory.load())
    memory.append({"role": "assistant", "content": reply.text})
    return reply.text


def main() -> None:
    for question in ("Hello, my name is Ada.", "What is my name?"):
        print(ask(question))


if __name__ == "__main__":
    main()
'''


def strategy_call(setting: Setting) -> str:
    """The strategy with all its parameters, one a line."""
    values = setting.strategy.model_dump()
    first = f"strategy = memviz.strategy(\n    {quoted(setting.strategy.id)},"
    if not values:
        return f"strategy = memviz.strategy({quoted(setting.strategy.id)})"
    return "\n".join([first, *(f"    {name}={value(given, 4)}," for name, given in values.items()), ")"])


def write(setting: Setting) -> str:
    """A ``memviz.ChatMemory`` with the setting."""
    return python_file(
        setting,
        "memviz",
        differences=[HALVES],
        imported=["import memviz"],
        constants=[
            constant("MODEL", setting.model, "answers in the chat"),
            constant("SUMMARIZER", setting.summarizer, "writes the summaries"),
            constant("COUNTER", setting.counter),
            constant("SYSTEM_PROMPT", setting.system_prompt or None),
            "",
            strategy_call(setting) + BODY.rstrip("\n"),
        ],
    )


TARGET = Target("memviz", "memviz_memory.py", "python", "", write)
