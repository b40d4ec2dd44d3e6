"""``memviz replay``: what strategies would have sent."""

from __future__ import annotations

from collections.abc import Sequence
from csv import reader, writer
from io import StringIO
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import BadParameter, Exit, Option

from memviz.cli.options import AsJson, Database, FileOrId, FormatName, Number
from memviz.cli.output import STANDARD_STREAM, complain, console, counted, progress_of, write_json, write_text
from memviz.cli.problems import FAILED
from memviz.cli.settings import strategies_from
from memviz.cli.sources import Source, source_of

if TYPE_CHECKING:
    from memviz.engine.run import Run
    from memviz.models.base import Model
    from memviz.strategies.base import Strategy

Strategies = Annotated[
    list[str],
    Option(
        "--strategy",
        "-s",
        metavar="NAME[:PARAMETER=VALUE,...]",
        help="A memory strategy; several are compared.",
    ),
]
Settings = Annotated[
    list[str] | None, Option("--set", metavar="PARAMETER=VALUE", help="A parameter of the strategy; can be repeated.")
]
Counter = Annotated[
    str, Option("--counter", metavar="NAME", help="o200k_base, cl100k_base, p50k_base, chars4 or bytes4.")
]
ModelName = Annotated[
    str,
    Option("--model", metavar="NAME", help="Who summarizes: offline, or provider/model, its key in the environment."),
]
Html = Annotated[Path | None, Option("--html", metavar="OUT", help="Write a report as one HTML file.")]
Csv = Annotated[Path | None, Option("--csv", metavar="OUT", help="Write one row a turn as CSV; - is stdout.")]


def replay_conversation(
    conversation: FileOrId, strategy: Strategies, settings: Settings = None, counter: Counter = "o200k_base",
    model: ModelName = "offline", format: FormatName = None, number: Number = None, json: AsJson = False,
    html: Html = None, csv: Csv = None, db: Database = None,
) -> None:  # fmt: skip
    """Replay a conversation under memory strategies and show what each request would have sent.

    Replies come from the conversation; only the summarizer is called, and the offline one is free.
    Saved conversations keep the run: asked again, it is there at once, and on the pages too.
    With --json one strategy gives the run as an object, several give a list of them.

    \b
    Examples:
      memviz replay sample-trip --strategy summary_buffer --set max_token_limit=500
      memviz replay chat.json -s window -s summary:buffer_size=2 -s summary:buffer_size=8
      memviz replay chat.json -s summary --model openai/gpt-5-mini --html report.html
      memviz replay chat.json -s token_buffer --json | jq '.turns[].tokens.history'
    """
    if json and csv == STANDARD_STREAM:
        raise BadParameter("--json and --csv - would both write to stdout. Give --csv a file.")
    chosen = strategies_from(strategy, settings or ())
    summarizer = _summarizer(model, counter)
    source = source_of(conversation, db, format, number)
    runs = [_run(source, one, counter, summarizer) for one in chosen]
    if json:
        write_json(_json(runs))
    if html:
        from memviz.reporting.report import html_report

        write_text(html_report(runs, source.transcript), html, source.file)
    if csv:
        write_text(_csv(runs), csv, source.file)
    if not (json or html or csv):
        _print(runs)
    _fail_if_summaries_failed(runs)


def _summarizer(name: str, counter: str) -> Model:
    """The summarizer, and a sign early on if it, its key or the counter are missing."""
    from memviz.counters import counter as find_counter
    from memviz.errors import MissingKeyError
    from memviz.models.registry import missing_keys, model

    find_counter(counter)
    found = model(name)
    if missing := missing_keys(name):
        raise MissingKeyError(f"{name} needs a key: set {' and '.join(missing)} in the environment.", model=name)
    return found


def _run(source: Source, strategy: Strategy, counter: str, summarizer: Model) -> Run:
    with progress_of(f"Replaying under {strategy.label}") as progress:
        return source.run(strategy, counter, summarizer, progress)


def _json(runs: Sequence[Run]) -> Any:
    from memviz.reporting.run_json import run_json

    values = [loads(run_json(run)) for run in runs]
    return values[0] if len(values) == 1 else values


def _csv(runs: Sequence[Run]) -> str:
    """The turns of all runs in one table; the first column says whose they are."""
    from memviz.reporting.run_tables import turns_csv

    out = StringIO()
    rows = writer(out, lineterminator="\n")
    for number, run in enumerate(runs):
        head, *turns = reader(StringIO(turns_csv(run), newline=""))
        if not number:
            rows.writerow(["strategy", *head])
        rows.writerows([run.strategy.label, *turn] for turn in turns)
    return out.getvalue()


def _print(runs: Sequence[Run]) -> None:
    from memviz.cli.run_tables import print_run, print_totals

    out = console()
    for run in runs:
        print_run(out, run)
        out.print()
    if len(runs) > 1:
        print_totals(out, runs)


def _fail_if_summaries_failed(runs: Sequence[Run]) -> None:
    failed = [compaction for run in runs for compaction in run.compactions if compaction.error is not None]
    if failed:
        complain(f"Error: {counted(len(failed), 'summarization')} failed, the last one because: {failed[-1].error}")
        raise Exit(FAILED)
