"""Read ``configs/memory.yaml``: a few settings, each judged with the line it stands on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from memviz.core.bounds import MAX_DIGITS, MAX_QUOTED_CHARS, is_whole_number, quoted
from memviz.core.counters import counter
from memviz.core.errors import (
    ConfigError,
    MemvizError,
    ParameterError,
)
from memviz.core.plain_yaml import PlainYamlError, composed, constructed
from memviz.core.text.wording import COMMA
from memviz.core.translation import _, noop
from memviz.engine.persistence import database_of
from memviz.strategies import strategy, strategy_class
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
"""The most bytes of a configuration file: the one that memviz ships has two thousand, and prompts of one's own are not
books."""
MAX_LEVELS = 20
WHOLE_FILE = "file"
"""The key of errors that no single key is at fault of."""


class _Entry(NamedTuple):
    """A value of the file, and where it stands."""

    file: str
    key: str
    """With those above it, divided by dots."""
    line: int
    node: yaml.Node | None

    def error(self, problem: str) -> ConfigError:
        """An error at this place."""
        return ConfigError(self.file, self.key, self.line, problem)

    def entries(self) -> dict[str, _Entry]:
        """The values of a mapping by key; an empty one has none."""
        if self.node is None or self.node.tag == "tag:yaml.org,2002:null":
            return {}
        if not isinstance(self.node, yaml.MappingNode):
            line = self.node.start_mark.line + 1
            problem = _("has to be a mapping of keys to values.")
            raise self._replace(line=line).error(problem)
        entries: dict[str, _Entry] = {}
        for key, node in self.node.value:
            name = _("a list or a mapping")
            if isinstance(key, yaml.ScalarNode):
                name = str(key.value)[:MAX_QUOTED_CHARS]
            line = key.start_mark.line + 1
            if name in entries:
                problem = _(
                    "is there twice, in line {line} already. Keep one of them.",
                    line=entries[name].line,
                )
                raise ConfigError(self.file, name, line, problem)
            dotted = name if self.key == WHOLE_FILE else f"{self.key}.{name}"
            entries[name] = _Entry(self.file, dotted, line, node)
        return entries

    def value(self) -> Any:
        """The plain value, whatever it may be here."""
        assert self.node is not None  # noqa: S101 - only the whole file has none
        try:
            value = constructed(self.node)
        except PlainYamlError as error:
            raise self.error(
                _(
                    "cannot be read ({error}). Give a number, a text or null.",
                    error=error,
                )
            ) from None
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number and not is_whole_number(value):
            raise self.error(
                _(
                    "is a number that is far too large; at most {digits} digits are read.",
                    digits=MAX_DIGITS,
                )
            )
        return value


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
    # The path may be that of a device that never ends.
    reason = ""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        reason = _("there is no such file")
    except (OSError, ValueError, TypeError) as error:
        # It is not there, or not allowed, or no path at all.
        reason = _("cannot be read ({error})", error=error)
    if reason:
        raise _wrong_file(str(path), reason)
    return read_memory_config(content, str(path))


def read_memory_config(content: bytes, name: str) -> dict[str, dict[str, Any]]:
    """The settings that the ``content`` of a file holds, as :func:`load_memory_config` returns them; ``name`` is what
    errors call the file."""
    if len(content) > MAX_BYTES:
        raise _wrong_file(name, _("has more than {bytes:,} bytes", bytes=MAX_BYTES))
    try:
        root = composed(content, MAX_LEVELS, _("the settings are three levels deep"))
    except UnicodeDecodeError as error:
        raise _wrong_file(name, _("cannot be read ({error})", error=error)) from None
    except PlainYamlError as error:
        problem = _("is not valid YAML: {error}.", error=error)
        raise ConfigError(name, WHOLE_FILE, error.line, problem) from None
    config = {section: dict(values) for section, values in DEFAULTS.items()}
    for section, entry in _Entry(name, WHOLE_FILE, 0, root).entries().items():
        if section not in DEFAULTS:
            raise entry.error(
                _("is unknown; known is {known}.", known=_(COMMA).join(DEFAULTS))
            )
        config[section] |= _judged_section(section, entry)
    return config


def strategy_of(config: Mapping[str, Mapping[str, Any]]) -> Strategy:
    """The strategy that a configuration from :func:`load_memory_config` describes.

    Without ``strategy`` it is a chat summary buffer. That one takes ``token_limit`` and ``summarize_prompt`` from
    ``memory`` itself unless ``parameters`` has them; every other strategy only looks at ``parameters``.
    """
    memory = config["memory"]
    id = memory.get("strategy", DEFAULT_STRATEGY)
    parameters = dict(memory.get("parameters", {}))
    if id == DEFAULT_STRATEGY:
        parameters = {key: memory[key] for key in OLD_KEYS} | parameters
    return strategy(id, **parameters)


def _wrong_file(name: str, reason: str) -> ConfigError:
    problem = _("{reason}. Give the path of a YAML file.", reason=reason)
    return ConfigError(name, WHOLE_FILE, 0, problem)


def _judged_section(section: str, entry: _Entry) -> dict[str, Any]:
    """The values of one section. Parameters are judged last: what they may be depends on the strategy."""
    entries = entry.entries()
    parameters = entries.pop("parameters", None)
    known_names = [*DEFAULTS[section], *OPTIONAL]
    values: dict[str, Any] = {}
    for name, one in entries.items():
        if name not in known_names:
            raise one.error(
                _("is unknown; known are {known}.", known=_(COMMA).join(known_names))
            )
        values[name] = one.value()
        problem = _problem_with(name, values[name])
        if problem:
            raise one.error(problem)
    if parameters is not None:
        cls = strategy_class(values.get("strategy", DEFAULT_STRATEGY))
        values["parameters"] = _judged_parameters(parameters, cls)
    return values


def _judged_parameters(entry: _Entry, cls: type[Strategy]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for name, parameter_entry in entry.entries().items():
        parameters[name] = parameter_entry.value()
        try:
            cls(**{name: parameters[name]})
        except ParameterError as error:
            if error.name == name:
                raise parameter_entry.error(
                    _("is wrong. {error}", error=error)
                ) from None
    return parameters


def _problem_with(name: str, value: Any) -> str:
    """The end of a sentence on what is wrong with a value of ``memory``; empty where nothing is."""
    is_right, sentence = _SHAPES.get(name, _TEXT)
    if not is_right(value):
        return _(sentence, value=quoted(value))
    if name in _FINDERS:
        try:
            _FINDERS[name](value)
        except MemvizError as error:
            return _("is wrong. {error}", error=error)
    return ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_NAME = (
    _is_text,
    noop("is {value}; it has to be a name. Leave the line out for the default."),
)
_TEXT = (
    lambda value: value is None or _is_text(value),
    noop("is {value}; it has to be a text or null."),
)
_SHAPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "token_limit": (
        lambda value: type(value) is int and value > 0,
        noop("is {value}; it has to be a whole number of tokens, 1 or more."),
    ),
    "repair_tool_pairs": (
        lambda value: isinstance(value, bool),
        noop("is {value}; it has to be true or false."),
    ),
    "persistence": (lambda value: True, ""),
    "strategy": _NAME,
    "counter": _NAME,
    "summarizer": _NAME,
}
"""What a value has to be, and the end of a sentence on one that is not so; of all other keys it is :data:`_TEXT`."""


def _find_model(name: str) -> None:
    from memviz.models.registry import model  # most files name no model

    model(name)


_FINDERS: dict[str, Callable[[Any], object]] = {
    "strategy": strategy_class,
    "counter": counter,
    "summarizer": _find_model,
    "persistence": database_of,
}
"""Each raises a :class:`MemvizError` for a value that names nothing."""
