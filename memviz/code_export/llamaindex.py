"""The setting for LlamaIndex: its own memory class where it has one, else a memory class of one's own."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates

TITLE = "LlamaIndex"
VERSION = "llama-index-core 0.14.25"
PACKAGES = "llama-index-core llama-index-llms-litellm"
FOLDER = "llamaindex"


def write(setting: Setting) -> str:
    """A function ``build_memory(llm)`` and a chat engine that uses it."""
    return write_from_templates(
        setting,
        FOLDER,
        f"{TITLE} ({VERSION})",
        packages=PACKAGES,
        instead={
            "sending": "sending_without_system_prompt",
            "summarizer": f"{FOLDER}.any_rule",
        },
    )


TARGET = Target(
    TITLE, "llamaindex_memory.py", "python", f"pip install {PACKAGES}", write
)
