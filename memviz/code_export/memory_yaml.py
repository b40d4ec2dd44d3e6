"""The setting as ``configs/memory.yaml``, read back by :func:`memviz.load_memory_config`."""

from typing import Any

import yaml

from memviz.code_export.base import Setting, Target
from memviz.code_export.python_text import comment
from memviz.engine.memory_config import DEFAULT_STRATEGY, OLD_KEYS

NO_FOLDING = 1_000_000
"""Line width in characters: a text stays on its line, as it is."""

LINE_BREAKS = "\x85\u2028\u2029\ufeff"
"""Letters that YAML reads as a line break, or not at all, unless they are escaped; PyYAML writes them as they are."""


def write_memory_yaml(setting: Setting) -> str:
    """Return the file. Parameters that have a place of their own under ``memory`` stand there, the others in the
    mapping."""
    strategy = setting.strategy
    parameters = strategy.model_dump()
    own = {}
    if strategy.id == DEFAULT_STRATEGY:
        own = {key: parameters.pop(key) for key in OLD_KEYS}
    memory: dict[str, Any] = {"strategy": strategy.id}
    if parameters:
        memory["parameters"] = parameters
    memory |= own
    memory["counter"] = setting.counter
    memory["summarizer"] = setting.summary_model
    if setting.system_prompt:
        memory["system_prompt"] = setting.system_prompt
    memory["repair_tool_pairs"] = setting.repair_tool_pairs
    said = [f"{strategy.label}. Read it with memviz.load_memory_config."]
    if setting.found:
        said.append(f"Found with memviz: {setting.found}")
    if strategy.writes_notes:
        said.append(
            f"Where it differs from what memviz simulated: {setting.summarizer_difference}"
        )
    texts = "".join(map(str, (*own.values(), setting.system_prompt)))
    has_line_breaks = any(mark in texts for mark in LINE_BREAKS)
    text = yaml.safe_dump(
        {"memory": memory},
        sort_keys=False,
        allow_unicode=not has_line_breaks,
        width=NO_FOLDING,
    )
    return "\n".join([*map(comment, said), text])


MEMORY_YAML = Target("memory.yaml", "memory.yaml", "yaml", "", write_memory_yaml)
