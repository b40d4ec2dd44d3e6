"""The life of each fact under one setting: a row a fact, a column a request, and the summarization that ended it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from memviz.charts.figure import figure_over_turns
from memviz.charts.palette import PART_COLORS, SUMMARIZATION_LINE, faded
from memviz.charts.retention.knowledge_words import (
    KNOWLEDGE_COLORS,
    KNOWLEDGE_TITLES,
    PATTERNS,
    SHOWN,
    STATE_WORDS,
    fact_label,
)
from memviz.charts.retention.result import RetentionResult
from memviz.charts.summaries.marks import compaction_tooltip, request_mark
from memviz.charts.thinning import Texts
from memviz.charts.turn_axis import axis_ticks, axis_title, last_place, turn_partings
from memviz.engine.compaction import Compaction
from memviz.metrics.requests.request_axis import RequestAxis, request_turns
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import LifeLine, Span
from memviz.metrics.summaries.compaction_words import act_noun
from memviz.text.wording import (
    message_number,
    message_range,
    request_name,
    request_span,
)

MARGINS = {"l": 126, "r": 8, "t": 26, "b": 44}
"""At the top the button that saves the picture stands, which must not cover a diamond."""
"""Room for the names of the facts on the left: short ones, so that a phone has room for the lives too."""
LABEL_CHARS = 17
TOOLTIP_CHARS = 66
ROW_PIXELS, LEAST_ROW_PIXELS, ROWS_PIXELS = 26, 17, 345
BAR_WIDTH = 0.62
MOST_LINES, MOST_LINES_SHARE = 30, 0.5
"""Of more summarizations than this, or at more than this share of the requests, only those that took the selected fact
have lines down through the rows."""
STRIP = -1.0
"""The place of the marks of summarizations, above the first row (0)."""
STRIP_TITLE, STRIP_TITLE_OF_RULES = "<i>summarized</i>", "<i>changed</i>"
"""Its title where every mark is a summarization, and where a rule cleared, shortened or dropped messages."""
Trace = dict[str, Any]


class _Row(NamedTuple):
    place: int
    life: LifeLine


def by_birth(lives: Sequence[LifeLine]) -> list[LifeLine]:
    """The lives in the order in which their facts were stated, those without evidence first."""
    return sorted(
        lives,
        key=lambda life: (
            life.born_position is not None,
            life.born_position or 0,
            life.probe,
        ),
    )


def life_lines_of(
    kept: RetentionResult,
    lives: Sequence[LifeLine],
    selected: int | None = None,
    event: int | None = None,
) -> go.Figure:
    """The rows of ``lives``, from top to bottom. The row of probe ``selected`` is marked, and the place of compaction
    ``event``. What can be clicked says what it is (customdata): bars and births the number of their probe; crosses the
    number of their probe and that of the compaction (-1: none); diamonds -1 and the number of the compaction."""
    rows = [_Row(place, life) for place, life in enumerate(lives)]
    pixels = max(
        LEAST_ROW_PIXELS, min(ROW_PIXELS, ROWS_PIXELS // max(1, len(rows)))
    ) * (len(rows) + 1.5)
    traces = [
        *_summarizations(kept, len(rows), selected),
        *_chosen(kept, len(rows), event),
        *_bars(kept, rows),
        *_births(kept, rows),
        *_deaths(kept, rows),
    ]
    return figure_over_turns(traces, _layout(kept, rows, selected, round(pixels)))


def _layout(
    kept: RetentionResult, rows: Sequence[_Row], selected: int | None, pixels: int
) -> dict[str, Any]:
    axis = RequestAxis.of([kept.retention.turns])
    labels = [fact_label(_fact(kept, row.life)[0], "", LABEL_CHARS) for row in rows]
    bold = [
        f"<b>{text}</b>" if row.life.probe == selected else text
        for row, text in zip(rows, labels, strict=True)
    ]
    marked = [row.place for row in rows if row.life.probe == selected]
    return {
        "xaxis": {
            "automargin": False,
            "title": {"text": axis_title(axis), "standoff": 8},
            "range": [0.4, last_place(axis) + 0.8],
            "showgrid": False,
            "zeroline": False,
            **axis_ticks(axis),
        },
        "yaxis": {
            "automargin": False,
            "range": [len(rows) - 0.4, STRIP - 0.7],
            "fixedrange": True,
            "tickvals": [STRIP, *(row.place for row in rows)],
            "ticktext": [_strip_title(kept), *bold],
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
        },
        "shapes": [*turn_partings(axis), *(_band(place) for place in marked)],
        "barmode": "overlay",
        "bargap": 0,
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": pixels + MARGINS["t"] + MARGINS["b"],
        "margin": MARGINS,
        "uirevision": "lives",
    }


def _strip_title(kept: RetentionResult) -> str:
    symbols = {
        look.symbol
        for compaction in kept.run.compactions
        if (look := request_mark(compaction)) is not None
    }
    if not symbols:
        return ""
    return STRIP_TITLE if symbols <= {"diamond", "x"} else STRIP_TITLE_OF_RULES


def mark_color(compaction: Compaction) -> str:
    """The colour of what a compaction did, darker for a summarization than on charts of tokens."""
    look = request_mark(compaction)
    return (
        SUMMARIZATION_LINE if look is None or look.symbol == "diamond" else look.color
    )


def _band(place: int) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": place - 0.5,
        "y1": place + 0.5,
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": faded(PART_COLORS["system"], 0.14),
    }


def _fact(kept: RetentionResult, life: LifeLine) -> tuple[tuple[str, ...], str]:
    probe = kept.retention.probes[life.probe]
    return probe.answers, probe.question


def _bars(kept: RetentionResult, rows: Sequence[_Row]) -> Iterator[Trace]:
    """One trace a state."""
    for state in SHOWN:
        spans = [
            (row, span)
            for row in rows
            for span in row.life.spans
            if span.state == state
        ]
        if spans:
            yield {
                "type": "bar",
                "orientation": "h",
                "name": KNOWLEDGE_TITLES[state],
                "width": BAR_WIDTH if state.is_known else BAR_WIDTH / 3,
                "y": [row.place for row, _ in spans],
                "base": [span.first_place - 0.5 for _, span in spans],
                "x": [span.last_place - span.first_place + 1 for _, span in spans],
                "marker": {
                    "color": KNOWLEDGE_COLORS[state],
                    "line": {"width": 0},
                    **(
                        {"pattern": {"shape": PATTERNS[state]}}
                        if state in PATTERNS
                        else {}
                    ),
                },
                "customdata": [row.life.probe for row, _ in spans],
                "hovertext": [
                    f"{_head(kept, row.life)}<br>{span_words(span)}"
                    for row, span in spans
                ],
                "hoverinfo": "text",
                "textposition": "none",
                "selected": {"marker": {"opacity": 1}},
                "unselected": {"marker": {"opacity": 1}},
            }


def _head(kept: RetentionResult, life: LifeLine) -> str:
    answers, question = _fact(kept, life)
    return f"<b>{fact_label(answers, question, TOOLTIP_CHARS)}</b>"


def span_words(span: Span) -> str:
    """``in the summary from turn 22 to 29``."""
    return f"{STATE_WORDS[span.state]} {request_span(span.first, span.last)}"


def _births(kept: RetentionResult, rows: Sequence[_Row]) -> Iterator[Trace]:
    born = [
        (row, row.life.spans[0].first_place)
        for row in rows
        if row.life.spans and row.life.born_turn is not None
    ]
    if born:
        texts = [
            f"{_head(kept, row.life)}<br>stated in message {message_number(row.life.born_position or 0):,} "
            f"(turn {row.life.born_turn})"
            for row, _ in born
        ]
        yield _points(born, [place - 0.5 for _, place in born], texts, "stated") | {
            "marker": {
                "symbol": "circle",
                "size": 7,
                "color": PART_COLORS["history"],
                "line": {"width": 1.5, "color": "#FFFFFF"},
            },
        }


def _deaths(kept: RetentionResult, rows: Sequence[_Row]) -> Iterator[Trace]:
    """A cross in the colour of what took a fact (violet for a summarization), a grey one where it fell out of what is
    sent. One that was lost from its first request on was never there to be lost."""
    lost = [
        (row, span)
        for row in rows
        for span in row.life.spans[1:]
        if span.state is Knowledge.LOST
    ]
    if lost:
        by = [kept.losses.get((row.life.probe, span.first_place)) for row, span in lost]
        texts = [
            _loss(kept, row.life, span, number)
            for (row, span), number in zip(lost, by, strict=True)
        ]
        yield _points(
            lost, [span.first_place - 0.5 for _, span in lost], texts, "lost"
        ) | {
            "customdata": [
                [row.life.probe, -1 if at is None else at]
                for (row, _), at in zip(lost, by, strict=True)
            ],
            "marker": {
                "symbol": "x",
                "size": [9 if number is None else 12 for number in by],
                "color": [_cross_color(kept, number) for number in by],
                "line": {"width": 1, "color": "#FFFFFF"},
            },
        }


def _cross_color(kept: RetentionResult, number: int | None) -> str:
    return (
        PART_COLORS["system"]
        if number is None
        else mark_color(kept.run.compactions[number])
    )


def _points(
    rows: Sequence[tuple[_Row, object]],
    x: Sequence[float],
    texts: Sequence[str],
    name: str,
) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": [row.place for row, _ in rows],
        "customdata": [row.life.probe for row, _ in rows],
        "text": texts,
        "hoverinfo": "text",
        "cliponaxis": False,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _loss(kept: RetentionResult, life: LifeLine, span: Span, number: int | None) -> str:
    head = f"{_head(kept, life)}<br><b>lost at {request_name(*span.first)}</b>"
    if number is None:
        return f"{head}: the last message that held it is no longer sent"
    compaction = kept.run.compactions[number]
    return f"{head}: left out by the {act_noun(compaction)} of {message_range(compaction.summarized)}"


def _summarizations(
    kept: RetentionResult, rows: int, selected: int | None
) -> Iterator[Trace]:
    """Marks above the rows at the left edge of the first request that each compaction changed."""
    found = _marks(kept)
    if not found:
        return
    few = len({x for x, *_ in found}) <= min(
        MOST_LINES, MOST_LINES_SHARE * len(kept.run.requests)
    )
    taking = {
        by
        for (probe, _), by in kept.losses.items()
        if probe == selected and by is not None
    }
    settings = [x for x, number, _ in found if few or number in taking]
    if settings:
        yield {
            "type": "scatter",
            "mode": "lines",
            "hoverinfo": "skip",
            "name": "summarization lines",
            "line": {"width": 1, "color": faded(SUMMARIZATION_LINE, 0.6)},
            "x": [value for x in settings for value in (x, x, None)],
            "y": [value for _ in settings for value in (STRIP, rows - 0.5, None)],
        }
    looks = [
        look
        for *_, compaction in found
        if (look := request_mark(compaction)) is not None
    ]
    yield {
        "type": "scatter",
        "mode": "markers",
        "name": "summarizations",
        "cliponaxis": False,
        "x": [x for x, *_ in found],
        "y": [STRIP] * len(found),
        "customdata": [[-1, number] for _, number, _ in found],
        "marker": {
            "symbol": [look.symbol for look in looks],
            "size": 12 if few else 6,
            "color": [mark_color(compaction) for *_, compaction in found],
        },
        "text": Texts(
            found,
            lambda mark: compaction_tooltip(
                kept.setting.label, mark[2], TOOLTIP_CHARS, kept.run
            ),
        ),
        "hoverinfo": "text",
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _marks(kept: RetentionResult) -> list[tuple[float, int, Compaction]]:
    """The place of every compaction that has a mark, its number, and itself."""
    turns = request_turns(kept.run)
    places = RequestAxis.of([turns]).places(turns).tolist()
    return [
        (places[number] - 0.5, kept.run.number_of(compaction), compaction)
        for number, made in kept.run.requests.compactions()
        for compaction in made
        if request_mark(compaction) is not None
    ]


def _chosen(kept: RetentionResult, rows: int, event: int | None) -> Iterator[Trace]:
    """A line down the rows where the chosen compaction was, with a ring around its mark."""
    for x, number, compaction in _marks(kept):
        look = request_mark(compaction)
        if number == event and look is not None:
            line = {"color": mark_color(compaction), "width": 2.5}
            yield {
                "type": "scatter",
                "mode": "lines",
                "hoverinfo": "skip",
                "name": "chosen line",
                "line": line,
                "x": [x, x],
                "y": [STRIP, rows - 0.5],
            }
            yield {
                "type": "scatter",
                "mode": "markers",
                "hoverinfo": "skip",
                "name": "chosen",
                "cliponaxis": False,
                "x": [x],
                "y": [STRIP],
                "marker": {
                    "symbol": f"{look.symbol.removesuffix('-open')}-open",
                    "size": 19,
                    "line": {"width": 2},
                    "color": mark_color(compaction),
                },
            }
