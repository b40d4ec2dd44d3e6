"""``memviz why``: why a statement was forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Exit, Option

from memviz.cli.arguments import strategies_from
from memviz.cli.errors import FAILED
from memviz.cli.inputs import Source, load_all, source_of
from memviz.cli.options import (
    AsJson,
    Counter,
    Database,
    FileOrId,
    FormatName,
    Number,
    Settings,
    Strategies,
    UserName,
)
from memviz.cli.output import (
    console,
    new_table,
    progress_of,
    say,
    write_json,
)
from memviz.cli.replaying import PricesOf
from memviz.cli.serving import DEFAULT_PORT
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import MemvizError
from memviz.core.text.visible import on_one_line
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


def explain_loss(
    conversation: FileOrId,
    phrase: Phrase = "",
    strategy: Strategies = None,
    settings: Settings = None,
    counter: Counter = None,
    format: FormatName = None,
    number: Number = None,
    user: UserName = None,
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

    source = _source(source_of(conversation, db, format, number, user), db, save)
    with progress_of("Looking at what was sent"):
        runs = runs_of(source, strategy, settings, counter or DEFAULT_COUNTER)
        try:
            losses = why(
                source.transcript, phrase, prices_of=prices_of.strip(), runs=runs
            )
        except NotSaidError as error:
            place = _other_conversation(conversation, phrase, format, user)
            raise NotSaidError(f"{error}{place}") from None
    links = [_link(source, loss) for loss in losses]
    if json:
        rows = []
        for loss, link in zip(losses, links, strict=True):
            rows.append({**loss.to_dict(), "link": link or None})
        write_json(rows)
    else:
        _print(runs, losses, links, is_list=not phrase.strip(), is_kept=bool(source.id))
    if any(loss.is_lost or loss.is_denied for loss in losses):
        raise Exit(FAILED)


def _other_conversation(
    given: str, phrase: str, format: str | None, user: str | None
) -> str:
    """The place in another conversation of the same file that has a phrase; empty where none has."""
    from memviz.tuning.why import says

    # What came through a pipe cannot be read again.
    if not Path(given).is_file():
        return ""
    loaded = load_all(given, format, user)
    for number, transcript in enumerate(loaded.transcripts, start=1):
        if not loaded.failures and says(transcript, phrase):
            return f" It is in conversation {number}: --conversation {number}."
    return ""


def _source(source: Source, db: str | None, save: bool) -> Source:
    """The conversation; where it is to be saved as the library has it, which it may have had before."""
    from memviz.storage.workspace import Workspace

    if source.id or not save:
        return source
    workspace = Workspace(db)
    (added,) = workspace.add_once([source.transcript])
    return replace(source, id=added.entry.id, workspace=workspace)


def runs_of(
    source: Source,
    named: Sequence[str] | None,
    settings: Sequence[str] | None,
    counter: str,
) -> list[Run]:
    """Return the run that the log records, where no strategy is named and it records one; else those of strategies."""
    from memviz.models.registry import model
    from memviz.tuning.recorded import recorded_run

    if not named and not settings:
        recorded = recorded_run(source.transcript, counter)
        if recorded is not None:
            return [recorded]
    summarizer = model(OFFLINE)
    return [
        source.run(strategy, counter, summarizer, None)
        for strategy in strategies_from(named or (), settings or ())
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
        out.print(on_one_line(sentence))
    for loss, link in zip(losses, links, strict=True):
        out.print()
        out.print(on_one_line(loss.run.strategy.label), style="bold")
        for sentence in life_sentences(loss):
            out.print("  " + on_one_line(sentence))
        _print_remedies(loss.remedies)
        if link:
            out.print(f"  {link}", soft_wrap=True)


def _print_remedies(remedies: Sequence[Remedy]) -> None:
    from memviz.dashboard.words.why import DOLLARS

    if not remedies:
        return
    keeping = [remedy for remedy in remedies if remedy.keeps]
    others = [remedy for remedy in remedies if not remedy.keeps]
    _print_table("  What would have kept it", keeping)
    _print_table("  What would not have", others)
    console().print("  " + DOLLARS)


def _print_table(heading: str, remedies: Sequence[Remedy]) -> None:
    from memviz.dashboard.words.why import remedy_words

    if not remedies:
        return
    table = new_table(heading, "price", "to try it", wrapped=["price"])
    for remedy in remedies:
        words = remedy_words(remedy)
        typed = "" if remedy.kind == "pin" else _argument_of(remedy.strategy)
        table.add_row("  " + on_one_line(words.what), words.price, typed)
    console().print(table)


def _argument_of(strategy: Strategy) -> str:
    """The option that names a setting; empty where none does, as for pipelines of several steps."""
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
        out.print(on_one_line(run.strategy.label), style="bold")
        losses_of_run = [loss for loss in losses if loss.run is run]
        if not losses_of_run:
            out.print("  No statement that was looked for is lost at the end.")
        for loss in losses_of_run:
            out.print("  " + on_one_line(statement_line(loss)))
    out.print("Only statements with a value are looked for: others may be lost too.")


def _link(source: Source, why: Why) -> str:
    """The address of the memory map at the request that lost it, with its message selected; empty for a file."""
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
