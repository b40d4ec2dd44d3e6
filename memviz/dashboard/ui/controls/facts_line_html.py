"""The facts that a rule looked up for a request, as HTML: each with its turn, its score and what it contradicts."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup

from memviz.core.context import Block
from memviz.core.messages import Message
from memviz.core.pieces import Line, Quote
from memviz.core.translation import _
from memviz.dashboard.ui.controls.message_html import MORE, formed_html, message_html
from memviz.engine.records import TurnRecord
from memviz.metrics.retention.knowledge import FactState


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
    yield message_html(Message("system", heading), "", "")
    scores = {quote.number: quote.score for quote in line.quotes}
    for quote, fact in zip(line.quotes, facts, strict=True):
        conflicts = list(_conflict_words(quote, record, scores))
        head = " · ".join([_fact_words(quote, record), *conflicts])
        html = message_html(Message("system", fact), head, _(MORE))
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
    summaries = record.memory.space.summaries
    index = summaries.fact_index()
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
