"""The names and values of one version of a summary, and the messages that it took in."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from memviz.core.text.wording import (
    COMMA,
    cost_words,
    counted,
    message_number,
    message_range,
    seconds_words,
)
from memviz.core.text.words import detect_language
from memviz.core.translation import _
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.summaries.marks import cache_words
from memviz.dashboard.markup import element, joined, section
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.dashboard.words.authors import author_words
from memviz.dashboard.words.compactions import (
    after_failure_words,
    compaction_words,
    request_title,
    size_words,
    writer_words,
)
from memviz.dashboard.words.requests import call_text, role_name
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.events import (
    Author,
    CompactionEvent,
    grows_a_list,
    name_summary_author,
)
from memviz.metrics.summaries.evolution import VersionFacts

MAX_MESSAGES_SHOWN = 60
MAX_UNSOURCED_SHOWN = 30


def facts_html(run: Run, event: CompactionEvent, facts: VersionFacts | None) -> Markup:
    """Return what happened, as names and values; ``facts`` is ``None`` where no version came of it."""
    rows = [
        *_moment_rows(run, event),
        *_version_rows(run, event, facts),
        *_call_rows(event.compaction),
    ]
    if event.version:
        rows.append((_("Written by"), _writer(event)))
    body = []
    for name, value in rows:
        body += [element("dt", name), element("dd", value)]
    return element("dl", *body, class_="memviz-facts")


def messages_html(run: Run, positions: range) -> Markup:
    """Return the messages at these log positions; of many only the first."""
    shown = [_message(run, position) for position in positions[:MAX_MESSAGES_SHOWN]]
    hidden = len(positions) - MAX_MESSAGES_SHOWN
    if hidden > 0:
        more = _("and {messages} more", messages=counted(hidden, "message"))
        shown.append(element("small", more))
    return section(PART_COLORS["history"], *shown)


def _moment_rows(run: Run, event: CompactionEvent) -> Iterator[tuple[str, str]]:
    compaction = event.compaction
    sums = run.space.sums
    words = compaction_words(compaction, run)
    yield _("When"), words.where
    if words.why:
        yield _("Why"), words.why
    sources = compaction.summarized
    if sources:
        name = _("Newly taken in") if event.version else _("Was about")
        yield (
            name,
            _(
                "{messages} ({tokens:,} tokens)",
                messages=message_range(sources),
                tokens=sums.between(sources.start, sources.stop),
            ),
        )


def _version_rows(
    run: Run, event: CompactionEvent, facts: VersionFacts | None
) -> Iterator[tuple[str, str]]:
    compaction = event.compaction
    if event.version and facts:
        yield (
            _("Stands for"),
            _(
                "{messages} ({tokens})",
                messages=message_range(event.version.covers),
                tokens=counted(facts.covered_tokens, "token"),
            ),
        )
        yield _("Took the place of"), _place(run, event)
        yield (
            _("Its text"),
            _(
                "{tokens}, without the heading that it is sent under",
                tokens=counted(facts.tokens, "token"),
            ),
        )
    if event.version or compaction.changes_memory:
        yield request_title(compaction, run), size_words(compaction, run)
    if cost := cache_words(compaction, run):
        yield _("Prompt cache"), cost
    if compaction.policy != "leave":
        yield _("If the summarizer fails"), after_failure_words(compaction)
    if facts and facts.origin.unsourced:
        yield _("Words found in nothing it read"), _unsourced(facts.origin.unsourced)
    if facts and facts.nested_headings:
        yield (
            _("Summaries inside it"),
            _(
                "{headings} of an earlier summary, copied",
                headings=counted(facts.nested_headings, "heading"),
            ),
        )


def _unsourced(words: Sequence[str]) -> str:
    first_words = _(COMMA).join(words[:MAX_UNSOURCED_SHOWN])
    more = len(words) - MAX_UNSOURCED_SHOWN
    return (
        _("{words} and {number} more", words=first_words, number=more)
        if more > 0
        else first_words
    )


def _place(run: Run, event: CompactionEvent) -> str:
    if event.compaction.base:
        return _("version {number}", number=event.compaction.base)
    if grows_a_list(run):
        return _("nothing: it joined the list")
    return _("nothing: it is the first")


def _call_rows(compaction: Compaction) -> Iterator[tuple[str, str]]:
    if compaction.asked:
        yield (
            _("Summarizer call"),
            _(
                "{tokens} in, {output:,} out",
                tokens=counted(compaction.prompt_tokens, "token"),
                output=compaction.output_tokens,
            ),
        )
        yield _("Took"), seconds_words(compaction.seconds)
        yield _("Cost"), cost_words(compaction.cost, recorded=compaction.recorded)


def _writer(event: CompactionEvent) -> str:
    who = writer_words(event.what)
    author = name_summary_author(event.compaction)
    names = []
    if author is not Author.STAND_IN and event.compaction.model:
        names.append(event.compaction.model)  # the built-in model's badge is its name
    if author is not None:
        names.append(author_words(author))
    if not names:
        return who
    return _("{writer} ({model})", writer=who, model=_(COMMA).join(names))


def _message(run: Run, position: int) -> Markup:
    message = run.log[position]
    content = message.content
    head = _(
        "{role} · message {number:,} · {tokens}",
        role=role_name(message.role),
        number=message_number(position),
        tokens=counted(run.space.sums.between(position, position + 1), "token"),
    )
    lines = [element("small", head)]
    if content:
        more = "…" if len(content) > MAX_CHARS_SHOWN else ""
        shown = content[:MAX_CHARS_SHOWN]
        lines.append(element("p", shown, more, lang=detect_language(content)))
    lines += [element("code", call_text(call)) for call in message.tool_calls]
    return joined(lines)
