"""The share of facts that are still known at each age, one line a setting."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from memviz.core.text.wording import counted, share_of
from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    LEGEND_BELOW,
    SHARE_AXIS,
    Part,
    heading,
    legend_entry,
    line,
    marks,
    picture,
    rule_across,
    size_for_settings,
    stroke,
)
from memviz.dashboard.charts.palette import FIXED_MARGINS, SettingRun, turn_ticks
from memviz.dashboard.charts.thinning import Texts
from memviz.metrics.retention.survival import Survival

FEW = 5
"""From the first age on that fewer have reached, the curve is drawn faintly: one of them more or less is a leap."""
_AGES = {"automargin": False, "zeroline": False}
_HALF = stroke(1, "dot")
_LAYOUT: Part = {
    "legend": LEGEND_BELOW,
    "shapes": [rule_across(0.5, _HALF, layer="below")],
    "margin": FIXED_MARGINS,
    "uirevision": "survival",
}
_FAINT = {"opacity": 0.35, "showlegend": False}


class Lasting(NamedTuple):
    """One setting with the survival of its facts."""

    setting: SettingRun
    survival: Survival


class Thing(NamedTuple):
    """The name of what survives, and the word for its first mention."""

    noun: str
    requests_since: str
    """The title of the axis, in requests; in turns."""
    turns_since: str
    known_after: str
    """The template of the tooltip of a point."""


FACT = Thing(
    "fact",
    noop("requests since the fact was stated"),
    noop("turns since the fact was stated"),
    noop("{setting}<br>{age} after they were stated: {share} known"),
)
WORD = Thing(
    "word",
    noop("requests since the word was said"),
    noop("turns since the word was said"),
    noop("{setting}<br>{age} after they were said: {share} known"),
)


def survival_curve(
    lasting: Sequence[Lasting], title: str, what: Thing = FACT
) -> go.Figure:
    """Return the curves. A dot marks the half-life of each: the first age at which half or fewer of what was observed
    is known."""
    last = max((len(lines.survival.observed) for lines in lasting), default=1) - 1
    by_request = any(lines.survival.unit == "request" for lines in lasting)
    age = _(what.requests_since if by_request else what.turns_since)
    x_axis = {
        **_AGES,
        "title": {"text": age, "standoff": 2},
        "range": [-0.6, last + 0.8],
        **turn_ticks(last),
    }
    traces: list[Part] = []
    for lines in lasting:
        traces += _curves(lines, what)
    for lines in lasting:
        traces += _half_life(lines, what)
    if lasting:
        traces.append(legend_entry(_("Half is known"), mode="lines", line=_HALF))
    return picture(
        traces,
        title=heading(title),
        xaxis=x_axis,
        yaxis={**SHARE_AXIS, "title": {"text": _("share still known")}},
        **_LAYOUT,
        **size_for_settings(len(lasting), height_pixels.SURVIVAL, 1),
    )


def _curves(lasting: Lasting, what: Thing) -> Iterator[Part]:
    """Yield the curve, and faintly its end where it rests on very few."""
    ages = len(lasting.survival.observed)
    ages_of_few = np.flatnonzero(lasting.survival.observed < FEW)
    end = ages
    if ages_of_few.size and ages_of_few[0]:
        end = int(ages_of_few[0])
    yield _curve(lasting, what, range(end))
    if end < ages:
        # From the last strong point on, so that no gap is between the two.
        yield {**_curve(lasting, what, range(end - 1, ages)), **_FAINT}


def _curve(lasting: Lasting, what: Thing, part: range) -> Part:
    ages = np.array(part, dtype=np.int64)
    shares = lasting.survival.share[part.start : part.stop]
    words = Texts(part, lambda age: _words(lasting, age, what))
    return line(lasting.setting, ages, shares, words, dot=12)


def _words(lasting: Lasting, age: int, what: Thing) -> str:
    retained = int(lasting.survival.retained[age])
    observed = int(lasting.survival.observed[age])
    after = counted(age, lasting.survival.unit)
    head = f"<b>{escape_text(lasting.setting.label)}</b>"
    return _(
        what.known_after,
        setting=head,
        age=after,
        share=share_of(retained, observed, what.noun),
    )


def _half_life(lasting: Lasting, what: Thing) -> Iterator[Part]:
    half = lasting.survival.half_life
    if half is None:
        return
    words = _(
        "{words}<br><b>half-life: {age}</b>",
        words=_words(lasting, half, what),
        age=counted(half, lasting.survival.unit),
    )
    yield marks(
        [half],
        [float(lasting.survival.share[half])],
        [words],
        {"symbol": "circle", "size": 11, "color": lasting.setting.color},
        showlegend=False,
        legendgroup=str(lasting.setting.index),
        name=f"{escape_text(lasting.setting.label)} half-life",
    )


def half_lives(lasting: Sequence[Lasting]) -> str:
    """Return after how many turns or requests half of what was observed is lost, of each setting."""
    ages = [
        f"{line.setting.label} {half_life_words(line.survival)}" for line in lasting
    ]
    return ", ".join(ages)


def half_life_words(survival: Survival) -> str:
    """Return ``7 turns``, or ``more than 45 turns`` where more than half are known at every age that was seen."""
    if survival.half_life is not None:
        return counted(survival.half_life, survival.unit)
    oldest = len(survival.observed) - 1
    if oldest < 0:
        return "–"
    return _("more than {age}", age=counted(oldest, survival.unit))
