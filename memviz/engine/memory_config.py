"""Read ``configs/memory.yaml``: a few settings, each judged with the line it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from memviz.core.bounds import MAX_DIGITS, MAX_QUOTED_CHARS, is_whole_number, quoted
from memviz.core.counters import counter
from memviz.core.errors import (
    ConfigError,
    MemvizError,
    ParameterError,
    UnknownStrategyError,
)
from memviz.core.plain_yaml import PlainYamlError, composed, constructed
from memviz.engine.persistence import database_of
from memviz.strategies import strategies, strategy
from memviz.strategies.base import Strategy

DEFAULTS: dict[str, dict[str, Any]] = {
    "memory": {"token_limit": 64000, "summarize_prompt": None, "persistence": None},
}
OPTIONAL = (
    "strategy",
    "parameters",
    "counter",
    "summarizer",
    "system_prompt",
    "repair_tool_pairs",
)
"""Keys under ``memory`` that have no default: a file without them says nothing about them."""
DEFAULT_STRATEGY = "chat_summary_buffer"
OLD_KEYS = ("token_limit", "summarize_prompt")
"""Parameters of the default strategy that stand under ``memory`` itself."""


MAX_BYTES = 100_000
"""Of a configuration file: the one that memviz ships has two thousand, and prompts of one's own are not books."""
MAX_LEVELS = 20


class _Given(NamedTuple):
    """A value with where it stands."""

    key: str
    line: int
    node: yaml.Node


