"""Options that several commands share, and groups of those that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from memviz.cli.arguments import Usd, prices_of, strategies_from
from memviz.cli.inputs import Source, source_of
from memviz.core import page_titles
from memviz.core.bounds import MAX_SECONDS, MAX_USD

if TYPE_CHECKING:
    from memviz.strategies.base import Strategy

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


@dataclass(frozen=True)
class FileOptions:
    """The options that say how a file is read, and which conversation of it is meant."""

    format: FormatName = None
    number: Number = None
    user: UserName = None

    def find_source(self, file_or_id: str, database: str | None) -> Source:
        """Return the conversation of a file, or the saved one of this id."""
        return source_of(file_or_id, database, self.format, self.number, self.user)


@dataclass(frozen=True)
class StrategyOptions:
    """The strategies that are named, and values for their parameters."""

    named: Strategies = None
    assignments: Settings = None

    @property
    def is_empty(self) -> bool:
        """Return whether neither a strategy nor a value is given."""
        return not self.named and not self.assignments

    def strategies(self) -> list[Strategy]:
        """Return the strategies that are named, else those that Compare shows at first.

        Raises:
            UnknownStrategyError: There is no strategy of a name.
            ParameterError: A strategy does not take a value, or no strategy has the parameter.
        """
        return strategies_from(self.named or (), self.assignments or ())


@dataclass(frozen=True)
class Spending:
    """The options that say what a model may cost."""

    budget_usd: Budget = None
    yes: Yes = False
    usd_per_million: Prices = None

    @property
    def prices_by_hand(self) -> Usd | None:
        """The prices of input and output, where they are entered by hand.

        Raises:
            BadParameter: They are not two prices.
        """
        return prices_of(self.usd_per_million, "--usd-per-million", most=2)
