"""Facts as HTML: those of a version of notes, and those that a rule looked up for a request."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from memviz.core import page_titles
from memviz.core.context import Block
from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.pieces import Line, Quote
from memviz.core.text.wording import counted, message_number
from memviz.core.translation import _, noop
from memviz.dashboard.markup import element, in_language, joined
from memviz.dashboard.ui.controls.message_html import formed_html, message_html
from memviz.dashboard.words.requests import role_name
from memviz.engine.records import TurnRecord
from memviz.metrics.retention.knowledge import FactState
from memviz.metrics.summaries.facts import FactLine, FactsVersion

SOURCE_CHARS = 600
WHOLE_MESSAGE = noop("the {library} shows the whole message")
_COUNTS = {
    "added": noop("{number:,} added"),
    "replaced": noop("{number:,} replaced"),
    "kept": noop("{number:,} kept"),
    "removed": noop("{number:,} removed"),
}
_SIGNS = {"added": "+", "replaced": "±", "kept": "=", "removed": "-"}


def facts_html(version: FactsVersion, log: Log) -> Markup:
    """Return all facts of a version, each with its source, and those that it removed."""
    lines = [joined([_text(line), _source(line, log)]) for line in version.lines]
    lines += map(_removed_html, version.removed)
    return counts_html(version) + _list_html(lines)


def changed_facts_html(version: FactsVersion) -> Markup:
    """Return the facts that a version added, replaced and removed, without those that it kept."""
    lines = [_text(line) for line in version.lines if line.change != "kept"]
    lines += map(_removed_html, version.removed)
    counts = counts_html(version)
    return counts + _list_html(lines) if lines else counts


def _list_html(lines: Iterable[Markup]) -> Markup:
    items = joined(element("li", line) for line in lines)
    return element("ul", items, class_="memviz-fact-lines")


def counts_html(version: FactsVersion) -> Markup:
    """Return ``12 facts: 3 added · 1 replaced · 8 kept · 2 removed``."""
    numbers = Counter[str](line.change for line in version.lines)
    numbers["removed"] = len(version.removed)
    counts = []
    for change, template in _COUNTS.items():
        if numbers[change]:
            counts.append(_(template, number=numbers[change]))
    words = _(": {counts}", counts=" · ".join(counts)) if counts else ""
    facts = element("b", counted(version.lines, "fact"))
    return element("p", facts, words, class_="memviz-note")


def _text(line: FactLine) -> Markup:
    """Return the fact; what it replaced is struck through before it."""
    text = in_language(line.text)
    if line.change == "added":
        text = element("ins", text)
    elif line.change == "replaced":
        before = element("del", in_language(line.replaces))
        text = joined([before, " ", element("ins", text)])
    return joined([_sign(line.change), text])


def _removed_html(text: str) -> Markup:
    return joined([_sign("removed"), element("del", in_language(text))])


def _sign(change: str) -> Markup:
    return element("span", _SIGNS[change], aria_hidden="true") + " "


def _source(line: FactLine, log: Log) -> Markup:
    """Return why a fact is remembered, on a click."""
    since = _("since version {since:,}", since=line.since)
    if line.source is None:
        return element(
            "small", _("{since}; no message holds half of its words", since=since)
        )
    message = log[line.source]
    where = _(
        "message {number:,} ({role}, turn {turn:,})",
        number=message_number(line.source),
        role=role_name(message.role),
        turn=log.turn_number(line.source),
    )
    share = _("All words of the fact stand in that message.")
    if line.share < 1:
        share = _(
            "{share:.0%} of the fact's words stand in that message, where numbers and names count more than "
            "others.",
            share=line.share,
        )
    whole = _(WHOLE_MESSAGE, library=_(page_titles.LIBRARY))
    return element(
        "details",
        element("summary", _("Why? From {where}, {since}", where=where, since=since)),
        element("small", share),
        message_html(message, "", whole, SOURCE_CHARS),
    )


def of_version(
    versions: Sequence[FactsVersion], number: int | None
) -> FactsVersion | None:
    """Return the facts of the version of this number; ``None`` where it holds none."""
    for facts in versions:
        if facts.version.version == number:
            return facts
    return None


def facts_line_of(block: Block, record: TurnRecord) -> Line | None:
    """Return the facts that a block tells, if they were looked up among the notes."""
    for piece in record.parts.pieces:
        if isinstance(piece, Line) and piece.quotes:
            if block.messages == (piece.message,):
                return piece
    return None


def facts_line_html(line: Line, record: TurnRecord) -> Iterator[Markup]:
    """Yield the facts of a line, each under its turn, its score and the fact that it contradicts."""
    heading, *facts = line.message.content.split("\n")
    yield message_html(Message("system", heading))
    scores = {quote.number: quote.score for quote in line.quotes}
    for quote, fact in zip(line.quotes, facts, strict=True):
        conflicts = list(_conflict_words(quote, record, scores))
        head = " · ".join([_fact_words(quote, record), *conflicts])
        html = message_html(Message("system", fact), head)
        yield formed_html(FactState.CONTRADICTED.color, html) if conflicts else html


def _fact_words(quote: Quote, record: TurnRecord) -> str:
    """Return where a fact comes from, and how much of the question it holds."""
    version = record.memory.space.summaries.versions[quote.version]
    return _(
        "fact {number:,}, from turn {turn:,} · score {score:.1f}",
        number=quote.number,
        turn=version.turn,
        score=quote.score,
    )


def _conflict_words(
    quote: Quote, record: TurnRecord, scores: Mapping[int, float]
) -> Iterator[str]:
    """Yield which fact says that this one holds no longer, and which one it says that of, with their ``scores`` where
    they are sent as well."""
    index = record.memory.space.summaries.fact_index()
    count = index.count(record.memory.summary_count)
    newer = index.replaced_by(quote.number, count)
    if newer is not None and newer in scores:
        yield _(
            "outdated: fact {other:,}, which is sent beside it with score {score:.1f}, replaces it",
            other=newer,
            score=scores[newer],
        )
    elif newer is not None:
        yield _("outdated: fact {other:,}, which is not sent, replaces it", other=newer)
    older = index.facts[quote.number - 1].replaces
    if older is not None and older in scores:
        yield _(
            "replaces fact {other:,}, which is sent beside it with score {score:.1f}",
            other=older,
            score=scores[older],
        )
