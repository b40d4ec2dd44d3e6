"""The options of ``memviz sweep``, in groups of what belongs together."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option

from memviz.cli.arguments import Usd, prices_of, read_share
from memviz.cli.inputs import Source, source_of, sources_of
from memviz.cli.options import (
    Budget,
    FormatName,
    Prices,
    UserName,
    Yes,
    pause_option,
)
from memviz.core.bounds import LARGEST_NUMBER, MAX_SECONDS, quoted
from memviz.core.counters import DEFAULT_COUNTER
from memviz.models.names import OFFLINE, is_free

if TYPE_CHECKING:
    from memviz.tuning.constraints import Constraints
    from memviz.tuning.executors import Executor

MAX_WORKERS = 1_000
"""Processes or threads: more than a machine can start."""

Conversations = Annotated[
    list[str],
    Argument(
        metavar="FILE_OR_ID...",
        help="Files (- is stdin), or ids of saved conversations.",
    ),
]
NoKeep = Annotated[
    bool,
    Option(
        "--no-keep",
        help="Keep neither measurements nor answers: nothing is written to the library.",
    ),
]

Workers = Annotated[
    int | None,
    Option(
        "--workers",
        metavar="N",
        min=1,
        max=MAX_WORKERS,
        help="Measure in so many processes.",
    ),
]


def _share_to_keep(typed: str | float) -> float:
    """Return the share of facts that the recommended setting has to keep. The default is a number already."""
    text = str(typed)
    try:
        share = read_share(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise BadParameter(
            f"{quoted(text)} is no share. Give one from 0% to 100%, such as 85% or 0.85."
        )
    return share


@dataclass(frozen=True)
class Grid:
    """The settings to try."""

    strategies: Annotated[
        list[str] | None,
        Option(
            "--strategy",
            "-s",
            metavar="NAME[:PARAMETER=VALUES,...]",
            help="A strategy to try; can be repeated. VALUES: 2,4,8 or 500..4000/8, which is 8 round numbers between. "
            "A number in a pipeline's steps is named in words: 'pipeline:step 2 keep N messages=5,10'. "
            "[default: the usual ones, with suggested values]",
        ),
    ] = None
    assignments: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="PARAMETER=VALUES",
            help="Values for every strategy that has it; can be repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class Goal:
    """The limits that the recommended setting keeps to."""

    keep: Annotated[
        float,
        Option(
            "--keep",
            metavar="SHARE",
            parser=_share_to_keep,
            help="The share of the facts that has to be kept, such as 0.9 or 90%.",
        ),
    ] = 0.9
    max_peak: Annotated[
        int | None,
        Option(
            "--max-peak",
            metavar="TOKENS",
            min=1,
            max=LARGEST_NUMBER,
            help="The largest request that is allowed.",
        ),
    ] = None
    worst: Annotated[
        bool,
        Option(
            "--worst",
            help="Judge facts and request size by the worst conversation, not by the one in the middle; costs are "
            "added.",
        ),
    ] = False
    allow_refused: Annotated[
        bool,
        Option(
            "--allow-refused",
            help="Also recommend settings whose requests a provider refuses, for a tool's result "
            "without its call or a call without its result.",
        ),
    ] = False

    @property
    def constraints(self) -> "Constraints":
        """The limits of these options, as a recommendation takes them."""
        from memviz.tuning.constraints import Constraints

        over: Any = "worst" if self.worst else "median"
        return Constraints(self.keep, self.max_peak, over, self.allow_refused)


@dataclass(frozen=True)
class Summarizing:
    """The model that summarizes, and what it may cost."""

    counter: Annotated[
        str,
        Option(
            "--counter",
            metavar="NAME",
            help="o200k_base, cl100k_base, p50k_base, chars4 or bytes4.",
        ),
    ] = DEFAULT_COUNTER
    summarizer: Annotated[
        str,
        Option(
            "--summarizer",
            metavar="NAME",
            help="Who summarizes: offline (the built-in model), recording:NAME, or "
            "provider/model, its key in the environment. That one costs money and needs a --budget.",
        ),
    ] = OFFLINE
    budget_usd: Budget = None
    yes: Yes = False
    concurrency: Annotated[
        int | None,
        Option(
            "--concurrency",
            metavar="N",
            min=1,
            max=MAX_WORKERS,
            help="Calls of a summarizer that costs money at once. [default: 4]",
        ),
    ] = None

    @property
    def name(self) -> str:
        """The name of the summarizer."""
        return self.summarizer.strip()

    @property
    def is_paid(self) -> bool:
        """Return whether the summarizer may cost money."""

        return not is_free(self.name)


@dataclass(frozen=True)
class PriceOptions:
    """The models whose prices count, prices entered by hand, and the time for which caches live."""

    model: Annotated[
        str,
        Option("--model", metavar="NAME", help="Whose prices count; it is not asked."),
    ] = "openai/gpt-5-mini"
    usd_per_million: Prices = None
    summarizer_model: Annotated[
        str | None,
        Option(
            "--summarizer-model",
            metavar="NAME",
            help="Whose prices count for summaries. "
            "[default: --summarizer if it costs money, else --model]",
        ),
    ] = None
    summarizer_usd_per_million: Annotated[
        str | None,
        Option(
            "--summarizer-usd-per-million",
            metavar="IN,OUT",
            help="Prices for summaries, in place of list prices.",
        ),
    ] = None
    pause_seconds: Annotated[
        float,
        pause_option("The user's pause between turns: caches live as long."),
    ] = 60.0

    @property
    def name(self) -> str:
        """The name of the model whose prices count."""
        return self.model.strip()

    @property
    def by_hand(self) -> Usd | None:
        """The prices of that model, where they are entered by hand."""
        return prices_of(self.usd_per_million, "--usd-per-million")

    @property
    def summarizer_by_hand(self) -> Usd | None:
        """The prices of summaries, where they are entered by hand."""
        typed = self.summarizer_usd_per_million
        return prices_of(typed, "--summarizer-usd-per-million", most=2)


@dataclass(frozen=True)
class Work:
    """The processes that measure, and how long they may."""

    workers: Workers = None
    dask: Annotated[
        bool,
        Option(
            "--dask", help="Measure on a Dask cluster of --workers processes, here."
        ),
    ] = False
    scheduler: Annotated[
        str | None,
        Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Measure on the Dask cluster at tcp://host:8786.",
        ),
    ] = None
    seconds: Annotated[
        float | None,
        Option(
            "--seconds",
            metavar="N",
            min=1.0,
            max=MAX_SECONDS,
            help="Measure what fits into so long: of each family of strategies the settings that tell most come "
            "first.",
        ),
    ] = None

    def executor_for(self, summarizing: Summarizing) -> dict[str, Any]:
        """Return the executor that does the work, as fields of a sweep."""
        workers = self.workers
        is_dask = self.dask or self.scheduler
        if self.dask and self.scheduler:
            raise BadParameter(
                "--dask begins a cluster here, --scheduler uses one that runs. Give one of them."
            )
        if summarizing.is_paid:
            if workers or is_dask:
                raise BadParameter(
                    "A summarizer that costs money is asked from here. Give --concurrency, not workers."
                )
            return {"executor": "threads", "workers": summarizing.concurrency}
        if summarizing.concurrency:
            raise BadParameter(
                "--concurrency is for a summarizer that costs money. Give --workers."
            )
        if is_dask:
            return {
                "executor": "dask",
                "workers": workers,
                "scheduler": self.scheduler,
            }
        return {"executor": executor_of(workers), "workers": workers}


def executor_of(workers: int | None) -> "Executor":
    """Return the executor of so many processes; ``None`` and 1 are this one."""
    return "processes" if workers and workers > 1 else "inline"


@dataclass(frozen=True)
class Reading:
    """The options that say how files are read."""

    format: FormatName = None
    user: UserName = None
    number: Annotated[
        int | None,
        Option(
            "--conversation",
            metavar="N",
            min=1,
            help="Only this conversation of a file. [default: all]",
        ),
    ] = None

    def find_sources(
        self, files_or_ids: list[str], database: str | None
    ) -> list[Source]:
        """Return the conversations of all files, or one of each, and those of the library with these ids."""
        sources = []
        for name in files_or_ids:
            if self.number is None:
                sources += sources_of(name, database, self.format, self.user)
            else:
                source = source_of(name, database, self.format, self.number, self.user)
                sources.append(source)
        return sources
