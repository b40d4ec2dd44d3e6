"""The setting for LangChain 1: middleware of an agent."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates
from memviz.code_export.model_names import for_langchain, langchain_package

TITLE = "LangChain, middleware"
VERSION = "langchain 1.4.7"
FOLDER = "langchain_middleware"


def write(setting: Setting) -> str:
    """A function ``build_agent()``."""
    return write_from_templates(
        setting, FOLDER, f"{TITLE} ({VERSION})", spelled=for_langchain,
        packages=f"langchain {langchain_package(setting.chat_model, setting.summary_model)}",
        instead={"sending": "sending_without_system_prompt", "summarizer": f"{FOLDER}.summarizer"},
    )  # fmt: skip


TARGET = Target(TITLE, "langchain_agent.py", "python", "pip install langchain langchain-openai", write)
