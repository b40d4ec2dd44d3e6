"""``memviz replay``: what strategies would have sent."""

from __future__ import annotations

from collections.abc import Sequence
from csv import reader, writer
from dataclasses import dataclass, replace
from io import StringIO
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import BadParameter, Exit, Option

from memviz.cli.arguments import recalls_of
from memviz.cli.embedding import vectors_for
from memviz.cli.errors import FAILED, INTERRUPTED
from memviz.cli.inputs import Source
from memviz.cli.option_groups import take_groups
from memviz.cli.options import (
    AsJson,
    Counter,
    Database,
    FileOptions,
    FileOrId,
    Recall,
    Spending,
    StrategyOptions,
    pause_option,
)
from memviz.cli.output import (
    STANDARD_STREAM,
    complain,
    console,
    progress_of,
    write_json,
    write_text,
)
from memviz.cli.paying import (
    ModelToAsk,
    agree_on_replays,
    hold_to_budget,
    priced,
    summarizer_named,
)
from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.text.wording import counted
from memviz.models.base import FirstFailureEnds
from memviz.models.names import OFFLINE, in_words, is_free

if TYPE_CHECKING:
    from memviz.cli.arguments import Recalls, Usd
    from memviz.engine.run import Run
    from memviz.models.base import Model
    from memviz.strategies.base import Strategy

Config = Annotated[
    Path | None,
    Option(
        "--config",
        metavar="PATH",
        help="Take strategy, counter and summarizer from such a file as "
        "configs/memory.yaml.",
    ),
]
ModelName = Annotated[
    str | None,
    Option(
        "--model",
        metavar="NAME",
        help="Who summarizes: offline (the built-in model), recording:NAME, or "
        "provider/model, its key in the environment. [default: offline]",
    ),
]
PricesOf = Annotated[
    str,
    Option(
        "--prices-of",
        metavar="NAME",
        help="Whose prices count in the report, as provider/model; it is not asked.",
    ),
]


@dataclass(frozen=True)
class Outputs:
    """The forms that runs are written in; where none is asked for, they are shown as tables."""

    json: AsJson = False
    html: Annotated[
        Path | None,
        Option("--html", metavar="OUT", help="Write a report as one HTML file."),
    ] = None
    prices_of: PricesOf = "openai/gpt-5-mini"
    pause: Annotated[
        float,
        pause_option(
            "The user's pause between turns in the report: caches live as long."
        ),
    ] = 60.0
    csv: Annotated[
        Path | None,
        Option(
            "--csv", metavar="OUT", help="Write one row a request as CSV; - is stdout."
        ),
    ] = None
    brief: Annotated[
        bool, Option("--brief", help="Show one line a strategy, and no single request.")
    ] = False

    def __post_init__(self) -> None:
        if self.json and self.csv == STANDARD_STREAM:
            raise BadParameter(
                "--json and --csv - would both write to stdout. Give --csv a file."
            )

    def write(
        self,
        runs: Sequence[Run],
        source: Source,
        summarizer: Model,
        by_hand: Usd | None,
    ) -> None:
        """Write the runs in each of the forms."""
        if self.json:
            write_json(_as_json(runs))
        if self.html:
            report = _report_on(runs, source, self, summarizer, by_hand)
            write_text(report, self.html, source.file)
        if self.csv:
            write_text(_as_csv(runs), self.csv, source.file)
        if not (self.json or self.html or self.csv):
            _print_runs(runs, brief=self.brief)


@take_groups
def replay_conversation(
    conversation: FileOrId,
    *,
    named: StrategyOptions,
    config: Config = None,
    counter: Counter = None,
    model: ModelName = None,
    reading: FileOptions,
    recall: Recall = None,
    spending: Spending,
    outputs: Outputs,
    db: Database = None,
) -> None:
    """Replay a conversation under memory strategies and show what each request would have sent.

    Replies come from the conversation; only the summarizer is called, and the built-in model is free.
    One that costs money needs a --budget, and is asked after you agree to what it may cost.
    Saved conversations keep the run: asked again, it is there at once, and on the pages too.
    Several strategies are compared in one line each, before their requests; --brief shows these lines alone.
    With --json one strategy gives the run as an object, several give a list of them.

    \b
    Examples:
      memviz replay sample-trip
      memviz replay sample-trip --strategy summary_buffer --set max_token_limit=500
      memviz replay chat.json -s window -s summary:buffer_size=2 -s summary:buffer_size=8 --brief
      memviz replay chat.json -s summary --model openai/gpt-5-mini --budget 0.20 --html report.html
      memviz replay chat.json -s retrieval:embedding_percent=50,embedding_model=ollama/nomic-embed-text
      memviz replay chat.json -s window --recall 12=1,3-5 --recall 14.3=12
      memviz replay chat.json --config configs/memory.yaml
      memviz replay chat.json -s token_buffer --json | jq '.requests[].tokens.history'
    """
    strategies, own_counter, own_model = _find_settings(named, config)
    counter = counter or own_counter
    summarizer = summarizer_named(model or own_model, counter)
    by_hand = spending.prices_by_hand
    writer = _hold_to_budget(summarizer, spending.budget_usd, by_hand)
    source = reading.find_source(conversation, db)
    recalls = recalls_of(recall or (), source.transcript)
    # Replays that the library keeps ask nobody, so they cost nothing.
    missing = []
    for strategy in strategies:
        if not source.is_kept(strategy, counter, summarizer, recalls):
            missing.append(strategy)
    yes = spending.yes
    agree_on_replays(writer, source.transcript, missing, counter, yes=yes)
    logs = [Log(source.transcript.messages)]
    vectors = source.kept_vectors
    budget = writer.budget
    with vectors_for(vectors, logs, strategies, budget, spending.budget_usd, yes=yes):
        runs = _replay_all(source, strategies, counter, writer, recalls)
        outputs.write(runs, source, summarizer, by_hand)
        _fail_if_summaries_failed(runs)


