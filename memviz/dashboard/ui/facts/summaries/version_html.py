"""The facts of one summarization and the messages it took in, as HTML. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from memviz.core.text.language import lang_attribute
from memviz.core.text.wording import (
    cost_words,
    counted,
    message_number,
    message_range,
    seconds_words,
)
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.summaries.marks import cache_words
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.requests.message_words import call_text
from memviz.metrics.summaries.authors import Author, summary_author
from memviz.metrics.summaries.compaction_words import (
    after_failure_words,
    compaction_words,
    request_title,
    size_words,
)
from memviz.metrics.summaries.events import CompactionEvent, grows_a_list
from memviz.metrics.summaries.evolution import VersionFacts

MAX_MESSAGES_SHOWN = 60
MAX_UNSOURCED_SHOWN = 30


def facts_html(run: Run, event: CompactionEvent, facts: VersionFacts | None) -> str:
    """What happened, as names and values; ``facts`` is ``None`` where no version came of it."""
    rows = [
        *_moment_rows(run, event),
        *_version_rows(run, event, facts),
        *_call_rows(event.compaction),
    ]
    if event.version:
        rows.append(("Written by", _writer(event)))
    body = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows
    )
    return f'<dl class="memviz-facts">{body}</dl>'


def messages_html(run: Run, positions: range) -> str:
    """The messages at these log positions; of many only the first."""
    shown = "".join(
        _message(run, position) for position in positions[:MAX_MESSAGES_SHOWN]
    )
    hidden = len(positions) - MAX_MESSAGES_SHOWN
    more = f"<small>and {counted(hidden, 'message')} more</small>" if hidden > 0 else ""
    return f'<section class="memviz-block" style="border-left-color: {PART_COLORS["history"]}">{shown}{more}</section>'


def _moment_rows(run: Run, event: CompactionEvent) -> Iterator[tuple[str, str]]:
    compaction, sums = event.compaction, run.space.sums
    words = compaction_words(compaction, run)
    yield "When", words.where
    if words.why:
        yield "Why", words.why
    taken = compaction.summarized
    if taken:
        name = "Newly taken in" if event.version else "Was about"
        yield (
            name,
            f"{message_range(taken)} ({sums.between(taken.start, taken.stop):,} tokens)",
        )


def _version_rows(
    run: Run, event: CompactionEvent, facts: VersionFacts | None
) -> Iterator[tuple[str, str]]:
    compaction = event.compaction
    if event.version and facts:
        yield (
            "Stands for",
            f"{message_range(event.version.covers)} ({counted(facts.covered_tokens, 'token')})",
        )
        yield "Took the place of", _place(run, event)
        yield (
            "Its text",
            f"{counted(facts.tokens, 'token')}, without the heading that it is sent under",
        )
    if event.version or compaction.changes_memory:
        yield request_title(compaction, run), size_words(compaction, run)
    if cost := cache_words(compaction, run):
        yield "Prompt cache", cost
    if compaction.policy != "leave":
        yield "If the summarizer fails", after_failure_words(compaction)
    if facts and facts.origin.unsourced:
        words = facts.origin.unsourced
        more = (
            f" and {len(words) - MAX_UNSOURCED_SHOWN} more"
            if len(words) > MAX_UNSOURCED_SHOWN
            else ""
        )
        yield (
            "Words found in nothing it read",
            ", ".join(words[:MAX_UNSOURCED_SHOWN]) + more,
        )
    if facts and facts.nested_headings:
        yield (
            "Summaries inside it",
            f"{counted(facts.nested_headings, 'heading')} of an earlier summary, copied",
        )


def _place(run: Run, event: CompactionEvent) -> str:
    if event.base:
        return f"version {event.base}"
    return (
        "nothing: it joined the list"
        if grows_a_list(run)
        else "nothing: it is the first"
    )


def _call_rows(compaction: Compaction) -> Iterator[tuple[str, str]]:
    if compaction.asked:
        yield (
            "Summarizer call",
            f"{counted(compaction.prompt_tokens, 'token')} in, {compaction.output_tokens:,} out",
        )
        yield "Took", seconds_words(compaction.seconds)
        yield "Cost", cost_words(compaction.cost, recorded=compaction.recorded)


def _writer(event: CompactionEvent) -> str:
    who = event.what.value.removeprefix("written by ")
    author = summary_author(event.compaction)
    model = (
        "" if author is Author.STAND_IN else event.compaction.model
    )  # its badge is its name
    said = [words for words in (model, author.value if author else "") if words]
    return f"{who} ({', '.join(said)})" if said else who


def _message(run: Run, position: int) -> str:
    message, tokens = run.log[position], run.space.sums.between(position, position + 1)
    return "".join(
        _lines(
            f"{message.role} · message {message_number(position):,} · {counted(tokens, 'token')}",
            message.content,
            map(call_text, message.tool_calls),
        )
    )


def _lines(head: str, content: str, calls: Iterable[str]) -> Iterator[str]:
    yield f"<small>{escape(head)}</small>"
    if content:
        more = "…" if len(content) > MAX_CHARS_SHOWN else ""
        yield f"<p{lang_attribute(content)}>{escape(content[:MAX_CHARS_SHOWN])}{more}</p>"
    for call in calls:
        yield f"<code>{escape(call)}</code>"
