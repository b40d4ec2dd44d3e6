"""``memviz diff``: the figures of two suites, what got worse first."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Exit, Option

from memviz.cli.errors import FAILED
from memviz.cli.options import AsJson, Output
from memviz.cli.output import write_json, write_text

Before = Annotated[
    str,
    Argument(
        metavar="MAIN.JSON",
        help="The figures before, as pytest --memviz-json wrote them.",
    ),
]
After = Annotated[str, Argument(metavar="PR.JSON", help="The figures after.")]
Tolerance = Annotated[
    float,
    Option(
        "--tolerance",
        metavar="PERCENT",
        min=0.0,
        help="Tokens and dollars may rise by so much.",
    ),
]


def compare_suites(
    before: Before,
    after: After,
    tolerance: Tolerance = 5.0,
    output: Output = None,
    json: AsJson = False,
) -> None:
    """Compare the figures of two suites, as Markdown for a pull request.

    A setting is a memviz.testing.replay of a test. It got worse where it no longer keeps a phrase that the test
    guards, keeps fewer facts, keeps them for a shorter time, begins to write a summary at nearly every request, or
    needs more tokens or dollars than --tolerance allows.
    The exit code is 1 where anything got worse or a setting is gone, 0 where nothing did, 2 after an error.

    \b
    Examples:
      memviz diff main.json pr.json
      memviz diff main.json pr.json --tolerance 10 -o memory.md
    """
    from memviz.cli.suite_figures import compare_figures, read_figures

    comparison = compare_figures(read_figures(before), read_figures(after), tolerance)
    if json:
        write_json(comparison.to_dict())
    else:
        write_text(comparison.to_markdown(), output, before, after, what="the figures")
    if comparison.worse or comparison.gone:
        raise Exit(FAILED)
