"""Export a memory setting to code: as a file, as code for memviz, and as code for other libraries."""

from __future__ import annotations

from memviz.code_export import (
    langchain_middleware,
    llamaindex,
    memory_yaml,
    memviz_code,
    openai_agents,
    plain_python,
)
from memviz.code_export.base import Language, Setting, Target
from memviz.code_export.no_code import NoCodeError

__all__ = ["Language", "NoCodeError", "Setting", "Target", "targets"]

TARGETS = (
    memory_yaml, memviz_code, llamaindex, langchain_middleware, openai_agents, plain_python,
)  # fmt: skip


def targets() -> dict[str, Target]:
    """All places that a setting can be exported to, by id: the name of the file that writes for it."""
    return {target.__name__.rpartition(".")[2]: target.TARGET for target in TARGETS}
