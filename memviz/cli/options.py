"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from memviz.core import page_titles
from memviz.core.bounds import MAX_SECONDS, MAX_USD

Database = Annotated[
    str | None,
    Option(
        "--db",
        metavar="PATH",
        envvar="MEMVIZ_DB",
        help="The library's file, or the address of one on a server: postgresql+psycopg://user@host/database. "
        "[default: memviz.db here]",
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
MappingFile = Annotated[
    Path | None,
    Option(
        "--map",
        metavar="YAML",
        help="A mapping that says where the messages lie, as memviz map writes it.",
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
Output = Annotated[
    Path | None,
    Option(
        "--output", "-o", metavar="OUT", help="The file to write. [default: stdout]"
    ),
]
Strategies = Annotated[
    list[str] | None,
    Option(
        "--strategy",
        "-s",
        metavar="NAME[:PARAMETER=VALUE,...]",
        help=(
            "A memory strategy; several are compared. [default: buffer, window and summary_buffer, "
            f"as on {page_titles.COMPARE}]"
        ),
    ),
]
Settings = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="PARAMETER=VALUE",
        help="A parameter of the strategy; can be repeated.",
    ),
]
Counter = Annotated[
    str | None,
    Option(
        "--counter",
        metavar="NAME",
        help="o200k_base, cl100k_base, p50k_base, chars4 or bytes4. "
        "[default: o200k_base]",
    ),
]
Recall = Annotated[
    list[str] | None,
    Option(
        "--recall",
        metavar="TURN[.CALL]=TURNS",
        help="Bring earlier turns back into the requests of a turn, or "
        "from one call of it on; can be repeated.",
    ),
]
Budget = Annotated[
    float | None,
    Option(
        "--budget",
        metavar="USD",
        min=0.0,
        max=MAX_USD,
        help="The most that may be spent.",
    ),
]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask before money is spent.")]
Prices = Annotated[
    str | None,
    Option(
        "--usd-per-million",
        metavar="IN,OUT[,CACHED[,WRITE]]",
        help="Prices of --model, in place of its own.",
    ),
]


def pause_option(help: str) -> Any:
    """Return the option for the seconds between a user's turns, by which caches live or end."""
    return Option("--pause", metavar="SECONDS", min=0.0, max=MAX_SECONDS, help=help)
