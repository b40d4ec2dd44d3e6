"""Export a memory setting to code: as a file, as code for memviz, and as code for other libraries.

`targets` finds the places to export to, ours and those of other packages; a `Target` writes a `Setting`, and raises
`NoCodeError` where it has no code for the strategy. Programs are put together from the templates of
`memviz/code_export/templates`, which are read as text and never imported.

Open to other rooms: ``base``.
"""

import logging
from functools import cache
from importlib.metadata import entry_points
from typing import Any, get_args

import yaml

from memviz.code_export.base import (
    Language,
    NoCodeError,
    Setting,
    Target,
    write_call,
    write_comment,
)
from memviz.code_export.program import (
    list_values_of_setting,
    write_from_templates,
    write_program,
)
from memviz.core.translation import noop
from memviz.engine.memory_config import DEFAULT_STRATEGY, OLD_KEYS
from memviz.strategies.clauses import AllOf, AtLeast, TriggerClause
from memviz.strategies.thresholds import Thresholds

OPENAI = "openai"
LLAMA_INDEX_PACKAGES = "llama-index-core llama-index-llms-litellm"
WITHOUT_SYSTEM_PROMPT = {"sending": "sending_without_system_prompt"}
"""For libraries that add the system prompt themselves."""
NO_FOLDING = 1_000_000
"""Line width in characters: a text stays on its line, as it is."""
LINE_BREAKS = "\x85\u2028\u2029\ufeff"
"""Letters that YAML reads as a line break, or not at all, unless they are escaped; PyYAML writes them as they are."""
__all__ = ["Language", "NoCodeError", "Setting", "Target", "targets"]
ENTRY_POINT_GROUP = "memviz.exports"
_log = logging.getLogger(__name__)


def write_memory_yaml(setting: Setting) -> str:
    """Return a ``memory.yaml`` that ``memviz.load_memory_config`` reads."""
    strategy = setting.strategy
    parameters = strategy.model_dump()
    own_keys = {}
    if strategy.id == DEFAULT_STRATEGY:
        own_keys = {key: parameters.pop(key) for key in OLD_KEYS}
    memory: dict[str, Any] = {"strategy": strategy.id}
    if parameters:
        memory["parameters"] = parameters
    memory |= own_keys
    memory["counter"] = setting.counter
    memory["summarizer"] = setting.summary_model
    if setting.system_prompt:
        memory["system_prompt"] = setting.system_prompt
    memory["repair_tool_pairs"] = setting.repair_tool_pairs
    comments = [f"{strategy.label}. Read it with memviz.load_memory_config."]
    if setting.found:
        comments.append(f"Found with memviz: {setting.found}")
    if strategy.writes_notes:
        comments.append(
            f"Where it differs from what memviz simulated: {setting.summarizer_difference}"
        )
    values = (*parameters.values(), *own_keys.values(), setting.system_prompt)
    texts = "".join(map(str, values))
    has_line_breaks = any(mark in texts for mark in LINE_BREAKS)
    text = yaml.safe_dump(
        {"memory": memory},
        sort_keys=False,
        allow_unicode=not has_line_breaks,
        width=NO_FOLDING,
    )
    return "\n".join([*map(write_comment, comments), text])


def write_memviz_code(setting: Setting) -> str:
    """Return a program with a ``memviz.ChatMemory``, which runs any strategy that is installed."""
    strategy = setting.strategy
    strategy.expect_live()
    setting_values = list_values_of_setting(setting)
    values = {
        "MODEL": setting.chat_model,
        "SUMMARIZER": setting.summary_model,
        **setting_values,
        "strategy": write_call("memviz.strategy", strategy.id, strategy.model_dump()),
    }
    packages = "'memviz[embeddings]'" if setting_values.get("EMBEDDING_PERCENT") else ""
    return write_program(setting, "memviz", "memviz_code", values, packages=packages)


def write_llamaindex(setting: Setting) -> str:
    """Return a program with ``build_memory(llm)`` and a chat engine that uses it."""
    variants = ["llamaindex"]
    # A strategy whose default setting writes no notes needs no summarizer with other parameters either.
    if not type(setting.strategy)().writes_notes:
        variants.append("no_summarizer")
    return write_from_templates(
        setting,
        "llamaindex",
        "LlamaIndex (llama-index-core 0.14.25)",
        packages=LLAMA_INDEX_PACKAGES,
        variants=variants,
        instead=WITHOUT_SYSTEM_PROMPT,
    )


def write_langchain_middleware(setting: Setting) -> str:
    """Return a program with ``build_agent()``, an agent with middleware."""
    models = (setting.chat_model, setting.summary_model)
    packages = ["langchain"]
    if any(map(is_openai, models)):
        packages.append("langchain-openai")
    if not all(map(is_openai, models)):
        packages.append("langchain-litellm")
    thresholds = {}
    if isinstance(setting.strategy, Thresholds):
        thresholds = list_thresholds(setting.strategy)
    return write_from_templates(
        setting,
        "langchain_middleware",
        "LangChain, middleware (langchain 1.4.7)",
        packages=" ".join(packages),
        spelled=spell_for_langchain,
        variants=["langchain"],
        instead=WITHOUT_SYSTEM_PROMPT,
        more=thresholds,
    )


