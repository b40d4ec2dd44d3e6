"""``memviz sweep``: which setting to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import BadParameter, Context, Exit

from memviz.cli import sweep_options as options
from memviz.cli.arguments import Usd, prices_of, settings_to_try
from memviz.cli.errors import FAILED, UnknownTargetError
from memviz.cli.fleet import check_options, settings_named, sweep_to_folder
from memviz.cli.inputs import source_of, sources_of
from memviz.cli.options import (
    AsJson,
    Budget,
    Database,
    FormatName,
    MappingFile,
    Prices,
    UserName,
    Yes,
)
from memviz.cli.output import STANDARD_STREAM, complain, console, write_json, write_text
from memviz.cli.paying import priced, summarizer_named
from memviz.cli.sweep_runner import (
    Ended,
    Payer,
    Plan,
    executor_of,
    prepare_conversations,
    say_how_long,
    vectors_of,
    work_off,
)
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.text.wording import counted
from memviz.models.names import OFFLINE

if TYPE_CHECKING:
    from memviz.models.base import Model
    from memviz.storage.workspace import Workspace
    from memviz.strategies.base import Strategy
    from memviz.tuning.constraints import Constraints
    from memviz.tuning.pricing_assumptions import PricingAssumptions
    from memviz.tuning.sweep_conversation import SweepConversation


@dataclass(frozen=True)
class Outputs:
    """The places where results go. At most one of them is written to stdout, and then no table is."""

    json: bool
    csv: Path | None
    target: str | None
    """The place to export the recommended setting to."""
    target_out: Path | None
    all_settings: bool
    """The table has every setting, not only those worth taking."""

    def __post_init__(self) -> None:
        from memviz.code_export import targets

        if self.target is not None and self.target not in targets():
            raise UnknownTargetError(self.target, targets())
        if self.target_out is not None and self.target is None:
            raise BadParameter("--out is the file for --code TARGET, which is missing.")
        if len(self.on_stdout) > 1:
            raise BadParameter(
                f"{' and '.join(self.on_stdout)} would both write to stdout. Give one of them a file."
            )

    @property
    def on_stdout(self) -> list[str]:
        """The options whose results are written to stdout."""
        wanted = []
        if self.json:
            wanted.append("--json")
        if self.csv == STANDARD_STREAM:
            wanted.append("--csv -")
        if self.target is not None and self.target_out in (None, STANDARD_STREAM):
            wanted.append("--code without --out")
        return wanted


def sweep_settings(
    context: Context,
    conversations: options.Conversations,
    strategy: options.Strategies = None,
    settings: options.Settings = None,
    keep: options.Keep = 0.9,
    max_peak: options.MaxPeak = None,
    worst: options.Worst = False,
    allow_refused: options.AllowRefused = False,
    counter: options.Counter = DEFAULT_COUNTER,
    summarizer: options.SummarizerName = OFFLINE,
    budget: Budget = None,
    yes: Yes = False,
    concurrency: options.Concurrency = None,
    model: options.PricesOf = "openai/gpt-5-mini",
    usd_per_million: Prices = None,
    summarizer_model: options.SummarizerPricesOf = None,
    summarizer_usd_per_million: options.SummarizerPrices = None,
    pause: options.Pause = 60.0,
    workers: options.Workers = None,
    dask: options.Dask = False,
    scheduler: options.Scheduler = None,
    seconds: options.Seconds = None,
    format: FormatName = None,
    user: UserName = None,
    number: options.Number = None,
    all: options.All = False,
    json: AsJson = False,
    csv: options.Csv = None,
    code: options.Code = None,
    out: options.Out = None,
    no_keep: options.NoKeep = False,
    write: options.Write = None,
    mapping: MappingFile = None,
    sample: options.Sample = 1.0,
    seed: options.Seed = 0,
    requests: options.Requests = False,
    no_facts: options.NoFacts = False,
    db: Database = None,
) -> None:
    """Replay conversations under many settings, and say which one to take.

    The cheapest setting that keeps the facts asked for is recommended, with the reasons. Replies come from the
    conversations; only the summarizer is called, and the built-in model is free. Finished measurements are kept in
    the library's file: a sweep that was ended goes on where it was, and the dashboard finds them as well.

    \b
    Examples:
      memviz sweep sample-trip
      memviz sweep chats.json -s window -s summary:buffer_size=2,4,8 --keep 0.95
      memviz sweep chats.json -s summary_buffer:max_token_limit=500..8000/8 --workers 4 --csv sweep.csv
      memviz sweep chat.json --model anthropic/claude-sonnet-4-5 --pause 600 --code llamaindex
      memviz sweep chat.json --summarizer openai/gpt-5-mini --budget 0.50
      memviz sweep chats.json --seconds 30
      memviz sweep chats.json -s retrieval:embedding_percent=20,50,100,embedding_model=ollama/nomic-embed-text
      memviz sweep logs/ --write swept -s window:window_size=10 --sample 0.01 --workers 4
    """
    from memviz.models.names import is_free
    from memviz.storage.workspace import Workspace
    from memviz.transcripts.fleet.source import Fleet
    from memviz.tuning.constraints import Constraints

    check_options(context, is_written=write is not None)
    outputs = Outputs(json, csv, code, out, all)
    name = summarizer.strip()
    chat = model.strip()
    paid = not is_free(name)
    executor = executor_of(paid, concurrency, workers, dask, scheduler)
    prices = prices_of(usd_per_million, "--usd-per-million")
    writer_prices = prices_of(
        summarizer_usd_per_million, "--summarizer-usd-per-million", most=2
    )
    payer = None
    if paid and write is not None:
        raise BadParameter("What --write writes is summarized by the built-in model.")
    if paid:
        by_hand = writer_prices or (prices if name == chat else None)
        payer = Payer.of(name, budget, by_hand, yes=yes)
    model_of_summaries = (summarizer_model or (name if paid else chat)).strip()
    assumptions = _assumptions_of(
        chat, model_of_summaries, prices, writer_prices, pause
    )
    writer = summarizer_named(name, counter)
    if write is not None:
        sweep_to_folder(
            Fleet(conversations, format, mapping, user, sample, seed),
            write,
            settings_named(strategy, settings),
            writer,
            counter,
            assumptions,
            executor,
            has_facts=not no_facts,
            has_requests=requests,
        )
        return
    sources = []
    for conversation in conversations:
        if number is not None:
            sources.append(source_of(conversation, db, format, number, user))
        else:
            sources += sources_of(conversation, db, format, user)
    workspace = None if no_keep else Workspace(db)
    subjects = prepare_conversations(sources, counter)
    tried = _find_settings(strategy, settings, subjects, counter, writer)
    library = workspace.store if workspace else None
    plan = Plan(subjects, tried, counter, assumptions, library)
    executor["seconds"] = seconds
    with vectors_of(plan, executor, workspace, payer, budget, yes=yes):
        if seconds is None:
            say_how_long(plan, writer)
        ended = _measure(plan, writer, executor, payer, workspace)
    over: Any = "worst" if worst else "median"
    constraints = Constraints(keep, max_peak, over, allow_refused)
    files = [source.file for source in sources]
    _write_results(outputs, ended, constraints, counter, name, files)
    _say_what_failed(ended)


def _find_settings(
    named: Sequence[str] | None,
    settings: Sequence[str] | None,
    subjects: Sequence[SweepConversation],
    counter: str,
    writer: Model,
) -> tuple[Strategy, ...]:
    """Return the settings to try over these conversations."""
    from memviz.core.counters import counter as find_counter
    from memviz.tuning.grid import largest_sizes

    logs = [subject.log for subject in subjects]
    largest = largest_sizes(logs, find_counter(counter))
    recorded = _recorded_settings(writer, subjects, counter)
    return settings_to_try(named or (), settings or (), largest, recorded)


def _assumptions_of(
    model: str,
    summarizer: str,
    by_hand: Usd | None,
    summarizer_by_hand: Usd | None,
    pause_seconds: float,
) -> PricingAssumptions:
    """With whose prices a sweep counts. A price that nobody knows is told on stderr."""
    from memviz.models.cache_rules import cache_rules
    from memviz.tuning.pricing_assumptions import PricingAssumptions

    main = priced(model, by_hand)
    writer = main
    if summarizer != model or summarizer_by_hand is not None:
        writer = priced(summarizer, summarizer_by_hand)
    prices = ((model, main), (summarizer, writer))
    unknown = dict.fromkeys(name for name, known in prices if known is None)
    if unknown:
        names = " and of ".join(unknown)
        complain(
            f"Warning: no price is known of {names}, so costs are unknown. --usd-per-million gives one by hand."
        )
    return PricingAssumptions(main, writer, cache_rules(model), pause_seconds)


def _recorded_settings(
    writer: Model, subjects: Sequence[SweepConversation], counter: str
) -> list[Strategy] | None:
    """The settings whose summaries over all of the conversations a recording holds; ``None`` where the summarizer is
    none."""
    from memviz.models.recordings.player import RecordedModel
    from memviz.models.recordings.recording import conversation_digest

    if not isinstance(writer, RecordedModel):
        return None
    common: list[Strategy] | None = None
    for subject in subjects:
        digest = conversation_digest(subject.log, subject.system_prompt, subject.tools)
        held = writer.recording.strategies_over(digest, counter)
        if common is None:
            common = list(held)
        else:
            common = [strategy for strategy in common if strategy in held]
    return common


def _measure(
    plan: Plan,
    writer: Model,
    executor: dict[str, Any],
    payer: Payer | None,
    workspace: Workspace | None,
) -> Ended:
    what = f"Measuring {counted(len(plan.settings), 'setting')}"
    if payer is None:
        return work_off(plan.sweeping(writer, **executor), what)
    writer = payer.summarizer(workspace.answers_folder if workspace else None)
    measured_before = payer.agree(plan, writer)
    sweeping = plan.sweeping(writer, **executor)
    try:
        ended = work_off(sweeping, f"{what} with {payer.name}", payer.budget.close)
    finally:
        payer.say_what_was_spent()
    # The estimate has measured, and kept, the settings that never summarize: they are of this sweep, too.
    return replace(ended, measured=len(ended.sweep.cells) - measured_before)


def _write_results(
    outputs: Outputs,
    ended: Ended,
    constraints: Constraints,
    counter: str,
    summarizer: str,
    files: Sequence[str],
) -> None:
    """Write all that was asked for; ``files`` are those that the conversations came from."""
    from memviz.cli.tables import print_sweep
    from memviz.dashboard.reporting.sweep_json import sweep_dict
    from memviz.tuning.recommendation import recommend

    sweep = ended.sweep
    best = recommend(sweep, constraints)
    if outputs.json:
        fields = sweep_dict(sweep, constraints, best, counter, summarizer)
        write_json({**fields, "measured": ended.measured})
    elif outputs.on_stdout:
        complain(best.advice)
    else:
        everything = outputs.all_settings
        print_sweep(console(), sweep, constraints, best, all_settings=everything)
        before = len(sweep.cells) - ended.measured
        if before:
            complain(
                f"{counted(before, 'run')} of {len(sweep.cells):,} had been measured before."
            )
    if outputs.csv is not None:
        write_text(sweep.frame().to_csv(index=False), outputs.csv, *files)
    if outputs.target is not None:
        number = None if best.setting is None else sweep.settings.index(best.setting)
        text = _write_code(
            outputs.target, ended, number, constraints, counter, summarizer
        )
        write_text(text, outputs.target_out, *files)


def _write_code(
    target: str,
    ended: Ended,
    number: int | None,
    constraints: Constraints,
    counter: str,
    summarizer: str,
) -> str:
    """The setting of this number as code."""
    from memviz.code_export import targets
    from memviz.dashboard.reporting.sweep_json import setting_to_export

    setting = None
    if number is not None:
        setting = setting_to_export(
            ended.sweep, number, constraints.over, counter, summarizer
        )
    if setting is None:
        complain(
            "Error: there is no setting to export. Ask for less, or try other values."
        )
        raise Exit(FAILED)
    return targets()[target].write(setting)


def _say_what_failed(ended: Ended) -> None:
    """Tell what failed, and end with the exit code of all of it."""
    cells = ended.sweep.cells.values()
    errors = [(str(cell.strategy.code_label), cell.error) for cell in cells]
    for label, error in dict.fromkeys(errors):
        if error:
            complain(f"Warning: {label} could not be run: {error}")
    failed = sum(cell.failed_summarizations for cell in cells)
    if failed:
        complain(
            f"Error: {counted(failed, 'summarization')} failed. Runs with failures are not kept: try again."
        )
    if ended.code or failed:
        raise Exit(ended.code or FAILED)
