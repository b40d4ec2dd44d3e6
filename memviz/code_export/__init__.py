"""A memory setting to take home: as a file, as code for memviz, and as code for other libraries."""

from __future__ import annotations

from memviz.code_export import (
    langchain_classic,
    langchain_middleware,
    llamaindex,
    memory_yaml,
    memviz_code,
    openai_agents,
    plain_python,
)
from memviz.code_export.base import Language, Recipe, Setting

__all__ = ["Language", "Recipe", "Setting", "recipes"]

TARGETS = (
    memory_yaml, memviz_code, llamaindex, langchain_middleware, langchain_classic, openai_agents, plain_python,
)  # fmt: skip


def recipes() -> dict[str, Recipe]:
    """All places that a setting can be taken to, by id: the name of the file that writes for it."""
    return {target.__name__.rpartition(".")[2]: target.RECIPE for target in TARGETS}
