"""The README's table of strategies, made from what they declare.

Make it again after a strategy was added or changed: ``python -m docs.strategies_table README.md``
"""

import re
import sys
from pathlib import Path

from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter

START = "<!-- strategies: made by python -m docs.strategies_table README.md -->\n"
END = "<!-- end of strategies -->\n"
HEAD = "| id | name | what it does | parameters |\n|---|---|---|---|\n"
GUIDE = "docs/field-guide.md"


def own_strategies() -> list[type[Strategy]]:
    """The strategies of memviz itself, in their order; other packages' have no place in its documents."""
    return [
        cls
        for id, cls in strategies().items()
        if cls.__module__ == f"memviz.strategies.{id}"
    ]


def table() -> str:
    """One row for each strategy, its name a link to its page of the field guide."""
    rows = [f"| {' | '.join(_cells(cls))} |\n" for cls in own_strategies()]
    return HEAD + "".join(rows).replace("|  |", "| |")


def anchor(title: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")


def with_table(text: str) -> str:
    """A text with the table between the two marks in it."""
    before, _, rest = text.partition(START)
    return before + START + table() + END + rest.partition(END)[2]


def _cells(cls: type[Strategy]) -> tuple[str, ...]:
    name = f"[{cls.title}]({GUIDE}#{anchor(cls.title)})"
    return (
        f"`{cls.id}`",
        name,
        cls.summary_line(),
        ", ".join(map(_described, cls.parameters())),
    )


def _described(parameter: Parameter) -> str:
    """A number with its default and unit, anything else by its name."""
    name = f"`{parameter.name}`"
    if not parameter.is_number:
        return name
    return f"{name} {parameter.default} {parameter.unit}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")
