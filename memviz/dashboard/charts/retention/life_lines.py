"""The life of every fact under one setting, a row a fact and a column a request, and what ended it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from memviz.core.text.wording import (
    message_number,
    message_range,
    request_name,
    request_span,
)
from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.grammar import (
    GREY,
    LOOK_STAYS,
    Part,
    bars,
    box,
    marks,
    picture,
)
from memviz.dashboard.charts.palette import PART_COLORS, SUMMARIZATION_LINE, fade_color
from memviz.dashboard.charts.retention.compaction_strip import (
    STRIP,
    TOOLTIP_CHARS,
    chosen_mark,
    marked_on_lives,
    strip_marks,
    strip_title,
)
from memviz.dashboard.charts.retention.result import (
    KNOWLEDGE_COLORS,
    KNOWLEDGE_TITLES,
    PATTERNS,
    SHOWN,
    STATE_WORDS,
    RetentionResult,
    fact_label,
)
from memviz.dashboard.charts.summaries.marks import request_mark
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import axis_title, turn_partings, turns_axis
from memviz.dashboard.words.compactions import act_words
from memviz.engine.compaction import Compaction
from memviz.metrics.requests.request_axis import RequestAxis
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import LifeLine, Span

MARGINS = {"l": 126, "r": 8, "t": 26, "b": 44}
"""Room for the names of the facts on the left: short ones, so that a phone has room for the lives too. At the top the
button that saves the picture stands, which must not cover a diamond."""
LABEL_CHARS = 17
ROW_PIXELS = 26
LEAST_ROW_PIXELS = 17
BAR_WIDTH = 0.62
_WHITE = "#FFFFFF"
_NO_GRID = {"showgrid": False, "zeroline": False}
_ROWS = {**_NO_GRID, "automargin": False, "fixedrange": True, "ticks": ""}
_BAND = {
    "xref": "paper",
    "layer": "below",
    "line": {"width": 0},
    "fillcolor": fade_color(GREY, 0.14),
}
_BIRTH = {
    "symbol": "circle",
    "size": 7,
    "color": PART_COLORS["history"],
    "line": {"width": 1.5, "color": _WHITE},
}
_LAYOUT: Part = {
    "barmode": "overlay",
    "bargap": 0,
    "showlegend": False,
    "margin": MARGINS,
    "uirevision": "lives",
}
_BAR: Part = {
    "orientation": "h",
    "hoverinfo": "text",
    "textposition": "none",
    **LOOK_STAYS,
}
_CROSS_EDGE = {"width": 1, "color": _WHITE}


class _Stretch(NamedTuple):
    """A stretch of the life of a fact, in the row of that fact."""

    row: int
    head: str
    """What its tooltips begin with: the fact in bold, the same for all stretches of a row."""
    life: LifeLine
    span: Span

    @property
    def left(self) -> float:
        return self.span.first_place - 0.5

    @property
    def requests(self) -> int:
        return self.span.last_place - self.span.first_place + 1


def sort_by_birth(lives: Sequence[LifeLine]) -> list[LifeLine]:
    """Return the lives in the order in which their facts were stated, those without evidence first."""

    def birth(life: LifeLine) -> tuple[bool, int, int]:
        is_stated = life.born_position is not None
        return is_stated, life.born_position or 0, life.probe

    return sorted(lives, key=birth)


def requests_title(axis: RequestAxis) -> Part:
    """Return the title of the axis of requests, further from it than on other charts."""
    return {"text": axis_title(axis), "standoff": 8}


def draw_life_lines(
    result: RetentionResult,
    lives: Sequence[LifeLine],
    selected: int | None = None,
    event: int | None = None,
) -> go.Figure:
    """Return the rows of ``lives``, from top to bottom. The row of probe ``selected`` is marked, and the place of
    compaction ``event``. What can be clicked says what it is (customdata): bars and births the number of their probe;
    crosses the number of their probe and that of the compaction (-1: none); diamonds -1 and the number of the
    compaction."""
    bottom = len(lives) - 0.5
    axis = RequestAxis.of([result.retention.turns])
    stretches = []
    for row, life in enumerate(lives):
        head = _head(result, life)
        stretches += [_Stretch(row, head, life, span) for span in life.spans]
    # Later traces lie over earlier ones: the lines of compactions pass behind the bars, births and crosses lie on them.
    compactions = marked_on_lives(result)
    traces = list(strip_marks(result, compactions, bottom, selected))
    for marked in compactions:
        if result.run.number_of(marked.compaction) == event:
            traces += chosen_mark(marked, bottom)
    traces += _bars(result, stretches)
    traces += _births(stretches)
    traces += _deaths(result, stretches)

    shapes = turn_partings(axis)
    for row, life in enumerate(lives):
        if life.probe == selected:
            shapes.append(box((0, 1), (row - 0.5, row + 0.5), **_BAND))
    # The strip of compactions takes a row and a half.
    rows_pixels = _row_pixels(len(lives)) * (len(lives) + 1.5)
    return picture(
        traces,
        xaxis={**turns_axis(axis, title=requests_title(axis)), **_NO_GRID},
        yaxis=_named_rows(result, lives, selected),
        shapes=shapes,
        height=round(rows_pixels) + MARGINS["t"] + MARGINS["b"],
        **_LAYOUT,
    )


def _row_pixels(rows: int) -> int:
    row_pixels = min(ROW_PIXELS, height_pixels.LIVES_ROWS // max(1, rows))
    return max(LEAST_ROW_PIXELS, row_pixels)


def _named_rows(
    result: RetentionResult, lives: Sequence[LifeLine], selected: int | None
) -> Part:
    """Return the axis that names the strip of compactions, and below it each fact; that
    of probe ``selected`` in bold."""
    names = [strip_title(result)]
    for life in lives:
        name = fact_label(result.retention.probes[life.probe].answers, "", LABEL_CHARS)
        if life.probe == selected:
            name = f"<b>{name}</b>"
        names.append(name)
    return {
        **_ROWS,
        "range": [len(lives) - 0.4, STRIP - 0.7],
        "tickvals": [STRIP, *range(len(lives))],
        "ticktext": names,
    }


def mark_color(compaction: Compaction) -> str:
    """Return the colour of what a compaction did, darker for a summarization than on charts of tokens."""
    look = request_mark(compaction)
    return SUMMARIZATION_LINE if look is None else look.strong_color


def _bars(result: RetentionResult, stretches: Sequence[_Stretch]) -> Iterator[Part]:
    """Yield the stretches of every state that is drawn, one trace a state."""
    for state in SHOWN:
        in_state = [stretch for stretch in stretches if stretch.span.state == state]
        if not in_state:
            continue
        pattern = {"pattern": {"shape": PATTERNS[state]}} if state in PATTERNS else {}
        words = []
        for stretch in in_state:
            words.append(f"{stretch.head}<br>{span_words(stretch.span)}")
        yield bars(
            [stretch.requests for stretch in in_state],
            [stretch.row for stretch in in_state],
            KNOWLEDGE_COLORS[state],
            marker=pattern,
            name=_(KNOWLEDGE_TITLES[state]),
            width=BAR_WIDTH if state.is_known else BAR_WIDTH / 3,
            base=[stretch.left for stretch in in_state],
            customdata=[stretch.life.probe for stretch in in_state],
            hovertext=words,
            **_BAR,
        )


def _head(result: RetentionResult, life: LifeLine) -> str:
    probe = result.retention.probes[life.probe]
    return f"<b>{fact_label(probe.answers, probe.question, TOOLTIP_CHARS)}</b>"


def span_words(span: Span) -> str:
    """Return ``in the summary from turn 22 to 29``."""
    return _(
        "{state} {when}",
        state=_(STATE_WORDS[span.state]),
        when=request_span(span.first, span.last),
    )


def _births(stretches: Sequence[_Stretch]) -> Iterator[Part]:
    born = []
    for stretch in stretches:
        life = stretch.life
        if stretch.span is life.spans[0] and life.born_turn is not None:
            born.append(stretch)
    if born:
        probes = [stretch.life.probe for stretch in born]
        words = Texts(born, _birth_words)
        yield _points("stated", born, words, _BIRTH, customdata=probes)


def _birth_words(birth: _Stretch) -> str:
    stated = _(
        "stated in message {message:,} (turn {born_turn})",
        message=message_number(birth.life.born_position or 0),
        born_turn=birth.life.born_turn,
    )
    return f"{birth.head}<br>{stated}"


def _deaths(result: RetentionResult, stretches: Sequence[_Stretch]) -> Iterator[Part]:
    """Yield a cross in the colour of what took a fact (violet for a summarization), a grey one where it fell out of
    what is sent."""
    deaths = []
    takers: list[Compaction | None] = []
    clicks = []
    sizes = []
    colors = []
    for stretch in stretches:
        # A fact that was lost from its first request on was never there to be lost.
        is_first = stretch.span is stretch.life.spans[0]
        if is_first or stretch.span.state is not Knowledge.LOST:
            continue
        number = result.losses.get((stretch.life.probe, stretch.span.first_place))
        deaths.append(stretch)
        if number is None:
            takers.append(None)
            clicks.append([stretch.life.probe, -1])
            sizes.append(9)
            colors.append(GREY)
        else:
            taker = result.run.compactions[number]
            takers.append(taker)
            clicks.append([stretch.life.probe, number])
            sizes.append(12)
            colors.append(mark_color(taker))
    if deaths:
        marker = {"symbol": "x", "size": sizes, "color": colors, "line": _CROSS_EDGE}
        losses = [*zip(deaths, takers, strict=True)]
        words = Texts(losses, lambda loss: _loss_words(*loss))
        yield _points("lost", deaths, words, marker, customdata=clicks)


def _loss_words(death: _Stretch, taker: Compaction | None) -> str:
    head = _(
        "{head}<br><b>lost at {when}</b>",
        head=death.head,
        when=request_name(*death.span.first),
    )
    if taker is None:
        return _("{head}: the last message that held it is no longer sent", head=head)
    why = act_words(taker).left_out
    return f"{head}: {why.format(messages=message_range(taker.summarized))}"


def _points(
    name: str,
    stretches: Sequence[_Stretch],
    words: Sequence[str],
    marker: Part,
    **more: Any,
) -> Part:
    """Return points at the beginnings of stretches."""
    return marks(
        [stretch.left for stretch in stretches],
        [stretch.row for stretch in stretches],
        words,
        marker,
        name=name,
        cliponaxis=False,
        **LOOK_STAYS,
        **more,
    )
