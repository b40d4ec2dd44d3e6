"""The setting as Python for memviz itself: exactly what was simulated, in one's own chat loop."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import values_of, whole_file
from memviz.code_export.program import program
from memviz.code_export.python_text import called

TITLE = "memviz"


def write(setting: Setting) -> str:
    """A ``memviz.ChatMemory`` with the setting; any strategy that memviz finds will do."""
    values = {
        "MODEL": setting.chat_model,
        "SUMMARIZER": setting.summary_model,
        **values_of(setting),
    }
    strategy = called(
        "memviz.strategy", setting.strategy.id, setting.strategy.model_dump()
    )
    return whole_file(
        setting,
        TITLE,
        program("memviz_code.any_strategy", values, {}, {"strategy": strategy}),
    )


TARGET = Target(TITLE, "memviz_memory.py", "python", "", write)
