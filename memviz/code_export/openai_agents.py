"""The setting for the OpenAI Agents SDK: a session, and what of it is sent."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates
from memviz.code_export.model_names import for_openai_agents, is_openai

TITLE = "OpenAI Agents SDK"
VERSION = "openai-agents 0.20"
FOLDER = "openai_agents"


def write(setting: Setting) -> str:
    """An agent with a session, and a run configuration that decides what of it is sent."""
    extra = "" if is_openai(setting.chat_model, setting.summary_model) else "[litellm]"
    by_openai = is_openai(setting.summary_model)
    return write_from_templates(
        setting,
        FOLDER,
        f"{TITLE} ({VERSION})",
        packages=f"'openai-agents{extra}'",
        spelled=for_openai_agents,
        summarizer_model=for_openai_agents(setting.summary_model)
        if by_openai
        else setting.summary_model,
        instead={
            "sending": "sending_without_system_prompt",
            "summarizer": f"{FOLDER}.{'summarizer_openai' if by_openai else 'summarizer_litellm'}",
        },
    )


TARGET = Target(
    TITLE, "openai_agents_memory.py", "python", "pip install openai-agents", write
)
