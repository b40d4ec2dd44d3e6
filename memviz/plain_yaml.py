"""YAML that comes from outside, read as nodes with their lines: plain values alone, no aliases, no deep nesting."""

from __future__ import annotations

import yaml
from yaml.composer import ComposerError

_MAX_PROBLEM_CHARS = 200


class PlainYamlError(ValueError):
    """A text is not YAML that is read here. ``line`` counts from 1; 0 where no line is at fault."""

    def __init__(self, problem: str, line: int = 0) -> None:
        self.line = line
        super().__init__(problem)


class _Loader(yaml.SafeLoader):
    """Reads no aliases, with which a few bytes can stand for gigabytes, and no deep nesting."""

    max_levels, depth_words = 20, ""
    levels = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            raise ComposerError(None, None, "aliases such as *name are not read; write the value out", mark)
        self.levels += 1
        if self.levels > self.max_levels:
            raise ComposerError(None, None, f"it is nested too deeply; {self.depth_words}", mark)
        node = super().compose_node(parent, index)
        self.levels -= 1
        return node


def composed(content: bytes, max_levels: int, depth_words: str) -> yaml.Node | None:
    """The root node of a YAML text in UTF-8, ``None`` where it is empty. ``depth_words`` say how deep such a file is.

    Raises :class:`PlainYamlError`, and :class:`UnicodeDecodeError` for what is no UTF-8.
    """
    bounds = {"max_levels": max_levels, "depth_words": depth_words}
    loader: type[yaml.SafeLoader] = type("Loader", (_Loader,), bounds)
    try:
        return yaml.compose(content.decode("utf-8"), Loader=loader)
    except UnicodeDecodeError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise PlainYamlError(problem_words(error), mark.line + 1 if mark else 0) from None


def constructed(node: yaml.Node) -> object:
    """The plain value of a node: what SafeLoader makes of it. Raises :class:`PlainYamlError`."""
    try:
        value: object = yaml.SafeLoader("").construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:
        raise PlainYamlError(problem_words(error), node.start_mark.line + 1) from None
    return value


def problem_words(error: object) -> str:
    """What is wrong, in a few words for a sentence."""
    if "set_int_max_str_digits" in str(error):  # advice to programmers
        return "a number has too many digits"
    return str(getattr(error, "problem", None) or error)[:_MAX_PROBLEM_CHARS]
