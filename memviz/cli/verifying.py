"""``memviz verify``: the books of what was sent, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Exit, Option

from memviz.cli.errors import FAILED
from memviz.cli.inputs import source_of
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
from memviz.cli.output import progress_of, say, write_json
from memviz.cli.why import runs_of
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.text.wording import counted

if TYPE_CHECKING:
    from memviz.engine.run import Run
    from memviz.metrics.verify import Breach

Factor = Annotated[
    float,
    Option(
        "--factor",
        min=1.0,
        help="How many times as large as the other one a count on record and memviz's own may be.",
    ),
]


def verify_log(
    conversation: FileOrId,
    strategy: Strategies = None,
    settings: Settings = None,
    counter: Counter = None,
    format: FormatName = None,
    number: Number = None,
    user: UserName = None,
    factor: Factor = 2.0,
    json: AsJson = False,
    db: Database = None,
) -> None:
    """Check what each request held: one fate a message, a rule for every drop, calls for results, honest counts.

    Of a log that holds its program's own compactions these requests are checked, and the tokens that the program
    counted, or recorded beside a reply, are compared with memviz's; else those that hold everything so far, and with
    -s those of a strategy.
    One line a breach, with its requests; the exit code is 1 where there is one, 2 after an error.

    \b
    Examples:
      memviz verify session.jsonl
      memviz verify sample-agent -s window -s summary_buffer:max_token_limit=500
    """
    from memviz.metrics.verify import tokens_not_in_log, verify
    from memviz.tuning.recorded import Recorded

    source = source_of(conversation, db, format, number, user)
    # Where the log records no compactions everything was sent, and a breach is the log's.
    is_recorded = any(one.kind == "compaction" for one in source.transcript.events)
    is_of_log = not strategy and not settings
    if is_of_log and not is_recorded:
        strategy = ["buffer"]
    books: list[_Books] = []
    with progress_of("Checking what was sent"):
        for run in runs_of(source, strategy, settings, counter or DEFAULT_COUNTER):
            events = run.strategy.events if isinstance(run.strategy, Recorded) else ()
            breaches = verify(
                run, events=events, factor=factor, usage_is_of_log=is_of_log
            )
            unseen = tokens_not_in_log(run, events, usage_is_of_log=is_of_log)
            books.append(_Books(run, breaches, unseen))
    if json:
        write_json([_as_json(one) for one in books])
    else:
        for one in books:
            _say_breaches(one)
    if any(one.breaches for one in books):
        raise Exit(FAILED)


class _Books(NamedTuple):
    """A run, and what is wrong in it."""

    run: Run
    breaches: tuple[Breach, ...]
    unseen_tokens: int


def _as_json(books: _Books) -> dict[str, object]:
    from memviz.dashboard.words.warning import breach_words

    breaches = [
        {**breach.to_dict(), "text": breach_words(books.run, breach)}
        for breach in books.breaches
    ]
    value: dict[str, object] = {
        "strategy": books.run.strategy.label,
        "requests": len(books.run.requests),
        "breaches": breaches,
    }
    if books.unseen_tokens:
        value["tokens_not_in_log"] = books.unseen_tokens
    return value


def _say_breaches(books: _Books) -> None:
    from memviz.dashboard.words.warning import breach_lines, unseen_words

    requests = counted(books.run.requests, "request")
    label = books.run.strategy.label
    if books.breaches:
        say(f"{label}: {len(books.breaches):,} found wrong in {requests}.")
    else:
        say(f"{label}: {requests}, nothing is wrong.")
    for line in breach_lines(books.run, books.breaches):
        say(f"- {line}")
    if books.unseen_tokens:
        say(unseen_words(books.unseen_tokens))
