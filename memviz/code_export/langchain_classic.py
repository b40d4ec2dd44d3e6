"""The setting for the classic memory classes of LangChain, or as plain Python with a LangChain model."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates
from memviz.code_export.model_names import for_langchain, langchain_package

TITLE = "LangChain, classic memory"
VERSION = "langchain-classic 1.0.8"
FOLDER = "langchain_classic"


def write(setting: Setting) -> str:
    """Functions ``build_memory(llm)`` and ``ask(llm, memory, question)``."""
    return write_from_templates(
        setting,
        FOLDER,
        f"{TITLE} ({VERSION})",
        spelled=for_langchain,
        packages=f"langchain-classic {langchain_package(setting.chat_model, setting.summary_model)}",
        instead={"summarizer": f"{FOLDER}.any_rule"},
    )


TARGET = Target(
    TITLE,
    "langchain_memory.py",
    "python",
    "pip install langchain-classic langchain-openai",
    write,
)
