"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from memviz.cli.errors import UnknownFormatNameError

Database = Annotated[
    str | None,
    Option(
        "--db",
        metavar="PATH",
        envvar="MEMVIZ_DB",
        help="The library's file. [default: memviz.db here]",
    ),
]
AsJson = Annotated[
    bool, Option("--json", help="Write JSON to stdout, and nothing else.")
]
FileOrId = Annotated[
    str,
    Argument(
        metavar="FILE_OR_ID",
        help="A file (- is stdin), or the id of a saved conversation or its beginning.",
    ),
]
FormatName = Annotated[
    str | None,
    Option(
        "--format",
        metavar="NAME",
        help="The file's format, where it is not recognised.",
    ),
]
UserName = Annotated[
    str | None,
    Option(
        "--user",
        metavar="NAME",
        help="Who in the file is the user, where the names do not show it.",
    ),
]
Number = Annotated[
    int | None,
    Option(
        "--conversation",
        metavar="N",
        min=1,
        help="Which conversation of the file. [default: 1]",
    ),
]


def known_format(name: str | None) -> str | None:
    """The name of an import format, if one is given. Raises :class:`UnknownFormatNameError`."""
    if name is not None:
        from memviz.transcripts.loading import format_advice, formats

        if name not in formats():
            raise UnknownFormatNameError(name, formats(), format_advice(name))
    return name