def load_memory_config(
    path: str | Path = "configs/memory.yaml",
) -> dict[str, dict[str, Any]]:
    """The settings as ``{"memory": {"token_limit", "summarize_prompt", "persistence"}}``, defaults filled in.

    ``token_limit`` is in tokens. ``persistence`` says where conversations are kept: ``memory`` or ``None``, a path, an
    SQLite URL, or a mapping with ``enabled``, ``backend`` and ``connection_string``. ``strategy`` (an id),
    ``parameters`` (a mapping), ``counter`` and ``summarizer`` (names), ``system_prompt`` (a text) and
    ``repair_tool_pairs`` (true or false) are there only if the file has them; see :func:`strategy_of`.
    :func:`memviz.build_chat_memory` takes all of it: ``build_chat_memory(llm, **config)``.
    Raises :class:`ConfigError` with file, key and line for an unknown key, strategy, parameter, counter, summarizer or
    backend, a wrong type, a value out of range or broken YAML.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(
                MAX_BYTES + 1
            )  # no more: the path may be that of a device that never ends
    except FileNotFoundError:
        raise ConfigError(
            str(path), "file", 0, "there is no such file. Give the path of a YAML file."
        ) from None
    except (
        OSError,
        ValueError,
        TypeError,
    ) as error:  # not there, not allowed, or no path at all
        raise ConfigError(
            str(path),
            "file",
            0,
            f"cannot be read ({error}). Give the path of a YAML file.",
        ) from None
    return read_memory_config(content, str(path))


def read_memory_config(content: bytes, name: str) -> dict[str, dict[str, Any]]:
    """The same of the content of a file; ``name`` is what errors call it."""
    if len(content) > MAX_BYTES:
        raise ConfigError(
            name,
            "file",
            0,
            f"has more than {MAX_BYTES:,} bytes. Give the path of a YAML file.",
        )
    try:
        root = composed(content, MAX_LEVELS, "the settings are three levels deep")
    except UnicodeDecodeError as error:
        raise ConfigError(
            name, "file", 0, f"cannot be read ({error}). Give the path of a YAML file."
        ) from None
    except PlainYamlError as error:
        raise ConfigError(
            name, "file", error.line, f"is not valid YAML: {error}."
        ) from None
    config = {section: dict(values) for section, values in DEFAULTS.items()}
    for section, line, node in _entries(name, "file", root):
        if section not in DEFAULTS:
            raise ConfigError(
                name, section, line, f"is unknown; known is {', '.join(DEFAULTS)}."
            )
        config[section] |= _judged_section(name, section, node)
    return config


def strategy_of(config: Mapping[str, Mapping[str, Any]]) -> Strategy:
    """The strategy that a configuration from :func:`load_memory_config` describes.

    Without ``strategy`` it is a chat summary buffer. That one takes ``token_limit`` and ``summarize_prompt`` from
    ``memory`` itself unless ``parameters`` has them; every other strategy only looks at ``parameters``.
    """
    memory = config["memory"]
    id = memory.get("strategy", DEFAULT_STRATEGY)
    own = {key: memory[key] for key in OLD_KEYS} if id == DEFAULT_STRATEGY else {}
    return strategy(id, **own | dict(memory.get("parameters", {})))


def _entries(path: str, key: str, node: yaml.Node | None) -> list[_Given]:
    """Keys of a mapping with their lines (1-based) and value nodes; an empty one has none."""
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return []
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(
            path,
            key,
            node.start_mark.line + 1,
            "has to be a mapping of keys to values.",
        )
    given = [
        _Given(_name(name), name.start_mark.line + 1, value)
        for name, value in node.value
    ]
    lines: dict[str, int] = {}
    for name, line, _ in given:
        if name in lines:
            raise ConfigError(
                path,
                name,
                line,
                f"is there twice, in line {lines[name]} already. Keep one of them.",
            )
        lines[name] = line
    return given


def _name(node: yaml.Node) -> str:
    return (
        str(node.value)[:MAX_QUOTED_CHARS]
        if isinstance(node, yaml.ScalarNode)
        else "a list or a mapping"
    )


def _judged_section(path: str, section: str, node: yaml.Node) -> dict[str, Any]:
    """The values of one section. Parameters are judged last: what they may be depends on the strategy."""
    values: dict[str, Any] = {}
    parameters: _Given | None = None
    for given in _entries(path, section, node):
        if given.key == "parameters":
            parameters = given
        else:
            values[given.key] = _judged(path, section, given)
    if parameters is not None:
        cls = strategies()[values.get("strategy", DEFAULT_STRATEGY)]
        values["parameters"] = _judged_parameters(
            path, f"{section}.parameters", parameters.node, cls
        )
    return values


def _judged_parameters(
    path: str, key: str, node: yaml.Node, cls: type[Strategy]
) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for name, line, value in _entries(path, key, node):
        parameters[name] = _constructed(path, f"{key}.{name}", line, value)
        try:
            cls(**{name: parameters[name]})
        except ParameterError as error:
            if error.name == name:
                raise ConfigError(
                    path, f"{key}.{name}", line, f"is wrong. {error}"
                ) from None
    return parameters


def _judged(path: str, section: str, given: _Given) -> Any:
    dotted, line = f"{section}.{given.key}", given.line
    if given.key not in DEFAULTS[section] and given.key not in OPTIONAL:
        known = ", ".join([*DEFAULTS[section], *OPTIONAL])
        raise ConfigError(path, dotted, line, f"is unknown; known are {known}.")
    value = _constructed(path, dotted, line, given.node)
    if given.key == "token_limit":
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            wrong = (
                f"is {quoted(value)}; it has to be a whole number of tokens, 1 or more."
            )
            raise ConfigError(path, dotted, line, wrong)
    elif given.key == "repair_tool_pairs":
        if not isinstance(value, bool):
            raise ConfigError(
                path, dotted, line, f"is {quoted(value)}; it has to be true or false."
            )
    elif given.key in OPTIONAL and given.key != "system_prompt":
        _judge_name(path, dotted, line, given.key, value)
    elif given.key == "persistence":
        _judge_persistence(path, dotted, line, value)
    elif value is not None and not isinstance(value, str):
        raise ConfigError(
            path, dotted, line, f"is {quoted(value)}; it has to be a text or null."
        )
    return value


def _judge_persistence(path: str, dotted: str, line: int, value: Any) -> None:
    try:
        database_of(value)
    except ParameterError as error:
        raise ConfigError(path, dotted, line, f"is wrong. {error}") from None


def _judge_name(path: str, dotted: str, line: int, key: str, value: Any) -> None:
    if not isinstance(value, str):
        wrong = f"is {quoted(value)}; it has to be a name. Leave the line out for the default."
        raise ConfigError(path, dotted, line, wrong)
    try:
        if key == "strategy" and value not in strategies():
            raise UnknownStrategyError(value, strategies())
        if key == "counter":
            counter(value)
        if key == "summarizer":
            from memviz.models.registry import model  # most files name no model

            model(value)
    except MemvizError as error:
        raise ConfigError(path, dotted, line, f"is wrong. {error}") from None


def _constructed(path: str, dotted: str, line: int, node: yaml.Node) -> Any:
    try:
        value = constructed(node)
    except PlainYamlError as error:
        wrong = f"cannot be read ({error}). Give a number, a text or null."
        raise ConfigError(path, dotted, line, wrong) from None
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and not is_whole_number(value)
    ):
        raise ConfigError(
            path,
            dotted,
            line,
            f"is a number that is far too large; at most {MAX_DIGITS} digits are read.",
        )
    return value
