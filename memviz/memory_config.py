"""Read ``configs/memory.yaml``: three settings, each judged with the line it stands on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from memviz.errors import ConfigError

DEFAULTS: dict[str, dict[str, Any]] = {
    "memory": {"token_limit": 64000, "summarize_prompt": None, "persistence": None},
}


def load_memory_config(path: str | Path = "configs/memory.yaml") -> dict[str, dict[str, Any]]:
    """The settings as ``{"memory": {"token_limit", "summarize_prompt", "persistence"}}``, defaults filled in.

    ``token_limit`` is in tokens, ``persistence`` a file path or ``None``. Raises
    :class:`ConfigError` with file, key and line for an unknown key, a wrong type or broken YAML.
    """
    name = str(path)
    try:
        root = yaml.compose(Path(path).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, ValueError) as error:  # not there, not allowed, no path at all, or no UTF-8
        raise ConfigError(name, "file", 0, f"cannot be read ({error}). Give the path of a YAML file.") from None
    except RecursionError:
        raise ConfigError(name, "file", 0, "is nested too deeply. The settings are two levels deep.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 0
        raise ConfigError(name, "file", line, f"is no valid YAML: {getattr(error, 'problem', error)}.") from None
    config = {section: dict(values) for section, values in DEFAULTS.items()}
    for section, line, node in _entries(name, "file", root):
        if section not in DEFAULTS:
            raise ConfigError(name, section, line, f"is unknown; known is {', '.join(DEFAULTS)}.")
        for key, key_line, value in _entries(name, section, node):
            config[section][key] = _judged(name, section, key, key_line, value)
    return config


def _entries(path: str, key: str, node: yaml.Node | None) -> list[tuple[str, int, yaml.Node]]:
    """Keys of a mapping with their lines (1-based) and value nodes; an empty one has none."""
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return []
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(path, key, node.start_mark.line + 1, "has to be a mapping of keys to values.")
    return [(str(name.value), name.start_mark.line + 1, value) for name, value in node.value]


def _judged(path: str, section: str, key: str, line: int, node: yaml.Node) -> Any:
    dotted = f"{section}.{key}"
    if key not in DEFAULTS[section]:
        raise ConfigError(path, dotted, line, f"is unknown; known are {', '.join(DEFAULTS[section])}.")
    try:
        value = yaml.SafeLoader("").construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = getattr(error, "problem", error)
        raise ConfigError(path, dotted, line, f"cannot be read ({problem}). Give a number, a text or null.") from None
    if key == "token_limit":
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ConfigError(path, dotted, line, f"is {value!r}; it has to be a whole number of tokens, 1 or more.")
    elif value is not None and not isinstance(value, str):
        raise ConfigError(path, dotted, line, f"is {value!r}; it has to be a text or null.")
    return value
