"""The setting for AutoGen: the context of an agent, where AutoGen has one with this rule."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates
from memviz.code_export.model_names import for_autogen

TITLE = "AutoGen"
VERSION = "autogen-core 0.7.5"
PACKAGES = "autogen-agentchat 'autogen-ext[openai]'"
FOLDER = "autogen"


def write(setting: Setting) -> str:
    """A function ``build_context()`` and an agent that uses it."""
    return write_from_templates(
        setting, FOLDER, f"{TITLE} ({VERSION})", packages=PACKAGES, spelled=for_autogen
    )


TARGET = Target(TITLE, "autogen_context.py", "python", f"pip install {PACKAGES}", write)
