"""The pages of the field guide: the docstring of a strategy, its example, and the picture of it.

The first line of the docstring says what the strategy does. Then come paragraphs, each
begun by its name and a colon: ``Gains``, ``Loses``, ``Hurts when``, and ``Used by``
with a list of ``- NAME: RULE (SOURCE)``. Paragraphs without such a name are details.
``tests/dashboard/guide/test_strategies.py`` holds every strategy of memviz against
this; one of another package may say less.

Examples show every strategy and every program's memory at work on a bundled conversation,
with summaries as they were recorded, where they were. Pictures are SVG where no chart of
the dashboard can be shown, such as in ``docs/``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from inspect import getdoc
from typing import Any, NamedTuple

from memviz.core.translation import _, language_now, noop
from memviz.dashboard.charts.requests.said_and_sent import (
    COLORS,
    FUNNEL_OPACITY,
    SAID,
    SENT,
    TITLES,
    opacity_of,
)
from memviz.dashboard.words.requests import picture_words
from memviz.engine.recording import setting_of
from memviz.engine.records import TurnRecord
from memviz.engine.replay import replay
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import (
    SaidAndSent,
    Stretch,
    said_and_sent,
    telling_request,
)
from memviz.models.names import OFFLINE, RECORDING
from memviz.models.recordings import bundled as recordings
from memviz.models.recordings.recording import About, Recording
from memviz.models.registry import model
from memviz.strategies import strategies, strategy, strategy_class
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.strategies.presets import Preset, presets
from memviz.transcripts.samples import sample
from memviz.tuning.scaling import scaled

PROGRAMS = noop("What programs do")
"""The family of presets."""
LOGGER = logging.getLogger(__name__)
GAINS = "Gains"
LOSES = "Loses"
HURTS_WHEN = "Hurts when"
USED_BY = "Used by"
SECTIONS = (GAINS, LOSES, HURTS_WHEN, USED_BY)
_USER = re.compile(r"(?P<name>[^:]+): (?P<rule>.+) \((?P<source>[^()]+)\)")
_SECTION = re.compile(rf"({'|'.join(SECTIONS)}):\s*(.*)", re.DOTALL)
CONVERSATIONS = ("trip", "support")
"""Where examples are looked for: the first of these on which a strategy does anything. The second has tools."""
CONVERSATIONS_IN = {"zh": ("chinese", "support")}
"""Where they are looked for by the language of who reads them."""
NOTHING_RECORDED = Recording("", About(), {})
PICTURE_WIDTH = 760
BARS_LEFT = 104
BAR_TOPS = (8, 72)
BAR_HEIGHT = 40
LEGEND_TOP = 140
LEGEND_ROW = 22
LETTER_WIDTH = 7.2
SWATCH = 14
PICTURE_STYLE = "text{font:13px system-ui,sans-serif;fill:#1d2630}@media(prefers-color-scheme:dark){text{fill:#e6ebf0}}"


class User(NamedTuple):
    """A library or product with this strategy or a near one: its rule, and where that is known from."""

    name: str
    rule: str
    source: str


@dataclass(frozen=True, slots=True)
class StrategyPage:
    """All that a strategy says of itself, or what is known of a program's memory. What nobody says is empty."""

    id: str
    title: str
    family: str
    """Not translated."""
    summary: str
    gains: str
    loses: str
    hurts_when: str
    users: tuple[User, ...]
    details: tuple[str, ...]
    reference: str
    parameters: tuple[Parameter, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    """Those of a program's parameters; the others have their defaults."""

    @classmethod
    def of(cls, strategy: type[Strategy]) -> StrategyPage:
        """The page of this strategy, in the language of its reader.

        A user that is not written as ``NAME: RULE (SOURCE)`` is left out and noted in the
        log: a line in another package must not take the guide down.
        """
        sections: dict[str, str] = {}
        details: list[str] = []
        for paragraph in (getdoc(strategy) or "").split("\n\n")[1:]:
            named = _SECTION.fullmatch(paragraph)
            if named:
                sections[named[1]] = named[2]
            else:
                details.append(_on_one_line(paragraph))

        def said(name: str) -> str:
            return _(_on_one_line(sections.get(name, "")))

        return cls(
            id=strategy.id,
            title=_(strategy.title),
            family=strategy.family,
            summary=_(strategy.summary_line()),
            gains=said(GAINS),
            loses=said(LOSES),
            hurts_when=said(HURTS_WHEN),
            users=tuple(_users(strategy.id, sections.get(USED_BY, ""))),
            details=tuple(map(_, details)),
            reference=_(strategy.reference),
            parameters=strategy.parameters(),
        )

    @classmethod
    def of_preset(cls, preset: Preset) -> StrategyPage:
        """The page of a program: its values of the strategy that does the same, and where it differs."""
        page = cls.of(strategies()[preset.strategy])
        return replace(
            page,
            id=preset.id,
            title=_(preset.title),
            family=PROGRAMS,
            summary=_(
                "What its memory does, with the program's own values where it has any. How this is known: {known}.",
                known=_(preset.known),
            ),
            users=(),
            details=(_(preset.differs),) if preset.differs else (),
            parameters=tuple(
                parameter
                for parameter in page.parameters
                if parameter.name in preset.parameters
            ),
            values=preset.parameters,
        )

    def holds(self, search: str) -> bool:
        """Return whether every word of ``search`` stands in its title, its summary or the names of its users, whatever
        the case of letters."""
        texts = (self.id, self.title, self.summary, *(user.name for user in self.users))
        text = "\n".join(texts).casefold()
        return all(word in text for word in search.casefold().split())


def strategy_pages() -> dict[str, StrategyPage]:
    """The pages of all strategies by id, from the simplest to the most elaborate."""
    return {id: StrategyPage.of(cls) for id, cls in strategies().items()}


def page_of(id: str) -> StrategyPage | None:
    """The page of the strategy or of the program of this id; ``None`` where there is neither."""
    if id in presets():
        return StrategyPage.of_preset(presets()[id])
    cls = strategies().get(id)
    return None if cls is None else StrategyPage.of(cls)


def program_pages() -> dict[str, StrategyPage]:
    """The pages of all programs whose memory is known, by the ids of their presets."""
    return {id: StrategyPage.of_preset(preset) for id, preset in presets().items()}


def _users(id: str, text: str) -> Iterator[User]:
    for item in re.findall(r"^- ((?:.|\n(?!- ))*)", text, re.MULTILINE):
        line = _on_one_line(item)
        match = _USER.fullmatch(line)
        if match is None:
            LOGGER.warning(
                "Strategy %s: %r under %r does not read NAME: RULE (SOURCE).",
                id,
                line,
                USED_BY,
            )
        else:
            yield User(*map(_, match.groups()))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


class Example(NamedTuple):
    """A strategy over a bundled conversation, by its id. ``summarizer`` is the name of the model that wrote."""

    strategy: Strategy
    conversation: str
    run: Run
    summarizer: str

    @property
    def picture(self) -> SaidAndSent:
        """Its most telling request."""
        return said_and_sent(self.run, telling_request(self.run))

    @property
    def ten_turns(self) -> list[TurnRecord]:
        """The requests of ten of its turns, evenly spread, the first and the last among them."""
        turns = self.run.turns
        last = len(turns) - 1
        return [turns[round(number * last / 9)] for number in range(10)]

    @property
    def is_recorded(self) -> bool:
        """Return whether a large language model wrote its summaries, in place of the built-in model."""
        return self.strategy.writes_notes and self.summarizer.startswith(RECORDING)


def example_of(id: str) -> Example | None:
    """Return the example of the strategy, or of the preset, of this id; ``None`` where it cannot be run here."""
    if strategy(id).can_be_run():
        return None
    return _example_among(id, CONVERSATIONS_IN.get(language_now(), CONVERSATIONS))


@cache
def _example_among(id: str, conversations: tuple[str, ...]) -> Example:
    idle = []
    for conversation in conversations:
        example = _example(id, conversation)
        if not is_idle(example):
            return example
        idle.append(example)
    return idle[0]


def is_idle(example: Example) -> bool:
    """Return whether the conversation lacks what the strategy acts on, such as tools."""
    return bool(example.strategy.idle_because(example.run.requests[-1].memory))


def _example(id: str, conversation: str) -> Example:
    transcript = sample(conversation)
    recording = recordings.recordings().get(conversation, NOTHING_RECORDED)
    parameters = _recorded_parameters(recording, id)
    if not parameters:
        parameters = _scaled_parameters(id, conversation)
    chosen = strategy(id, **parameters)
    summarizer = OFFLINE
    if recording.holds(setting_of(transcript, chosen)):
        summarizer = RECORDING + conversation
    run = replay(transcript, chosen, model=model(summarizer))
    return Example(chosen, conversation, run, summarizer)


def _recorded_parameters(recording: Recording, id: str) -> dict[str, Any]:
    """Return those that summaries were recorded for, if any were."""
    for setting in recording.settings.values():
        parameters = dict(setting.strategy)
        if parameters.pop("id") == id:
            return parameters
    return {}


def _scaled_parameters(id: str, conversation: str) -> dict[str, Any]:
    """Return values that are made for large windows, as shares of one that the conversation fills."""
    whole = replay(sample(conversation), strategy("buffer"))
    chosen = presets()[id].parameters if id in presets() else {}
    scale = scaled(strategy_class(id), int(whole.columns.largest), chosen)
    return dict(scale.values) if scale else {}


def picture_svg(picture: SaidAndSent) -> str:
    """The two bars with their tokens, and a legend."""
    most = max(picture.said_tokens, picture.record.total_tokens)
    scale = (PICTURE_WIDTH - BARS_LEFT - 10) / most
    legend, bottom = _legend(picture)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PICTURE_WIDTH} {bottom}" role="img">',
        f"<title>{escape(picture_words(picture))}</title>",
        f"<style>{PICTURE_STYLE}</style>",
        *_funnel(picture, scale),
        *_row(picture, SAID, picture.said, BAR_TOPS[0], scale),
        *_row(picture, SENT, picture.sent, BAR_TOPS[1], scale),
        *legend,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _row(
    picture: SaidAndSent,
    title: str,
    stretches: tuple[Stretch, ...],
    top: int,
    scale: float,
) -> Iterator[str]:
    tokens = sum(stretch.tokens for stretch in stretches)
    yield f'<text x="0" y="{top + 18}">{title}</text><text x="0" y="{top + 35}">{tokens:,} tokens</text>'
    for stretch in stretches:
        gap = 1 if stretch.position is not None and stretch.tokens * scale > 2 else 0
        yield (
            f'<rect x="{BARS_LEFT + stretch.start * scale:.1f}" y="{top}" width="{stretch.tokens * scale - gap:.1f}" '
            f'height="{BAR_HEIGHT}" fill="{COLORS[stretch.looks]}" opacity="{opacity_of(picture, stretch):g}"/>'
        )


