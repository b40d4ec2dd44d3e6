"""``memviz sweep``: which setting to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from typer import Exit

from memviz.cli import sweep_options as options
from memviz.cli.errors import FAILED
from memviz.cli.inputs import Source, source_of, sources_of
from memviz.cli.options import AsJson, Database, FormatName, UserName
from memviz.cli.output import complain
from memviz.cli.summarizers import summarizer_named
from memviz.cli.sweep_budget import Payer
from memviz.cli.sweep_grid import settings_to_try
from memviz.cli.sweep_pricing import prices_of, terms_of
from memviz.cli.sweep_results import Outputs, write_results
from memviz.cli.sweep_runner import (
    Ended,
    Plan,
    executor_of,
    sweep_conversations,
    worked_off,
)
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.models.base import Model
    from memviz.storage.workspace import Workspace
    from memviz.strategies.base import Strategy
    from memviz.tuning.sweep_conversation import SweepConversation

OFFLINE = "offline"


def sweep_settings(
    conversations: options.Conversations,
    strategy: options.Strategies = None,
    settings: options.Settings = None,
    keep: options.Keep = 0.9,
    max_peak: options.MaxPeak = None,
    worst: options.Worst = False,
    allow_refused: options.AllowRefused = False,
    counter: options.Counter = "o200k_base",
    summarizer: options.SummarizerName = OFFLINE,
    budget: options.Budget = None,
    yes: options.Yes = False,
    concurrency: options.Concurrency = None,
    model: options.PricesOf = "openai/gpt-5-mini",
    usd_per_million: options.Prices = None,
    summarizer_model: options.SummarizerPricesOf = None,
    summarizer_usd_per_million: options.SummarizerPrices = None,
    pause: options.Pause = 60.0,
    workers: options.Workers = None,
    dask: options.Dask = False,
    scheduler: options.Scheduler = None,
    format: FormatName = None,
    user: UserName = None,
    number: options.Number = None,
    all: options.All = False,
    json: AsJson = False,
    csv: options.Csv = None,
    code: options.Code = None,
    out: options.Out = None,
    no_keep: options.NoKeep = False,
    db: Database = None,
) -> None:
    """Replay conversations under many settings, and say which one to take.

    The cheapest setting that keeps the facts asked for is recommended, with the reasons. Replies come from the
    conversations; only the summarizer is called, and the offline stand-in is free. Finished measurements are kept in
    the library's file: a sweep that was ended goes on where it was, and the dashboard finds them as well.

    \b
    Examples:
      memviz sweep sample-trip
      memviz sweep chats.json -s window -s summary:buffer_size=2,4,8 --keep 0.95
      memviz sweep chats.json -s summary_buffer:max_token_limit=500..8000/8 --workers 4 --csv sweep.csv
      memviz sweep chat.json --model anthropic/claude-sonnet-4-5 --pause 600 --code llamaindex
      memviz sweep chat.json --summarizer openai/gpt-5-mini --budget 0.50
    """
    from memviz.models.names import is_free
    from memviz.tuning.constraints import Constraints

    outputs = Outputs(json, csv, code, out, all)
    name, chat = summarizer.strip(), model.strip()
    paid = not is_free(name)
    executor = executor_of(paid, concurrency, workers, dask, scheduler)
    prices = prices_of(usd_per_million, "--usd-per-million")
    writer_prices = prices_of(
        summarizer_usd_per_million, "--summarizer-usd-per-million", most=2
    )
    payer = (
        Payer.of(
            name, budget, writer_prices or (prices if name == chat else None), yes=yes
        )
        if paid
        else None
    )
    model_of_summaries = (summarizer_model or (name if paid else chat)).strip()
    assumptions = terms_of(chat, model_of_summaries, prices, writer_prices, pause)
    writer = summarizer_named(name, counter)
    sources = _sources(conversations, db, format, number, user)
    workspace = None if no_keep else _workspace(db)
    subjects = sweep_conversations(sources, counter)
    largest, recorded = (
        _largest(subjects, counter),
        _recorded(writer, subjects, counter),
    )
    tried = settings_to_try(strategy or (), settings or (), largest, recorded)
    plan = Plan(
        subjects, tried, counter, assumptions, workspace.store if workspace else None
    )
    ended = _measured(plan, writer, executor, payer, workspace)
    constraints = Constraints(
        keep, max_peak, "worst" if worst else "median", allow_refused
    )
    write_results(
        outputs, ended, constraints, counter, name, [source.file for source in sources]
    )
    _end(ended)


def _sources(
    given: Sequence[str],
    db: str | None,
    format: str | None,
    number: int | None,
    user: str | None,
) -> list[Source]:
    if number is not None:
        return [source_of(one, db, format, number, user) for one in given]
    return [source for one in given for source in sources_of(one, db, format, user)]


def _workspace(db: str | None) -> Workspace:
    from memviz.storage.workspace import Workspace

    return Workspace(db)


def _largest(subjects: Sequence[SweepConversation], counter: str) -> dict[str, int]:
    from memviz.core.counters import counter as find_counter
    from memviz.tuning.grid import largest_sizes

    return largest_sizes((subject.log for subject in subjects), find_counter(counter))


def _recorded(
    writer: Model, subjects: Sequence[SweepConversation], counter: str
) -> list[Strategy] | None:
    """The settings whose summaries over all of the conversations a recording holds; ``None`` where the summarizer is
    none."""
    from memviz.models.recordings.player import RecordedModel
    from memviz.models.recordings.recording import conversation_digest

    if not isinstance(writer, RecordedModel):
        return None
    digests = [
        conversation_digest(one.log, one.system_prompt, one.tools) for one in subjects
    ]
    held = [writer.recording.strategies_over(digest, counter) for digest in digests]
    return [one for one in held[0] if all(one in others for others in held)]


def _measured(
    plan: Plan,
    writer: Model,
    executor: dict[str, Any],
    payer: Payer | None,
    workspace: Workspace | None,
) -> Ended:
    what = f"Measuring {counted(len(plan.settings), 'setting')}"
    if payer is None:
        return worked_off(plan.sweeping(writer, **executor), what)
    writer = payer.summarizer(workspace.answers_folder if workspace else None)
    known = payer.agree(plan, writer)
    try:
        ended = worked_off(
            plan.sweeping(writer, **executor),
            f"{what} with {payer.name}",
            on_stop=payer.budget.close,
        )
        # The estimate has measured, and kept, the settings that never summarize: they are of this sweep, too.
        return replace(ended, measured=len(ended.sweep.cells) - known)
    finally:
        payer.say_what_was_spent()


def _end(ended: Ended) -> None:
    """Tell what failed, and end with the exit code of all of it."""
    sweep, code = ended.sweep, ended.code
    for label, error in dict.fromkeys(
        (str(cell.strategy.code_label), cell.error) for cell in sweep.cells.values()
    ):
        if error:
            complain(f"Warning: {label} could not be run: {error}")
    failed = sum(cell.failed_summarizations for cell in sweep.cells.values())
    if failed:
        complain(
            f"Error: {counted(failed, 'summarization')} failed. Runs with failures are not kept: try again."
        )
    if code or failed:
        raise Exit(code or FAILED)
