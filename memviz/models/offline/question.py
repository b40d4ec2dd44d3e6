"""The reading of a question: its words by weight, and the kind of answer that it wants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from memviz.core.text.vocabulary import LIGHT_WORDS
from memviz.core.text.words import content_words, stem
from memviz.models.offline.owners import About

LIGHT_FACTOR = 0.35
FOCUS_FACTOR = 0.7
NAME_FACTOR = 1.4
"""Weights of words of a question, where an ordinary one has 1: a word that says which kind of answer is wanted
("number"), the noun after "which" (an answer names the thing instead), and a proper name."""
_LIGHT_STEMS = frozenset(map(stem, LIGHT_WORDS))


class Wanted(Enum):
    """The kind of answer."""

    CODE = auto()
    DATE = auto()
    NUMBER = auto()
    ANYTHING = auto()


_HOW = (
    r"\b(?:how (?:much|many|old|long|far|tall|big|large|high|heavy|wide|fast|often|late|early)"
    r"|wie (?:viele?|alt|lange?|weit|groß|hoch|schwer|oft|spät))\b"
)
_WANTED = {
    Wanted.CODE: (
        r"\b(?:(?:serial|ticket|customer|candidate|booking|account|phone|telephone|order|policy|flight|tracking|licen[cs]e"
        r"|registration|reference|invoice|membership|passport|member|case|contract|reservation|confirmation|visit)"
        r" (?:numbers?|code|reference|id)|(?:code|reference|password|pin))\b|密码|编号|电话|手机号|订单号|预订号"
    ),
    Wanted.DATE: (
        r"\bwhen\b|\b(?:what|which) (?:\w+ )?(?:dates?|days?|time|month|year|weekday|hour)\b|\bdeadline\b|\bhow soon\b"
        r"|哪[天年月]|什么时候|何时|几[点号月]|日期|\bwann\b|\bcu[aá]ndo\b|\bquand\b|\bquando\b|когда"
    ),
    Wanted.NUMBER: (
        rf"{_HOW}|\b(?:what|which) (?:\w+ ){{0,3}}?(?:numbers?|prices?|costs?|budget|amount|percent\w*|rate|total"
        r"|size|age|score|dose|weight|height|salary|rent|fee|limit|quantity|version|mtu|temperature|discount|deposit|distance)\b"
        r"|多少|几[个位岁人次只条张天块件]|多[大高长远重]|号码"
        r"|\bwie ?viele?\b|\bcu[aá]nt[oa]s?\b|\bcombien\b|\bquant[oi]s?\b|сколько"
    ),
}
_WANTED_PATTERNS = {
    wanted: re.compile(pattern, re.IGNORECASE) for wanted, pattern in _WANTED.items()
}
_HOW_ADJECTIVE = re.compile(_HOW, re.IGNORECASE)
_NEWEST = re.compile(
    r"\b(?:now|current(?:ly)?|new|newest|latest|final(?:ly)?|in the end|today)\b|现在|目前|最新|最终|最后",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|at first|first|before the change)\b|最初|原来|一开始",
    re.IGNORECASE,
)
_OF_ASKER = re.compile(
    r"\b(?:do|did|am|was|can|can't|have|should|will|must) (?:i|we)\b|\bmy name\b|\bcall me\b",
    re.IGNORECASE,
)
_NAME_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z]\w+(?:-\w+)*")
_FOCUS = re.compile(
    r"\b(?:what|which) (?:kinds? of |sorts? of |types? of )?(\w+)", re.IGNORECASE
)
NEGATION = re.compile(
    r"n['’]t\b|\b(?:not|never|no|without|avoid|cannot|nobody|none)\b|不|没|别",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(
    r"\bwhat(?:['’]s| is) my (?:(?:full|last|first) )?name\b|\bwho am i\b|\bmy name\?|\bwie heiße ich\b|\bcomment je m"
    r"|我叫什么|我的名字是什么|我是谁",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Question:
    """A question as it is looked up in a context."""

    text: str
    weights: Mapping[str, float]
    """Each of its content stems and how much it counts."""
    wanted: Wanted
    wants_own_name: bool
    """It asks for the name of the asker."""
    wants_first_value: bool
    wants_newest_value: bool
    of_asker: bool
    """It asks about the asker, and not about somebody else."""
    is_negated: bool
    has_names: bool
    about: About

    @classmethod
    def of(cls, text: str) -> Question:
        """Read the question ``text``."""
        return cls(
            text,
            _weights(text),
            _wanted(text),
            wants_own_name=_OWN_NAME.search(text) is not None,
            wants_first_value=_FIRST.search(text) is not None,
            wants_newest_value=_NEWEST.search(text) is not None,
            of_asker=_OF_ASKER.search(text) is not None,
            is_negated=NEGATION.search(text) is not None,
            has_names=_NAME_INSIDE.search(text) is not None,
            about=About.of(text),
        )

    def says(self, word: str) -> bool:
        """Return whether the question itself holds ``word``, in lower case."""
        return word in self.text.lower()


def _wanted(text: str) -> Wanted:
    for wanted, pattern in _WANTED_PATTERNS.items():
        if pattern.search(text):
            return wanted
    return Wanted.ANYTHING


def _weights(text: str) -> dict[str, float]:
    words = content_words(_HOW_ADJECTIVE.sub(" ", text))
    weights = {word: LIGHT_FACTOR if word in _LIGHT_STEMS else 1.0 for word in words}
    for name in _NAME_INSIDE.findall(text):
        weights.update(dict.fromkeys(content_words(name), NAME_FACTOR))
    for focus in _FOCUS.findall(text):
        for word in content_words(focus) & weights.keys():
            weights[word] = min(weights[word], FOCUS_FACTOR)
    return weights