def _hold_to_budget(
    summarizer: Model, budget_usd: float | None, by_hand: Usd | None
) -> ModelToAsk:
    """Return the summarizer with its budget, where it costs money."""
    if not is_free(summarizer.name):
        return hold_to_budget(summarizer, budget_usd, by_hand)
    if by_hand is not None:
        complain(
            f"Warning: --usd-per-million is not used: it prices --model, and {in_words(summarizer.name)} costs "
            "nothing. --prices-of names whose prices count in the report."
        )
    return ModelToAsk(summarizer)


def _find_settings(
    named: StrategyOptions, config: Path | None
) -> tuple[list[Strategy], str, str]:
    """Return the strategies, the counter and the summarizer of the configuration file, else those of the command
    line and the defaults."""
    from memviz.engine.memory_config import load_memory_config, strategy_of

    if config is None:
        return named.strategies(), DEFAULT_COUNTER, OFFLINE
    if not named.is_empty:
        raise BadParameter(
            "--config says which strategy to replay. Leave out --strategy and --set, or --config."
        )
    setting = load_memory_config(config)
    counter = setting["memory"].get("counter", DEFAULT_COUNTER)
    summarizer = setting["memory"].get("summarizer", OFFLINE)
    return [strategy_of(setting)], counter, summarizer


def _replay_all(
    source: Source,
    strategies: Sequence[Strategy],
    counter: str,
    writer: ModelToAsk,
    recalls: Recalls,
) -> list[Run]:
    """Return the replays, and say what they cost, also where a failure ended them."""
    model = writer.budgeted
    if not writer.is_free:
        # A failure that every other call would share ends the command.
        model = FirstFailureEnds(model)
    runs = []
    try:
        for strategy in strategies:
            label = strategy.label
            with progress_of(f"Replaying under {label}") as progress:
                runs.append(source.run(strategy, counter, model, progress, recalls))
    except KeyboardInterrupt:
        complain(
            f"Stopped by Ctrl-C while replaying under {label}. Nothing of this run was saved."
        )
        raise Exit(INTERRUPTED) from None
    finally:
        if writer.budget is not None and writer.budget.calls:
            complain(writer.spent.strip())
    return runs


def _report_on(
    runs: Sequence[Run],
    source: Source,
    outputs: Outputs,
    summarizer: Model,
    by_hand: Usd | None,
) -> str:
    """Return the report in HTML. A summarizer that costs money has prices of its own."""
    from memviz.dashboard.reporting.report import html_report
    from memviz.tuning.pricing_assumptions import PricingAssumptions

    model = outputs.prices_of.strip()
    assumptions = PricingAssumptions.of(model, pause_seconds=outputs.pause)
    if not is_free(summarizer.name):
        assumptions = replace(assumptions, summarizer=priced(summarizer.name, by_hand))
    return html_report(runs, source.transcript, assumptions=assumptions)


def _as_json(runs: Sequence[Run]) -> Any:
    from memviz.dashboard.reporting.run_tables import run_json

    values = [loads(run_json(run)) for run in runs]
    return values[0] if len(values) == 1 else values


def _as_csv(runs: Sequence[Run]) -> str:
    """Return the requests of all runs in one table; the first column names the strategy."""
    from memviz.dashboard.reporting.run_tables import requests_csv

    out = StringIO()
    rows = writer(out, lineterminator="\n")
    for number, run in enumerate(runs):
        # Each run has a table with a head of its own: one of them is enough.
        head, *requests = reader(StringIO(requests_csv(run), newline=""))
        if not number:
            rows.writerow(["strategy", *head])
        for request in requests:
            rows.writerow([run.strategy.label, *request])
    return out.getvalue()


def _print_runs(runs: Sequence[Run], *, brief: bool) -> None:
    """Print the comparison of several runs, then each run request by request, unless it is to be ``brief``."""
    from memviz.cli.tables import print_run, print_totals

    out = console()
    if brief or len(runs) > 1:
        print_totals(out, runs)
    if brief:
        return
    for run in runs:
        if len(runs) > 1:
            out.print()
        print_run(out, run)


def _fail_if_summaries_failed(runs: Sequence[Run]) -> None:
    from memviz.dashboard.words.compactions import error_words
    from memviz.engine.backoff import find_next_try

    failed = []
    for run in runs:
        for compaction in run.compactions:
            if compaction.error is not None:
                failed.append((run, compaction))
    if failed:
        run, last = failed[-1]
        complain(
            f"Error: {counted(failed, 'summarization')} failed, the last one because: {error_words(last)}. "
            f"Next try in turn {find_next_try(run.compactions, last):,}."
        )
        raise Exit(FAILED)
