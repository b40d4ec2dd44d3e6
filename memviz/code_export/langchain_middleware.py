"""The setting for LangChain 1: middleware of an agent."""

from __future__ import annotations

from typing import Any

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates
from memviz.code_export.model_names import for_langchain, langchain_package
from memviz.strategies.clauses import AllOf, AtLeast, TriggerClause
from memviz.strategies.thresholds import Thresholds

TITLE = "LangChain, middleware"
VERSION = "langchain 1.4.7"
FOLDER = "langchain_middleware"


def write(setting: Setting) -> str:
    """A function ``build_agent()``."""
    return write_from_templates(
        setting,
        FOLDER,
        f"{TITLE} ({VERSION})",
        spelled=for_langchain,
        packages=f"langchain {langchain_package(setting.chat_model, setting.summary_model)}",
        instead={
            "sending": "sending_without_system_prompt",
            "summarizer": f"{FOLDER}.summarizer",
        },
        more=thresholds(setting.strategy)
        if isinstance(setting.strategy, Thresholds)
        else None,
    )


def thresholds(strategy: Thresholds) -> dict[str, Any]:
    """When LangChain's middleware summarizes, and what it keeps. Shares of the window are tokens: its own window is
    that of the model."""
    kept = strategy.kept_tokens
    return {
        "TRIGGER": [_threshold(clause) for clause in strategy.triggers.clauses],
        "KEEP": ("tokens", kept) if kept else ("messages", strategy.keep_messages),
    }


def _threshold(clause: TriggerClause) -> dict[str, int]:
    """What has to be reached together; of several numbers of one unit the largest."""
    amounts: dict[str, int] = {}
    for one in clause.clauses if isinstance(clause, AllOf) else (clause,):
        assert isinstance(one, AtLeast)  # noqa: S101 - thresholds are all of this kind
        amounts[one.unit] = max(one.amount, amounts.get(one.unit, 0))
    return amounts


TARGET = Target(
    TITLE,
    "langchain_agent.py",
    "python",
    "pip install langchain langchain-openai",
    write,
)
