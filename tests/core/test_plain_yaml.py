"""YAML from outside: the same nodes as PyYAML's own loader makes, with words for what is wrong."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from memviz.core.plain_yaml import PlainYamlError, composed

FILES = sorted(Path(str(files("memviz"))).rglob("*.yaml"))


def content_of(node: yaml.Node | None) -> Any:
    """Return tags, lines and values of a node and all below it."""
    if node is None:
        return None
    place = (node.tag, node.start_mark.line)
    if isinstance(node, yaml.ScalarNode):
        return place, node.value
    if isinstance(node, yaml.SequenceNode):
        return place, [content_of(entry) for entry in node.value]
    return place, [(content_of(key), content_of(value)) for key, value in node.value]


def test_nodes_are_those_of_the_loader_of_pyyaml() -> None:
    assert len(FILES) > 50
    for file in FILES:
        content = file.read_bytes()
        expected = yaml.compose(content.decode(), Loader=yaml.SafeLoader)
        assert content_of(composed(content, 20, "")) == content_of(expected), file


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("a: 1\nb: *a", "aliases such as *name are not read", 2),
        ("[" * 30 + "]" * 30, "it is nested too deeply; at most 20", 1),
        ("a: 1\nb: c: 2", "a colon stands where none can", 2),
        ("a: 1\n\tb: 2", "a tab stands where spaces belong", 2),
        ("a: [1, 2", "a bracket is opened and never closed", 1),
    ],
)
def test_a_problem_is_said_with_its_line(text: str, problem: str, line: int) -> None:
    with pytest.raises(PlainYamlError, match=problem.replace("*", r"\*")) as refused:
        composed(text.encode(), 20, "at most 20")
    assert refused.value.line == line
