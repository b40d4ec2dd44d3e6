"""The setting as ``configs/memory.yaml``, read back by :func:`memviz.load_memory_config`."""

from __future__ import annotations

from typing import Any

import yaml

from memviz.code_export.base import Setting, Target
from memviz.code_export.model_names import summarizer_difference
from memviz.code_export.python_text import comment
from memviz.engine.memory_config import DEFAULT_STRATEGY, OLD_KEYS

NO_FOLDING = 1_000_000
"""Line width in characters: a text stays on its line, as it is."""

LINE_BREAKS = "\x85\u2028\u2029\ufeff"
"""What YAML reads as a line break, or not at all, unless it is escaped; PyYAML writes it as it is."""


def write(setting: Setting) -> str:
    """The file. Parameters that have a place of their own under ``memory`` stand there, the others in the mapping."""
    values = setting.strategy.model_dump()
    own = {
        key: values.pop(key)
        for key in OLD_KEYS
        if setting.strategy.id == DEFAULT_STRATEGY
    }
    memory: dict[str, Any] = {"strategy": setting.strategy.id}
    if values:
        memory["parameters"] = values
    memory |= {**own, "counter": setting.counter, "summarizer": setting.summary_model}
    if setting.system_prompt:
        memory["system_prompt"] = setting.system_prompt
    memory["repair_tool_pairs"] = setting.repair_tool_pairs
    lines = [
        comment(f"{setting.strategy.label}. Read it with memviz.load_memory_config.")
    ]
    if setting.found:
        lines.append(comment(f"Found with memviz: {setting.found}"))
    texts = (*own.values(), setting.system_prompt)
    as_it_is = not any(mark in str(value) for value in texts for mark in LINE_BREAKS)
    if setting.strategy.writes_notes:
        lines.append(
            comment(
                f"Where it differs from what memviz simulated: {summarizer_difference(setting)}"
            )
        )
    text = yaml.safe_dump(
        {"memory": memory}, sort_keys=False, allow_unicode=as_it_is, width=NO_FOLDING
    )
    return "\n".join([*lines, text])


TARGET = Target("memory.yaml", "memory.yaml", "yaml", "", write)
