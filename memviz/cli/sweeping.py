"""``memviz sweep``: conversations replayed under many settings, and the setting to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memviz.cli.arguments import settings_to_try
from memviz.cli.fleet import ToFolder, sweep_to_folder
from memviz.cli.option_groups import take_groups
from memviz.cli.options import Database
from memviz.cli.output import complain
from memviz.cli.paying import priced, summarizer_named
from memviz.cli.sweep_options import (
    Conversations,
    Goal,
    Grid,
    NoKeep,
    PriceOptions,
    Reading,
    Summarizing,
    Work,
)
from memviz.cli.sweep_plan import (
    Payer,
    Plan,
    prepare_conversations,
    say_how_long,
    vectors_of,
)
from memviz.cli.sweep_results import Outputs, say_what_failed, write_results
from memviz.cli.sweep_runner import Ended, work_off
from memviz.core.counters import counter as find_counter
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.models.base import Model
    from memviz.storage.workspace import Workspace
    from memviz.strategies.base import Strategy
    from memviz.tuning.pricing_assumptions import PricingAssumptions
    from memviz.tuning.sweep_conversation import SweepConversation


@take_groups
def sweep_settings(
    conversations: Conversations,
    *,
    grid: Grid,
    goal: Goal,
    summarizing: Summarizing,
    prices: PriceOptions,
    work: Work,
    reading: Reading,
    outputs: Outputs,
    to_folder: ToFolder,
    no_keep: NoKeep = False,
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
    from memviz.storage.workspace import Workspace

    executor = work.executor_for(summarizing)
    to_folder.check(goal, outputs, work, reading, summarizing, no_keep=no_keep)
    payer = _find_payer(summarizing, prices)
    assumptions = assume_prices(summarizing, prices)
    counter = summarizing.counter
    writer = summarizer_named(summarizing.name, counter)
    path = to_folder.folder
    if path is not None:
        fleet = to_folder.fleet(conversations, reading)
        sweep_to_folder(
            path, to_folder, fleet, grid, writer, counter, assumptions, executor
        )
        return
    sources = reading.find_sources(conversations, db)
    workspace = None if no_keep else Workspace(db)
    subjects = prepare_conversations(sources, counter)
    settings = _find_settings(grid, subjects, counter, writer)
    library = workspace.store if workspace else None
    plan = Plan(subjects, settings, counter, assumptions, library)
    budget_usd = summarizing.budget_usd
    yes = summarizing.yes
    with vectors_of(plan, executor, workspace, payer, budget_usd, yes=yes):
        if work.seconds is None:
            say_how_long(plan, writer)
        executor["seconds"] = work.seconds
        ended = _measure(plan, writer, executor, payer, workspace)
    files = [source.file for source in sources]
    write_results(outputs, ended, goal.constraints, summarizing, files)
    say_what_failed(ended)


def _find_payer(summarizing: Summarizing, prices: PriceOptions) -> Payer | None:
    """Return the payer of a summarizer that costs money; ``None`` for any other."""
    if not summarizing.is_paid:
        return None
    by_hand = prices.summarizer_by_hand
    if by_hand is None and summarizing.name == prices.name:
        by_hand = prices.by_hand
    return Payer.of(
        summarizing.name, summarizing.budget_usd, by_hand, yes=summarizing.yes
    )


def assume_prices(summarizing: Summarizing, prices: PriceOptions) -> PricingAssumptions:
    """Return the prices that a sweep counts with. One that nobody knows is told on stderr."""
    from memviz.models.cache_rules import cache_rules
    from memviz.tuning.pricing_assumptions import PricingAssumptions

    model = prices.name
    # Summaries are written by the model that is named for them, else by the one that is paid for them, else by that
    # which answers.
    summarizer = model
    if prices.summarizer_model:
        summarizer = prices.summarizer_model.strip()
    elif summarizing.is_paid:
        summarizer = summarizing.name
    main = priced(model, prices.by_hand)
    writer = main
    if summarizer != model or prices.summarizer_by_hand is not None:
        writer = priced(summarizer, prices.summarizer_by_hand)
    unknown = []
    # Unknown costs are no reason to end: all else that a sweep measures is known without them.
    if main is None:
        unknown.append(model)
    if writer is None and summarizer not in unknown:
        unknown.append(summarizer)
    if unknown:
        names = " and of ".join(unknown)
        complain(
            f"Warning: no price is known of {names}, so costs are unknown. --usd-per-million gives one by hand."
        )
    return PricingAssumptions(main, writer, cache_rules(model), prices.pause_seconds)


def _find_settings(
    grid: Grid, subjects: Sequence[SweepConversation], counter: str, writer: Model
) -> tuple[Strategy, ...]:
    """Return the settings to try over these conversations."""
    from memviz.tuning.grid import find_largest_sizes

    logs = [subject.log for subject in subjects]
    largest = find_largest_sizes(logs, find_counter(counter))
    recorded = _find_recorded_settings(writer, subjects, counter)
    return settings_to_try(
        grid.strategies or (), grid.assignments or (), largest, recorded
    )


def _find_recorded_settings(
    writer: Model, subjects: Sequence[SweepConversation], counter: str
) -> list[Strategy] | None:
    """Return the settings whose summaries over all of the conversations a recording holds; ``None`` where the
    summarizer is none."""
    from memviz.models.recordings.player import RecordedModel
    from memviz.models.recordings.recording import conversation_digest

    if not isinstance(writer, RecordedModel):
        return None
    recorded: list[Strategy] | None = None
    for subject in subjects:
        digest = conversation_digest(subject.log, subject.system_prompt, subject.tools)
        of_subject = writer.recording.strategies_over(digest, counter)
        # Over several conversations only the settings that were recorded for each of them.
        if recorded is not None:
            of_subject = [setting for setting in recorded if setting in of_subject]
        recorded = of_subject
    return recorded


def _measure(
    plan: Plan,
    writer: Model,
    executor: dict[str, Any],
    payer: Payer | None,
    workspace: Workspace | None,
) -> Ended:
    """Measure all settings, once somebody agreed to what they cost."""
    title = f"Measuring {counted(plan.settings, 'setting')}"
    if payer is None:
        return work_off(plan.sweeping(writer, **executor), title)
    writer = payer.summarizer(workspace.answers_folder if workspace else None)
    measured_before = payer.agree(plan, writer)
    sweeping = plan.sweeping(writer, **executor)
    try:
        ended = work_off(sweeping, f"{title} with {payer.name}", payer.budget.close)
    finally:
        payer.say_what_was_spent()
    # The estimate has measured, and kept, the settings that never summarize: they are of this sweep, too.
    return replace(ended, measured=len(ended.sweep.cells) - measured_before)
