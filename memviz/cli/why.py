"""``memviz why``: why a statement was forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Exit, Option

from memviz.cli.arguments import strategies_from
from memviz.cli.errors import FAILED
from memviz.cli.inputs import Source, load_all
from memviz.cli.option_groups import take_groups
from memviz.cli.options import (
    AsJson,
    Counter,
    Database,
    FileOptions,
    FileOrId,
    StrategyOptions,
)
from memviz.cli.output import (
    console,
    new_table,
    progress_of,
    say,
    write_json,
)
from memviz.cli.replaying import PricesOf
from memviz.cli.serving_options import DEFAULT_PORT
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import MemvizError
from memviz.core.text.visible import put_on_one_line
from memviz.models.names import OFFLINE

if TYPE_CHECKING:
    from memviz.engine.run import Run
    from memviz.strategies.base import Strategy
    from memviz.tuning.forgotten import Remedy, Why

Phrase = Annotated[
    str,
    Argument(
        metavar="PHRASE",
        help="What was said, word for word, or a value such as 1,800 euros. "
        "[default: the ten lost statements that look most like rules, decisions and numbers]",
    ),
]
Save = Annotated[
    bool,
    Option(
        "--save",
        help="Keep the file's conversation in the library, for a link to it.",
    ),
]


@take_groups
def explain_loss(
    conversation: FileOrId,
    phrase: Phrase = "",
    *,
    strategies: StrategyOptions,
    counter: Counter = None,
    reading: FileOptions,
    prices_of: PricesOf = "openai/gpt-5-mini",
    save: Save = False,
    json: AsJson = False,
    db: Database = None,
) -> None:
    """Tell why a statement was forgotten: said, sent, lost, and what would have kept it.

    In a log that holds its program's own compactions (Claude Code, Codex, Gemini CLI, Letta) that is what happened;
    else, and with -s, what would have happened under a strategy, with the built-in model's summaries: nothing is paid.
    What is in a request need not be followed: this tells what a model could know.
    The exit code is 1 where something was lost or denied, 0 where nothing was, 2 after an error.

    \b
    Examples:
      memviz why session.jsonl "never commit to main"
      memviz why sample-trip "3,600 euros" -s window:window_size=6 -s claude_code
    """
    from memviz.tuning.why import NotSaidError, why

    source = reading.find_source(conversation, db)
    # Links lead to the library, so the conversation is saved before they are written.
    if save and not source.id:
        source = _save_to_library(source, db)
    with progress_of("Looking at what was sent"):
        runs = runs_of(source, strategies, counter or DEFAULT_COUNTER)
        try:
            losses = why(
                source.transcript, phrase, prices_of=prices_of.strip(), runs=runs
            )
        except NotSaidError as error:
            hint = _hint_at_other_conversation(conversation, phrase, reading)
            raise NotSaidError(f"{error}{hint}") from None
    links = [_link(source, loss) for loss in losses]
    if json:
        _write_losses(losses, links)
    else:
        _print(runs, losses, links, is_list=not phrase.strip(), is_kept=bool(source.id))
    if any(loss.is_lost or loss.is_denied for loss in losses):
        raise Exit(FAILED)


def _write_losses(losses: Sequence[Why], links: Sequence[str]) -> None:
    rows = []
    for loss, link in zip(losses, links, strict=True):
        rows.append({**loss.to_dict(), "link": link or None})
    write_json(rows)


def _hint_at_other_conversation(
    file_or_id: str, phrase: str, reading: FileOptions
) -> str:
    """Return a sentence on the other conversation of the same file that has the phrase; empty where none has."""
    from memviz.tuning.why import contains_phrase

    # What came through a pipe cannot be read again.
    if not Path(file_or_id).is_file():
        return ""
    loaded = load_all(file_or_id, reading.format, reading.user)
    for number, transcript in enumerate(loaded.transcripts, start=1):
        if not loaded.failures and contains_phrase(transcript, phrase):
            return f" It is in conversation {number}: --conversation {number}."
    return ""


def _save_to_library(source: Source, db: str | None) -> Source:
    """Return the conversation as the library has it, which may have had it before."""
    from memviz.storage.workspace import Workspace

    workspace = Workspace(db)
    (addition,) = workspace.add_once([source.transcript])
    return replace(source, id=addition.entry.id, workspace=workspace)


def runs_of(source: Source, options: StrategyOptions, counter: str) -> list[Run]:
    """Return the run that the log records, where no strategy is named and it records one; else those of strategies."""
    from memviz.models.registry import model
    from memviz.tuning.recorded import replay_recorded

    # What a log says its own program sent is better than anything simulated.
    if options.is_empty:
        recorded = replay_recorded(source.transcript, counter)
        if recorded is not None:
            return [recorded]
    summarizer = model(OFFLINE)
    return [
        source.run(strategy, counter, summarizer, None)
        for strategy in options.strategies()
    ]


def _print(
    runs: Sequence[Run],
    losses: Sequence[Why],
    links: Sequence[str],
    *,
    is_list: bool,
    is_kept: bool,
) -> None:
    """Print the answer; ``is_kept`` where the conversation stands in the library."""
    from memviz.dashboard.words.why import CAREFUL

    if is_list:
        _print_list(runs, losses)
    else:
        _print_statement(losses, links)
    say("")
    say(CAREFUL)
    if not (is_list or is_kept or losses[0].is_recorded):
        say(
            "--save keeps a file's conversation in the library, and prints links to it."
        )


def _print_statement(losses: Sequence[Why], links: Sequence[str]) -> None:
    from memviz.dashboard.words.why import life_sentences, statement_sentences

    out = console()
    for sentence in statement_sentences(losses[0]):
        out.print(put_on_one_line(sentence))
    for loss, link in zip(losses, links, strict=True):
        out.print()
        out.print(put_on_one_line(loss.run.strategy.label), style="bold")
        for sentence in life_sentences(loss):
            out.print("  " + put_on_one_line(sentence))
        _print_remedies(loss.remedies)
        if link:
            out.print(f"  {link}", soft_wrap=True)


def _print_remedies(remedies: Sequence[Remedy]) -> None:
    from memviz.dashboard.words.why import DOLLARS

    if not remedies:
        return
    keeping = [remedy for remedy in remedies if remedy.keeps]
    failing = [remedy for remedy in remedies if not remedy.keeps]
    _print_table("  What would have kept it", keeping)
    _print_table("  What would not have", failing)
    console().print("  " + DOLLARS)


def _print_table(heading: str, remedies: Sequence[Remedy]) -> None:
    from memviz.dashboard.words.why import remedy_words

    if not remedies:
        return
    table = new_table(heading, "price", "to try it", wrapped=["price"])
    for remedy in remedies:
        words = remedy_words(remedy)
        typed = "" if remedy.kind == "pin" else _argument_of(remedy.strategy)
        table.add_row("  " + put_on_one_line(words.what), words.price, typed)
    console().print(table)


def _argument_of(strategy: Strategy) -> str:
    """Return the option that names a setting, such as ``-s window:window_size=6``; empty where none does, as for
    pipelines of several steps."""
    changed = strategy.model_dump(exclude_defaults=True)
    values = ",".join(f"{name}={value}" for name, value in changed.items())
    argument = f"{strategy.id}:{values}" if values else strategy.id
    try:
        names_it = strategies_from([argument], ()) == [strategy]
    except (MemvizError, BadParameter):
        return ""
    return f"-s {argument}" if names_it and " " not in argument else ""


def _print_list(runs: Sequence[Run], losses: Sequence[Why]) -> None:
    from memviz.dashboard.words.why import statement_line

    out = console()
    for run in runs:
        out.print(put_on_one_line(run.strategy.label), style="bold")
        losses_of_run = [loss for loss in losses if loss.run is run]
        if not losses_of_run:
            out.print("  No statement that was looked for is lost at the end.")
        for loss in losses_of_run:
            out.print("  " + put_on_one_line(statement_line(loss)))
    out.print("Only statements with a value are looked for: others may be lost too.")


def _link(source: Source, why: Why) -> str:
    """Return the address of the memory map at the request that lost a statement, with the message that said it
    selected; empty for a conversation that is not in the library."""
    from memviz.dashboard.lessons.study import (
        ALL_MESSAGES,
        Highlight,
        Study,
        View,
        query_of,
    )

    if source.workspace is None or why.is_recorded:
        # No page draws what a log's own program sent.
        return ""
    study = Study(
        source.id,
        (why.run.strategy,),
        counter=why.run.counter.name,
        first_messages=ALL_MESSAGES,
    )
    record = why.lost_at
    message = [("message", str(position + 1)) for position in why.said[:1]]
    view = View(
        study,
        "compare",
        "memory_map",
        turn=record.turn if record else None,
        call=record.call if record else None,
        highlight=Highlight(setting=0),
        link=(*message, ("summarizer", OFFLINE)),
    )
    # Where no server was started over this library yet, the next one is where the command starts it by default.
    address = source.workspace.server_address or f"http://127.0.0.1:{DEFAULT_PORT}"
    return f"{address}/compare?{query_of(view)}"
