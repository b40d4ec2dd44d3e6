"""YAML that comes from outside, read as nodes with their lines: plain values alone, no aliases, no deep nesting."""

import re
from typing import Any

import yaml
from yaml.composer import Composer, ComposerError
from yaml.resolver import Resolver

from memviz.core.bounds import MAX_QUOTED_CHARS, quoted

_WORDS = (
    (r"mapping values are not allowed", "a colon stands where none can; put a text that holds one in quotes, and "
     "begin names of one level in one column"),
    (r"could not find expected ':'", "a name has no colon behind it; write NAME: VALUE"),
    (r"character '\\t'", "a tab stands where spaces belong; indent with spaces"),
    (r"character '(.)' that cannot start", "a text begins with a mark that YAML keeps for itself; put it in quotes"),
    (r"found '<stream end>'", "a bracket is opened and never closed"),
    (r"unexpected end of stream", "a quotation mark is opened and never closed; close it"),
    (r"expected ',' or '[]}]'", "a bracket is opened and never closed, or a comma is missing in it"),
    (r"expected <block end>|expected <document start>|block sequence entries are not allowed",
     "its indentation does not fit the lines above; begin names of one level in one column"),
    (r"constructor for the tag '(.*)'", "the tag {} is not read; write the value alone"),
    (r"tag handle|expected .* node", "a tag such as !name is not read here; write the value alone"),
    (r"special characters|unacceptable character|control characters", "it holds a control character; remove it"),
    (r"expected a single document|found another document", "it holds several documents; leave one, without ---"),
)  # fmt: skip
"""Patterns of what the parser says, and the same for somebody who writes settings."""
_OTHERWISE = "it cannot be read from here on; compare it with an example, and put texts in quotes"


class PlainYamlError(ValueError):
    """A text is not YAML that is read here. ``line`` counts from 1; 0 where no line is at fault."""

    def __init__(self, problem: str, line: int = 0) -> None:
        self.line = line
        super().__init__(problem)


class _RefusedError(ComposerError):
    """YAML that is not read here, with words of memviz."""


class _Bounds(Composer):
    """Composes no aliases, with which a few bytes can stand for gigabytes, and no deep nesting."""

    max_levels = 20
    depth_words = ""
    levels = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[attr-defined]
        if self.check_event(yaml.AliasEvent):  # type: ignore[attr-defined]
            raise _RefusedError(
                None,
                None,
                "aliases such as *name are not read; write the value out",
                mark,
            )
        self.levels += 1
        if self.levels > self.max_levels:
            raise _RefusedError(
                None, None, f"it is nested too deeply; {self.depth_words}", mark
            )
        node = super().compose_node(parent, index)
        self.levels -= 1
        return node


class _Loader(_Bounds, yaml.SafeLoader):
    """Parses in Python: slow, and its problems are the ones that ``_WORDS`` knows."""


_LOADERS: tuple[type[_Bounds], ...] = (_Loader,)
if yaml.__with_libyaml__:
    # PyYAML's wheels bring it; where PyYAML was built without it there is the slow one alone.
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _FastLoader(_Bounds, CParser, Resolver):
        """Parses in C: eight times as fast, with problems in other words."""

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            Composer.__init__(self)
            Resolver.__init__(self)

    _LOADERS = (_FastLoader, _Loader)


def composed(content: bytes, max_levels: int, depth_words: str) -> yaml.Node | None:
    """The root node of a YAML text in UTF-8, ``None`` where it is empty. ``depth_words`` say how deep such a file is.

    Raises :class:`PlainYamlError`, and :class:`UnicodeDecodeError` for what is no UTF-8.
    """
    text = content.decode("utf-8")
    bounds = {"max_levels": max_levels, "depth_words": depth_words}
    problem: yaml.YAMLError | None = None
    # A text that the first one refuses is read once more by the last one, which says why.
    for loader in _LOADERS:
        bounded: Any = type("Loader", (loader,), bounds)
        try:
            return yaml.compose(text, Loader=bounded)
        except yaml.YAMLError as error:
            problem = error
    mark = getattr(problem, "problem_mark", None)
    line = mark.line + 1 if mark else 0
    raise PlainYamlError(problem_words(problem), line)


def constructed(node: yaml.Node) -> object:
    """The plain value of a node: what SafeLoader makes of it. Raises :class:`PlainYamlError`."""
    try:
        value: object = yaml.SafeLoader("").construct_object(node, deep=True)
    except yaml.YAMLError as error:
        raise PlainYamlError(problem_words(error), node.start_mark.line + 1) from None
    except (ValueError, ArithmeticError) as error:  # such as a 13th month
        if "set_int_max_str_digits" in str(error):
            wrong = "a number has too many digits"
        else:
            is_scalar = isinstance(node, yaml.ScalarNode)
            quoted_value = quoted(node.value) if is_scalar else "a value in it"
            wrong = f"{quoted_value} is no date and no number; put it in quotes"
        raise PlainYamlError(wrong, node.start_mark.line + 1) from None
    return value


def problem_words(error: object) -> str:
    """A few words for a sentence on what is wrong."""
    problem = str(getattr(error, "problem", None) or error)
    if isinstance(error, _RefusedError):
        return problem
    for pattern, words in _WORDS:
        if match := re.search(pattern, problem):
            marks = [mark[:MAX_QUOTED_CHARS] for mark in match.groups()]
            return words.format(*marks)
    return _OTHERWISE
