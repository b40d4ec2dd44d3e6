"""``memviz verify``: the books of what was sent, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Exit, Option

from memviz.cli.errors import FAILED
from memviz.cli.option_groups import take_groups
from memviz.cli.options import (
    AsJson,
    Counter,
    Database,
    FileOptions,
    FileOrId,
    StrategyOptions,
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


@take_groups
def verify_log(
    conversation: FileOrId,
    *,
    strategies: StrategyOptions,
    counter: Counter = None,
    reading: FileOptions,
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
    source = reading.find_source(conversation, db)
    is_of_log = strategies.is_empty
    event_kinds = {event.kind for event in source.transcript.events}
    if is_of_log and "compaction" not in event_kinds:
        # Where the log records no compaction everything was sent, and a breach is the log's.
        strategies = StrategyOptions(["buffer"])
    with progress_of("Checking what was sent"):
        runs = runs_of(source, strategies, counter or DEFAULT_COUNTER)
        books = [_check_run(run, factor, is_of_log=is_of_log) for run in runs]
    if json:
        write_json([_as_json(run_books) for run_books in books])
    else:
        for run_books in books:
            _say_breaches(run_books)
    if any(run_books.breaches for run_books in books):
        raise Exit(FAILED)


class _Books(NamedTuple):
    """A run, and what is wrong in it."""

    run: Run
    breaches: tuple[Breach, ...]
    unseen_tokens: int
    """Tokens that the program counted and that are not in the log."""


def _check_run(run: Run, factor: float, *, is_of_log: bool) -> _Books:
    """Return the run with its breaches; ``is_of_log`` where the tokens that the log records are those of this run."""
    from memviz.metrics.verify import count_tokens_not_in_log, verify
    from memviz.tuning.recorded import Recorded

    events = run.strategy.events if isinstance(run.strategy, Recorded) else ()
    breaches = verify(run, events=events, factor=factor, usage_is_of_log=is_of_log)
    unseen_tokens = count_tokens_not_in_log(run, events, usage_is_of_log=is_of_log)
    return _Books(run, breaches, unseen_tokens)


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
