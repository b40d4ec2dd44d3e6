"""The pages of the field guide, made of the docstrings of strategies.

The first line of the docstring says what the strategy does. Then come paragraphs, each
begun by its name and a colon: ``Gains``, ``Loses``, ``Hurts when``, and ``Used by``
with a list of ``- NAME: RULE (SOURCE)``. Paragraphs without such a name are details.
``tests/dashboard/guide/test_strategies.py`` holds every strategy of memviz against
this; one of another package may say less.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from inspect import getdoc
from typing import Any, NamedTuple

from memviz.core.translation import _, noop
from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.strategies.presets import Preset, presets

PROGRAMS = noop("What programs do")
"""The family of presets."""
LOGGER = logging.getLogger(__name__)
GAINS = "Gains"
LOSES = "Loses"
HURTS_WHEN = "Hurts when"
USED_BY = "Used by"
SECTIONS = (GAINS, LOSES, HURTS_WHEN, USED_BY)
_USER = re.compile(r"(?P<name>[^:]+): (?P<rule>.+) \((?P<source>[^()]+)\)")
"""``LangChain: keeps the newest messages (documentation)``."""
_SECTION = re.compile(rf"({'|'.join(SECTIONS)}):\s*(.*)", re.DOTALL)
"""``Gains: nothing is lost.``"""


class User(NamedTuple):
    """A library or product with this strategy or a near one: its rule, and where that is known from."""

    name: str
    rule: str
    source: str


@dataclass(frozen=True, slots=True)
class StrategyPage:
    """All that a strategy says of itself, or all that is known of a program's memory; empty where nothing is."""

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
    """The values of a program's parameters; other parameters have their defaults."""

    @classmethod
    def of(cls, strategy: type[Strategy]) -> StrategyPage:
        """The page of this strategy, in the language of its reader.

        A user that is not written as ``NAME: RULE (SOURCE)`` is left out and noted in the
        log: a line in another package must not take the guide down.
        """
        # The first paragraph of its docstring is the summary; a section begins with its name, all else is detail.
        sections = {}
        details = []
        _summary, *paragraphs = (getdoc(strategy) or "").split("\n\n")
        for paragraph in paragraphs:
            section = _SECTION.fullmatch(paragraph)
            if section:
                sections[section[1]] = section[2]
            else:
                details.append(_on_one_line(paragraph))

        def text_of(name: str) -> str:
            return _(_on_one_line(sections.get(name, "")))

        return cls(
            id=strategy.id,
            title=_(strategy.title),
            family=strategy.family,
            summary=_(strategy.summary_line()),
            gains=text_of(GAINS),
            loses=text_of(LOSES),
            hurts_when=text_of(HURTS_WHEN),
            users=tuple(_users(strategy.id, sections.get(USED_BY, ""))),
            details=tuple(map(_, details)),
            reference=_(strategy.reference),
            parameters=strategy.parameters(),
        )

    @classmethod
    def of_preset(cls, preset: Preset) -> StrategyPage:
        """The page of a program: its values of the strategy that does the same, and where it differs."""
        page = cls.of(strategies()[preset.strategy])
        parameters = []
        for parameter in page.parameters:
            if parameter.name in preset.parameters:
                parameters.append(parameter)
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
            parameters=tuple(parameters),
            values=preset.parameters,
        )

    def holds(self, search: str) -> bool:
        """Return whether every word of ``search`` stands in its title, its summary or the names of its users, whatever
        the case of letters."""
        user_names = [user.name for user in self.users]
        texts = (self.id, self.title, self.summary, *user_names)
        searched_text = "\n".join(texts).casefold()
        words = search.casefold().split()
        return all(word in searched_text for word in words)


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
    """Yield the users of a strategy from the items of a list, such as ``- LangChain: ConversationBufferMemory (its
    documentation)``."""
    # An item goes on over the lines below it that begin with no dash.
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
