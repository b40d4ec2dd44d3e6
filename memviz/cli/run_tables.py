"""Runs as tables of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from memviz.cli.output import on_one_line
from memviz.core.context import PARTS_IN_USE, TOKEN_PARTS, Fate
from memviz.core.counters import ENCODING_FILES
from memviz.core.text.wording import cost_words, counted
from memviz.metrics.health import health_warnings
from memviz.metrics.requests.token_use import TokenUse, token_use
from memviz.metrics.summaries.authors import Author, authors_of
from memviz.metrics.summaries.compaction_words import compaction_words
from memviz.metrics.summaries.events import outcome_of
from memviz.models.names import in_words

if TYPE_CHECKING:
    from rich.console import Console

    from memviz.engine.compaction import Compaction
    from memviz.engine.run import Run

PARTS = (*TOKEN_PARTS[:-1], *PARTS_IN_USE, TOKEN_PARTS[-1])
"""The columns of tokens; what the protocol adds stands last. That of names is there only where anybody has one."""


def print_run(out: Console, run: Run) -> None:
    """A run: its tokens request by request, every compaction with its reason, the totals, and what is unhealthy."""
    out.print(on_one_line(run.strategy.label), style="bold")
    out.print(_requests(run))
    if run.compactions:
        out.print()
        out.print("Compactions", style="bold")
        for compaction in run.compactions:
            out.print(on_one_line(_compaction(run, compaction)))
    out.print()
    for line in (*_totals(token_use(run), run), *_reduced(run)):
        out.print(line)
    for warning in health_warnings(run):
        out.print(on_one_line(f"{warning.title}: {warning.numbers} {warning.remedy}"))


def print_totals(out: Console, runs: Iterable[Run]) -> None:
    """The totals of several runs, one a line."""
    columns = (
        "tokens sent",
        "at most",
        "summaries",
        "their tokens",
        "all tokens",
        "their cost",
    )
    table = _table("strategy", *columns)
    for run in runs:
        use = token_use(run)
        numbers = (
            use.sent_tokens,
            use.peak_tokens,
            use.summarizations,
            use.summarizer_tokens,
            use.all_tokens,
        )
        table.add_row(
            on_one_line(run.strategy.label),
            *(f"{n:,}" for n in numbers),
            _cost(use, run),
        )
    out.print(table)


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    table.add_column(first, justify="right" if first == "turn" else "left")
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _requests(run: Run) -> Table:
    """A row a request. Which call of its turn it is stands there only where a turn has several."""
    has_names = any("names" in record.tokens for record in run.requests)
    parts = [part for part in PARTS if part != "names" or has_names]
    table = _table(
        "turn", *(["call"] if run.has_calls else []), *parts, "total", "reply"
    )
    table.add_column("")
    for record in run.requests:
        place = (record.turn, record.call) if run.has_calls else (record.turn,)
        tokens = [record.tokens.get(part, 0) for part in parts]
        counts = [
            f"{count:,}"
            for count in (*place, *tokens, record.total_tokens, record.reply_tokens)
        ]
        table.add_row(*counts, _marks(record.compactions, record.flags))
    return table


def _marks(compactions: Sequence[Compaction], flags: Iterable[str]) -> str:
    marks = [_outcome(compaction) for compaction in compactions]
    return ", ".join([*marks, *(flag.replace("_", " ") for flag in flags)])


def _outcome(compaction: Compaction) -> str:
    return _name(compaction) if compaction.version else outcome_of(compaction).value


def _name(compaction: Compaction) -> str:
    """The summary that it wrote; notes of another kind by that kind."""
    return f"{on_one_line(compaction.track)} {compaction.version:,}"


def _compaction(run: Run, compaction: Compaction) -> str:
    sentence = compaction_words(compaction, run).sentence
    if not compaction.version:
        return sentence
    name = _name(compaction)
    return f"{sentence} {name[:1].upper()}{name[1:]} has a text of {counted(compaction.summary_tokens, 'token')}."


def _whose_tokens_differ(counter: str) -> str:
    return "any model but OpenAI's" if counter in ENCODING_FILES else "every model"


def _totals(use: TokenUse, run: Run) -> Iterable[str]:
    turns = f" in {counted(len(run.turns), 'turn')}" if run.has_calls else ""
    yield (
        f"Sent: {counted(use.sent_tokens, 'token')} in {counted(use.requests, 'request')}{turns}, "
        f"{use.mean_tokens:,.0f} on average, {use.peak_tokens:,} at most ({use.peak_name}). "
        f"Replies: {counted(use.reply_tokens, 'token')}. Counted with {on_one_line(run.counter.name)}, "
        f"approximate for {_whose_tokens_differ(run.counter.name)}."
    )
    if use.summarizer_calls:
        models = (
            ", ".join(sorted({_writer(c) for c in run.compactions if c.model}))
            or "none answered"
        )
        failed = (
            f", {use.failed_summarizations:,} failed"
            if use.failed_summarizations
            else ""
        )
        yield (
            f"Summarizer ({models}): {counted(use.summarizer_calls, 'call')}{failed}; "
            f"{use.summarizer_prompt_tokens:,} tokens in, {use.summarizer_output_tokens:,} out; cost {_cost(use, run)}."
        )


def _reduced(run: Run) -> Iterable[str]:
    """How many messages the last request sends with less in them, if any request did so."""
    if any(
        piece.form is not None
        for record in run.requests
        for piece in record.parts.messages
    ):
        fates = run.fates_at(run.requests[-1])
        cleared, shortened = (
            int((fates == fate).sum()) for fate in (Fate.CLEARED, Fate.SHORTENED)
        )
        yield (
            f"In the last request {counted(cleared, 'message')} cleared (sent as a placeholder or without arguments) "
            f"and {shortened:,} shortened."
        )


def _writer(compaction: Compaction) -> str:
    """The model that summarized, and whether a recording played it."""
    return on_one_line(in_words(compaction.model)) + " (recorded)" * compaction.recorded


def _cost(use: TokenUse, run: Run) -> str:
    return cost_words(
        use.summarizer_cost_usd, recorded=Author.RECORDED in authors_of(run)
    )