def _funnel(picture: SaidAndSent, scale: float) -> Iterator[str]:
    """From what was summarized to its summary."""
    if picture.folded is not None:
        said, sent = picture.folded
        x0, x1, x2, x3 = (
            f"{BARS_LEFT + tokens * scale:.1f}"
            for tokens in (said.start, said.stop, sent.stop, sent.start)
        )
        top = BAR_TOPS[0] + BAR_HEIGHT
        bottom = BAR_TOPS[1]
        points = f"{x0},{top} {x1},{top} {x2},{bottom} {x3},{bottom}"
        yield f'<polygon points="{points}" fill="{COLORS["summary"]}" opacity="{FUNNEL_OPACITY}"/>'


def _legend(picture: SaidAndSent) -> tuple[list[str], int]:
    """Its lines, and where it ends."""
    shown = {stretch.looks for stretch in (*picture.said, *picture.sent)}
    lines = []
    x = 0.0
    y = LEGEND_TOP
    for looks in (looks for looks in COLORS if looks in shown):
        width = SWATCH + 6 + len(TITLES[looks]) * LETTER_WIDTH + 18
        if x + width > PICTURE_WIDTH:
            x = 0.0
            y = y + LEGEND_ROW
        lines.append(
            f'<rect x="{x:.1f}" y="{y - 12}" width="{SWATCH}" height="{SWATCH}" rx="3" fill="{COLORS[looks]}"/>'
            f'<text x="{x + SWATCH + 6:.1f}" y="{y}">{TITLES[looks]}</text>'
        )
        x += width
    return lines, y + 12