def list_thresholds(strategy: Thresholds) -> dict[str, Any]:
    """Return the constants for LangChain's middleware: when it summarizes, and what it keeps.

    Shares of the window are given in tokens, because the middleware takes them as shares of the model's own window.
    """
    keep: tuple[str, int] = ("messages", strategy.keep_messages)
    if strategy.kept_tokens:
        keep = ("tokens", strategy.kept_tokens)
    triggers = [_list_amounts(clause) for clause in strategy.triggers.clauses]
    return {"TRIGGER": triggers, "KEEP": keep}


def write_openai_agents(setting: Setting) -> str:
    """Return a program with an agent, a session, and a run configuration that decides what of it is sent."""
    summarizes_by_openai = is_openai(setting.summary_model)
    extra = ""
    if not (is_openai(setting.chat_model) and summarizes_by_openai):
        extra = "[litellm]"
    return write_from_templates(
        setting,
        "openai_agents",
        "OpenAI Agents SDK (openai-agents 0.20)",
        packages=f"'openai-agents{extra}'",
        spelled=spell_for_openai_agents,
        summarizer_model="" if summarizes_by_openai else setting.summary_model,
        variants=["openai" if summarizes_by_openai else "litellm"],
        instead=WITHOUT_SYSTEM_PROMPT,
    )


def write_plain_python(setting: Setting) -> str:
    """Return a class ``Memory`` with ``append`` and ``context``, which gives the requests that a replay gives, and a
    function ``ask`` that sends them to an API of OpenAI's kind."""
    return write_from_templates(
        setting, "plain_python", noop("plain Python"), spelled=strip_provider
    )


def is_openai(name: str) -> bool:
    """Return whether a model is one of OpenAI's; names are spelled ``provider/model``, without provider for OpenAI."""
    return "/" not in name or name.startswith(f"{OPENAI}/")


def strip_provider(name: str) -> str:
    """Return a model's name as its provider spells it: openai/gpt-5-mini -> gpt-5-mini"""
    provider, slash, model_name = name.partition("/")
    return model_name if slash else provider


def spell_for_langchain(name: str) -> str:
    """Return a model's name for LangChain: openai/gpt-5-mini -> openai:gpt-5-mini, others by way of litellm."""
    return f"openai:{strip_provider(name)}" if is_openai(name) else f"litellm:{name}"


def spell_for_openai_agents(name: str) -> str:
    """Return a model's name for the Agents SDK: openai/gpt-5-mini -> gpt-5-mini, others by way of litellm."""
    return strip_provider(name) if is_openai(name) else f"litellm/{name}"


def _list_amounts(clause: TriggerClause) -> dict[str, int]:
    """Return the amounts that a trigger needs together, by unit; of several amounts of one unit, the largest."""
    clauses = clause.clauses if isinstance(clause, AllOf) else (clause,)
    amounts: dict[str, int] = {}
    for threshold in clauses:
        assert isinstance(threshold, AtLeast)  # noqa: S101 - thresholds are all of this kind
        unit = threshold.unit
        amounts[unit] = max(threshold.amount, amounts.get(unit, 0))
    return amounts


MEMORY_YAML = Target("memory.yaml", "memory.yaml", "yaml", "", write_memory_yaml)

MEMVIZ_CODE = Target("memviz", "memviz_memory.py", "python", "", write_memviz_code)

LLAMAINDEX = Target(
    "LlamaIndex",
    "llamaindex_memory.py",
    "python",
    f"pip install {LLAMA_INDEX_PACKAGES}",
    write_llamaindex,
)

LANGCHAIN_MIDDLEWARE = Target(
    noop("LangChain, middleware"),
    "langchain_agent.py",
    "python",
    "pip install langchain langchain-openai",
    write_langchain_middleware,
)

OPENAI_AGENTS = Target(
    "OpenAI Agents SDK",
    "openai_agents_memory.py",
    "python",
    "pip install openai-agents",
    write_openai_agents,
)

PLAIN_PYTHON = Target(
    noop("Plain Python"), "memory.py", "python", "", write_plain_python
)


OWN = {
    "memory_yaml": MEMORY_YAML,
    "memviz_code": MEMVIZ_CODE,
    "llamaindex": LLAMAINDEX,
    "langchain_middleware": LANGCHAIN_MIDDLEWARE,
    "openai_agents": OPENAI_AGENTS,
    "plain_python": PLAIN_PYTHON,
}


@cache
def targets() -> dict[str, Target]:
    """Return all targets that a setting can be exported to, by id: memviz's own, then those of other packages.

    Another package registers a :class:`Target` as an entry point of the group :data:`ENTRY_POINT_GROUP`, whose name is
    the id. One that cannot be loaded is left out, with a warning in the log.
    """
    by_id = dict(OWN)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        problem = ""
        try:
            target = entry.load()
        except Exception as error:  # whatever another package does as it is imported
            problem = repr(error)
        else:
            if not isinstance(target, Target):
                problem = "it is no memviz.code_export.Target"
            elif target.language not in get_args(Language):
                problem = f"its language is {target.language!r}, not yaml or python"
        if problem:
            place = f"{entry.name} ({entry.value})"
            _log.warning("The export %s is left out: %s", place, problem)
        else:
            by_id.setdefault(entry.name, target)
    return by_id
