"""The view of a step as data of the stage: which requests can be played, where it stands,
what is highlighted, and the texts in which facts are followed.

Facts are followed in summaries in full, and in the sentence of a message that holds one. A
text is a list of parts of which every second one holds a fact. Nothing in it is ever markup.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from memviz.core.context import ALL_PARTS
from memviz.core.errors import LessonError
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop, pgettext
from memviz.dashboard.charts.palette import PART_COLORS, PART_TITLES, SettingRun
from memviz.dashboard.lessons.lesson import Point, Prediction, Step
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.playing import Played
from memviz.dashboard.lessons.study import View
from memviz.dashboard.markup import element, joined
from memviz.dashboard.stage.data import stage_data
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import readable
from memviz.metrics.requests.request_axis import RequestAxis, axis_of
from memviz.metrics.retention.probe_texts import answers_of
from memviz.metrics.summaries.facts import without_tags
from memviz.transcripts.base import Probe
from memviz.tuning.pricing_assumptions import PricingAssumptions

Json = dict[str, Any]
Parts = list[str]
MAX_SUMMARY_CHARS = 12_000
ALL_SUMMARY_CHARS = 120_000
MESSAGE_CHARS = 240
"""Of one summary, of all together, and of a message."""
_SENTENCES = re.compile(
    r"[^\n.;!?。！？；]*(?:[.;!?](?!\s)[^\n.;!?。！？；]*)*(?:[.;!?。！？；]+[\"'”’»)\]]*|\n|$)\s*"
)
_LEAD = 3  # of so many parts of a text that is cut, one stands before the fact


def follow(data: Json, runs: Sequence[Run], facts: Sequence[Probe]) -> Json:
    """Return ``data`` of the stage (:func:`memviz.dashboard.stage.data.stage_data`) of
    ``runs`` with what they say of ``facts``: each setting has ``summaries``, the parts
    of each that its requests hold by its version, and a message that holds a fact has
    parts in place of its beginning."""
    facts = tuple(facts)
    versions = [_versions(setting) for setting in data["settings"]]
    chars = min(MAX_SUMMARY_CHARS, ALL_SUMMARY_CHARS // max(1, sum(map(len, versions))))
    settings = []
    for setting, run, held in zip(data["settings"], runs, versions, strict=True):
        # Those too that are foreseen for the pending request.
        space = run.space if run.pending is None else run.pending.memory.space
        texts = [without_tags(version.text) for version in space.summaries.versions]
        summaries = {one: told(texts[one - 1], facts, chars) for one in held}
        own = setting["messages"] and _messages(
            setting["messages"], run, facts, data["base"]
        )
        settings.append({**setting, "summaries": summaries, "messages": own})
    longest = max(runs, key=lambda run: len(run.log))
    messages = _messages(data["messages"], longest, facts, data["base"])
    return {**data, "settings": settings, "messages": messages}


def told(text: str, facts: tuple[Probe, ...], chars: int) -> Parts:
    """Return ``text`` in parts: plain, one that holds a fact, plain, and so on; of a long one so many characters from
    its beginning, or around the first that holds a fact where that lies behind them."""
    said = list(_marked(text, facts))
    before = 0
    for part, holds in said:
        if holds:
            if before + len(part) <= chars:
                before = 0
            break
        before += len(part)
    else:
        before = 0
    cut = max(0, min(before - chars // _LEAD, len(text) - chars))
    parts = [""]
    at = 0
    for part, holds in said:
        shown = part[max(0, cut - at) : max(0, cut + chars - at)]
        at += len(part)
        if shown and holds == bool(len(parts) % 2):
            parts.append(shown)
        elif shown:
            parts[-1] += shown
    if cut:
        parts[0] = f"…{parts[0]}"
    if cut + chars < len(text):
        parts[-1] += "…"
    return parts


def _marked(text: str, facts: tuple[Probe, ...]) -> Iterator[tuple[str, bool]]:
    """The text sentence by sentence, those together that hold a fact, and those that hold none."""
    sentences = [found for found in _SENTENCES.findall(text) if found]
    if not (facts and sentences):
        yield text, False
        return
    pairs = zip(sentences, _hold(sentences, facts), strict=True)
    for held, group in groupby(pairs, key=lambda pair: pair[1]):
        yield "".join(sentence for sentence, _held in group), held


def _hold(texts: Sequence[str], facts: tuple[Probe, ...]) -> list[bool]:
    """Return which texts hold one of the facts."""
    return [bool(held.any()) for held in answers_of(facts).holding(texts).answers]


def _versions(setting: Mapping[str, Any]) -> list[int]:
    """Return the versions of summaries (from 1) that requests of a setting hold."""
    found: set[int] = set()
    for request in setting["requests"]:
        for kind, start, stop, *_rest in request["pieces"] if request else ():
            if kind == "n":
                found.update(range(start + 1, stop + 1))
    return sorted(found)


def _messages(
    messages: Sequence[list[Any]], run: Run, facts: tuple[Probe, ...], base: int
) -> list[list[Any]]:
    if not (facts and messages):
        return list(messages)
    texts = []
    for position in range(base, base + len(messages)):
        texts.append(" ".join(readable(run.log[position]).split()))
    found = []
    rows = zip(messages, texts, _hold(texts, facts), strict=True)
    for (role, tokens, beginning, turn), text, holds in rows:
        shown = told(text, facts, MESSAGE_CHARS) if holds else beginning
        found.append([role, tokens, shown, turn])
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """The position of the stage: on turn ``turn``, to be played from ``first`` to ``last``."""

    first: int
    turn: int
    last: int


def standing(step: Step, turns: int, *, is_answered: bool) -> Standing:
    """Return where the stage stands in a step of a conversation of so many turns. A prediction that waits for its
    answer stops it before the predicted turn. Once it is answered it stands there, and once any other question is
    answered at the last turn that can be played."""
    view = step.view
    first = min(view.first_turn or 1, turns)
    last = min(view.last_turn or turns, turns)
    at = min(max(view.turn or first, first), last)
    if isinstance(step.asked, Prediction) and step.asked.turn <= turns:
        asked = step.asked.turn
        if is_answered:
            at = asked
            last = max(last, asked)
        elif asked > first:
            at = min(at, asked - 1)
            last = asked - 1
    elif step.asked is not None and is_answered:
        at = last
    return Standing(first, at, last)


def staged(step: Step, played: Played, *, is_answered: bool = True) -> dict[str, Any]:
    """The data of the stage for a step, as :func:`memviz.dashboard.stage.data.stage_data` gives it."""
    runs = [
        SettingRun(run, label, n)
        for n, (run, label) in enumerate(zip(played.runs, played.labels, strict=True))
    ]
    axis = axis_of(played.runs)
    view = step.view
    where = standing(step, played.runs[0].log.turn_count, is_answered=is_answered)
    steps = range(axis.last(where.first - 1), axis.last(where.last))
    data = stage_data(
        runs,
        played.transcript,
        assumptions=_terms(played),
        measure=view.measure,  # type: ignore[arg-type]
        steps=steps,
        at=_place(axis, view, where),
        chosen=_chosen(step),
    )
    highlight = _highlight(view, played)
    followed = follow(
        data, played.runs, [played.probes[fact] for fact in highlight["facts"]]
    )
    return {**followed, "title": "", "highlight": highlight, **_controls(view)}


def _place(axis: RequestAxis, view: View, where: Standing) -> int:
    """The place (0-based) of the request that the stage stands on."""
    last = axis.last(where.turn) - 1
    if view.call is None or where.turn != view.turn:
        return last
    return min(axis.last(where.turn - 1) + view.call - 1, last)


def _terms(played: Played) -> PricingAssumptions:
    return PricingAssumptions.of(
        played.study.prices_of, pause_seconds=played.study.pause_seconds
    )


def _chosen(step: Step) -> int:
    named = step.view.highlight.setting
    if named is None and isinstance(step.asked, Prediction):
        return step.asked.setting
    return named or 0


def _highlight(view: View, played: Played) -> dict[str, list[int]]:
    """Return what is pointed at; with a fact the messages that told it, as long as no message is named."""
    wanted = view.highlight
    fact = None if wanted.fact is None else played.fact(wanted.fact)
    told = [] if fact is None else list(played.probes[fact].evidence)
    return {
        "settings": [] if wanted.setting is None else [wanted.setting],
        "facts": [] if fact is None else [fact],
        "messages": told if wanted.message is None else [wanted.message - 1],
    }


def _controls(view: View) -> dict[str, list[str]]:
    return {} if view.controls is None else {"controls": list(view.controls)}


WIDTH = 720

BAR = 22

ROW = 62

TOP = 8

WIDE = 14
"""Of a Chinese character in pixels; a letter has 8 of them."""

FATES = {
    "summarized": noop("{number} summarized"),
    "cleared": noop("{number} cleared"),
    "dropped": noop("{number} dropped"),
    "recalled": noop("{number} recalled"),
}
"""How many messages met each fate."""


class Still(NamedTuple):
    """A picture as SVG, and what it shows in words: the turn, and a line of numbers a setting."""

    turn: int
    svg: Markup
    lines: tuple[str, ...]


def still(step: Step, played: Played) -> Still:
    """The picture of a step, as it is before its question is answered."""
    turn = standing(step, played.runs[0].log.turn_count, is_answered=False).turn
    rows = [_numbers(played, number, turn) for number in range(len(played.runs))]
    most = max(1, *(sum(parts.values()) for _words, parts in rows))
    bars = []
    lines: list[str] = []
    shown: set[str] = set()
    for at, (words, parts) in enumerate(rows):
        label = played.labels[at]
        bars.append(_row(at, label, words, parts, most))
        lines.append(_("{setting}: {words}", setting=label, words=words))
        shown.update(part for part, tokens in parts.items() if tokens)
    bottom = TOP + ROW * len(rows)
    bars.append(_legend([part for part in ALL_PARTS if part in shown], bottom + 4))
    svg = element(
        "svg",
        *bars,
        class_="still",
        viewBox=f"0 0 {WIDTH} {bottom + 20}",
        role="img",
        aria_label=_(
            "Requests of turn {turn}. {lines}", turn=turn, lines=" ".join(lines)
        ),
    )
    return Still(turn, svg, tuple(lines))


def _numbers(played: Played, setting: int, turn: int) -> tuple[str, dict[str, int]]:
    """Return what a setting sends at a turn, in words, and its tokens part by part."""
    point = Point("request_tokens", setting, turn)
    try:
        record = played.record(point)
    except LessonError:
        return _("no request at this turn"), {}
    sent = counted(_take(played, point, "messages_sent"), "message")
    words = [
        _("{tokens:,} tokens", tokens=record.total_tokens),
        _("{messages} word for word", messages=sent),
    ]
    for fate, template in FATES.items():
        number = _take(played, point, f"messages_{fate}")
        if number:
            words.append(_(template, number=number))
    told = _take(played, point, "facts_told") if played.probes else 0
    if told:
        known = _take(played, point, "facts_known")
        words.append(
            _("knows {known} of {facts}", known=known, facts=counted(told, "fact"))
        )
    parts = {part: record.tokens.get(part, 0) for part in ALL_PARTS}
    return _("{words}.", words=pgettext("between clauses", ", ").join(words)), parts


def _take(played: Played, point: Point, measure: str) -> int:
    return int(MEASURES[measure].take(played, point))


def _legend(parts: list[str], top: int) -> Markup:
    """Return what the colours mean, in one line."""
    found = []
    x = 0
    for part in parts:
        title = _(PART_TITLES.get(part, part))
        color = _color(part)
        found += [
            element(
                "rect",
                x=f"{x}",
                y=f"{top}",
                width="11",
                height="11",
                rx="2",
                fill=color,
            ),
            element("text", title, x=f"{x + 16}", y=f"{top + 10}"),
        ]
        x += 30 + sum(WIDE if letter > "\u2e80" else 8 for letter in title)
    return joined(found)


def _color(part: str) -> str:
    return PART_COLORS.get(part, "#8A929C")


def _row(at: int, label: str, words: str, parts: dict[str, int], most: int) -> Markup:
    top = TOP + at * ROW
    pieces = [element("text", label, x="0", y=f"{top + 10}", class_="label")]
    x = 0.0
    for part, tokens in parts.items():
        width = (WIDTH - 2) * tokens / most
        if tokens:
            title = _(
                "{part}: {tokens:,} tokens",
                part=_(PART_TITLES.get(part, part)),
                tokens=tokens,
            )
            bar = element(
                "rect",
                element("title", title),
                x=f"{x + 1:.1f}",
                y=f"{top + 16}",
                width=f"{max(width - 1, 0.5):.1f}",
                height=f"{BAR}",
                rx="2",
                fill=_color(part),
            )
            pieces.append(bar)
        x += width
    pieces.append(element("text", words, x="0", y=f"{top + 52}", class_="numbers"))
    return joined(pieces)
