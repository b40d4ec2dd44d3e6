"""The setting as plain Python, with no library to learn."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.elsewhere import statement
from memviz.code_export.model_names import summarizer_difference
from memviz.code_export.python_text import python_file
from memviz.code_export.rules import COUNTING, ESTIMATES, SUMMARIZING, rule_bodies, rule_constants, rule_imports

TITLE = "Plain Python"

NO_RECALL = (
    "Recall and reflective thinking are memviz's own and are not in this code. Memory.log holds every message, so what "
    "is to be recalled can be taken from there."
)

EXAMPLE = """
def main() -> None:
    memory = Memory()
    for role, content in [
        ("user", "Hello, my name is Ada."),
        ("assistant", "Hello Ada, how can I help?"),
        ("user", "What is my name?"),
    ]:
        memory.append({"role": role, "content": content})
    for message in memory.context():  # send these to your model, and append its answer
        print(f"{message['role']}: {message['content']}")


if __name__ == "__main__":
    main()
"""


def differences(setting: Setting) -> list[str]:
    """What the code does without."""
    found = [summarizer_difference(setting)] if setting.strategy.id in SUMMARIZING else []
    return [*found, NO_RECALL] if setting.strategy.id == "summary_only" else found


def write(setting: Setting) -> str:
    """A class ``Memory`` with ``append`` and ``context``. It gives the requests that a replay gives."""
    if not setting.is_built_in:
        return statement(setting, TITLE)
    counted = setting.strategy.id in COUNTING and setting.counter not in ESTIMATES
    return python_file(
        setting,
        "plain Python",
        install="pip install tiktoken" if counted else "",
        differences=differences(setting),
        imported=rule_imports(setting),
        constants=rule_constants(setting),
        bodies=[*rule_bodies(setting), EXAMPLE],
    )


TARGET = Target(TITLE, "memory.py", "python", "", write)
