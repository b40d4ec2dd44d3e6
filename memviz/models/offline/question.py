"""The reading of a question: its words by weight, the kind of answer that it wants, and whose: a statement about
somebody else does not answer it.

"Our VAT number is ..." does not tell the supplier's, nor does "Anna is allergic to nuts" tell anything of Ben.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from memviz.core.text.vocabulary import LIGHT_WORDS
from memviz.core.text.words import content_words, stem

_LIGHT_STEMS = frozenset(map(stem, LIGHT_WORDS))
_NO_OWNER = r"(?!(?:what|who|where|when|how|that|it|there|here|he|she)['’])"
"""Not before the 's of "what's" and "it's"."""
_ENDS_THERE = r"(?=\W*$| (?:is|was|again|called|now)\b)"
OTHERS = (
    r"(?:supplier|vendor|customer|client|employer|contractor|builder|plumber|electrician|landlord|landlady|tenant"
    r"|lawyer|solicitor|notary|accountant|agent|insurer|bank|doctor|dentist|vet|neighbou?r|colleague|boss|manager|partner"
    r"|wife|husband|son|daughter|brother|sister|mother|father|mum|mom|dad|friend|teacher|guest|caterer|photographer|driver"
    r"|lieferant(?:en)?|kunden?|vermieters?|nachbarn?|chefs?|arzt(?:es)?|kollegen|freund(?:in|es)?|anwalts?)"
)
"""Persons and firms whose numbers are not the asker's. Things are not among them: the number of the locker is the
asker's own."""
# "Anna's new address?"
_OWNED = re.compile(
    rf"\b{_NO_OWNER}(?P<owner>[\w-]+)['’]s (?P<owned>(?:[\w-]+ ){{0,2}}?[\w-]+){_ENDS_THERE}",
    re.IGNORECASE,
)
# "the phone number of the landlord?"
_OWNED_BY = re.compile(
    r"\b(?:the|a|which|what|die|der|das|welche[rs]?) (?P<owned>(?:[\w-]+ ){0,2}[\w-]+)"
    r" (?:(?:of|belonging to|des|der|vom|von|meine[rs]|unsere[rs]) (?:(?:the|our|my|your|his|her|their|dem|der) )?"
    r"|(?:does|do|did|has|hat) (?:the|our|my|der|die|unsere?|meine?) )"
    rf"(?P<owner>{OTHERS})\b",
    re.IGNORECASE,
)
# "房东的电话是"
_HAN_OWNED_BY = re.compile(
    r"(?P<owner>供应商|房东|客户|顾客|同事|朋友|老板|邻居|医生|银行|律师|老师)的"
    r"(?P<owned>[\u4e00-\u9fff]{1,4}?)(?=是|[？?]|$)"
)
# "my new phone number?", "our budget?"
_OWN = re.compile(
    rf"\b(?:my|our|meine?|unsere?) ((?:[\w-]+ ){{0,2}}?[\w-]+){_ENDS_THERE}",
    re.IGNORECASE,
)
# "Is the hotel booked", "And did he call"
_YES_OR_NO = re.compile(
    r"^(?:(?:and|so|but|hey),? )?(?:is|are|was|were|does|do|did|has|have|had|can|will)\b",
    re.IGNORECASE,
)
# "When does she arrive?", "他住在哪里"
_PRONOUN = re.compile(
    r"\b(?:he|she|they|his|her|their|him|it|its|we|i|you)\b|[他她它]", re.IGNORECASE
)
# "my new bicycle", "我的自行车"
_OWN_THING = re.compile(
    r"\b(?:my|our|mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?) ((?:[\w-]+ ?){1,3})"
    r"|我们?的?((?:公司|店里|家)?的?[\u4e00-\u9fff]{2,4})",
    re.IGNORECASE,
)
_OTHERS_THING = (
    rf"\b{_NO_OWNER}" + r"(?:{owner})['’]s ((?:[\w-]+ ?){{1,3}})"
    r"|((?:[\w-]+ ){{1,3}})(?:of|des|der) (?:the |our |my |dem |der )?{others}\b|{others}的(\w+)"
)
# "Anna's new address"
_OF_OTHERS = re.compile(
    _OTHERS_THING.format(owner=r"[\w-]+", others=OTHERS), re.IGNORECASE
)


@dataclass(frozen=True)
class About:
    """The people and things that a question is about, as far as its words show them."""

    owner: str
    """Somebody other than the asker whose thing is asked for, in lower case, or the empty text."""
    owned: frozenset[str]
    """The stems of what the owner has: "VAT" of "the supplier's VAT number"."""
    own: frozenset[str]
    """The stems of what the asker has: "VAT" of "What is our VAT number?"."""
    subject: frozenset[str]
    """The stems of the first word that a yes-or-no question is about: "salary" of "Was my salary raised?"."""

    @classmethod
    def of(cls, text: str) -> About:
        """Read the question ``text``."""
        owner, owned = _find_owner(text)
        own_match = None if owner else _OWN.search(text)
        return cls(
            owner,
            _telling_stems(owned),
            _telling_stems(own_match.group(1)) if own_match else frozenset(),
            _find_subject(text),
        )

    def is_missed_by(
        self, text: str, stems: frozenset[str], question_stems: frozenset[str]
    ) -> bool:
        """Return whether a statement speaks of somebody else, or says something else of the subject.

        ``text`` is the statement and ``stems`` are those that it says.
        """
        if self.owned and self._is_own(text):
            return True
        if self.own and self._is_of_others(text):
            return True
        if not self.subject:
            return False
        # "Was my salary raised?": a statement that says nothing of "raised" is no answer, nor one that says it of
        # something else, unless a pronoun stands for the salary.
        predicate = question_stems - self.subject
        if predicate and stems.isdisjoint(predicate):
            return True
        return stems.isdisjoint(self.subject) and not _PRONOUN.search(text)

    def _is_own(self, text: str) -> bool:
        """Return whether a statement speaks of the user's thing of that kind, and not of the owner's as well."""
        owner = re.escape(self.owner)
        theirs = re.compile(
            _OTHERS_THING.format(owner=owner, others=owner), re.IGNORECASE
        )
        for phrase in _find_things(theirs, text):
            if self.owned & content_words(phrase):
                return False
        for phrase in _find_things(_OWN_THING, text):
            if self.owner not in phrase.lower() and self.owned <= content_words(phrase):
                return True
        return False

    def _is_of_others(self, text: str) -> bool:
        """Return whether a statement speaks of another's thing of that kind, and not of the asker's."""
        if any(
            self.own <= content_words(phrase)
            for phrase in _find_things(_OWN_THING, text)
        ):
            return False
        phrases = _find_things(_OF_OTHERS, text)
        return any(self.own <= content_words(phrase) for phrase in phrases)


def _find_things(pattern: re.Pattern[str], text: str) -> list[str]:
    return [" ".join(groups) for groups in pattern.findall(text)]


def _find_owner(text: str) -> tuple[str, str]:
    """Somebody else, in lower case, and what they have: "the supplier's VAT number", or "the VAT number of" them."""
    for pattern in (_OWNED, _OWNED_BY, _HAN_OWNED_BY):
        ownership = pattern.search(text)
        if ownership is not None:
            return ownership["owner"].lower(), ownership["owned"]
    return "", ""


def _find_subject(text: str) -> frozenset[str]:
    opening = _YES_OR_NO.match(text)
    if opening is None:
        return frozenset()
    for word in text[opening.end() :].split():
        stems = content_words(word)
        if stems:
            return frozenset(stems)
    return frozenset()


def _telling_stems(text: str) -> frozenset[str]:
    """The stems of ``text``, without "number" and the like where it says more."""
    stems = frozenset(content_words(text))
    return stems - _LIGHT_STEMS or stems


LIGHT_FACTOR = 0.35
FOCUS_FACTOR = 0.7
NAME_FACTOR = 1.4
"""Weights of words of a question, where an ordinary one has 1: a word that says which kind of answer is wanted
("number"), the noun after "which" (an answer names the thing instead), and a proper name."""


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
# "Where do I live now?", "the latest price", "最新"
_NEWEST = re.compile(
    r"\b(?:now|current(?:ly)?|new|newest|latest|final(?:ly)?|in the end|today)\b|现在|目前|最新|最终|最后",
    re.IGNORECASE,
)
# "the original date", "at first", "最初"
_FIRST = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|at first|first|before the change)\b|最初|原来|一开始",
    re.IGNORECASE,
)
# "Where do I live?", "What is my name?"
_OF_ASKER = re.compile(
    r"\b(?:do|did|am|was|can|can't|have|should|will|must) (?:i|we)\b|\bmy name\b|\bcall me\b",
    re.IGNORECASE,
)
_NAME_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z]\w+(?:-\w+)*")
# "Which kind of tea", "what colour"
_FOCUS = re.compile(
    r"\b(?:what|which) (?:kinds? of |sorts? of |types? of )?(\w+)", re.IGNORECASE
)
# "I don't", "never", "不"
NEGATION = re.compile(
    r"n['’]t\b|\b(?:not|never|no|without|avoid|cannot|nobody|none)\b|不|没|别",
    re.IGNORECASE,
)
# "What's my name", "Who am I", "我叫什么"
_OWN_NAME = re.compile(
    r"\bwhat(?:['’]s| is) my (?:(?:full|last|first) )?name\b|\bwho am i\b|\bmy name\?|\bwie heiße ich\b|\bcomment je m"
    r"|我叫什么|我的名字是什么|我是谁",
    re.IGNORECASE,
)


_SEEN_BY = {
    "wants_own_name": _OWN_NAME,
    "wants_first_value": _FIRST,
    "wants_newest_value": _NEWEST,
    "of_asker": _OF_ASKER,
    "is_negated": NEGATION,
    "has_names": _NAME_INSIDE,
}
"""The fields of a :class:`Question` that are true where a pattern is found."""


@dataclass(frozen=True)
class Question:
    """A question as it is looked up in a context."""

    text: str
    weights: Mapping[str, float]
    """Each of its content stems and how much it counts."""
    wanted: Wanted
    wants_own_name: bool
    """True if it asks for the name of the asker."""
    wants_first_value: bool
    wants_newest_value: bool
    of_asker: bool
    """True if it asks about the asker, and not about somebody else."""
    is_negated: bool
    has_names: bool
    about: About

    @classmethod
    def of(cls, text: str) -> Question:
        """Read the question ``text``."""
        marks = {
            name: pattern.search(text) is not None for name, pattern in _SEEN_BY.items()
        }
        weights = _weigh_words(text)
        return cls(text, weights, _find_wanted(text), about=About.of(text), **marks)

    def says(self, word: str) -> bool:
        """Return whether the question itself holds ``word``, in lower case."""
        return word in self.text.lower()


def _find_wanted(text: str) -> Wanted:
    for kind, pattern in _WANTED_PATTERNS.items():
        if pattern.search(text):
            return kind
    return Wanted.ANYTHING


def _weigh_words(text: str) -> dict[str, float]:
    words = content_words(_HOW_ADJECTIVE.sub(" ", text))
    weights = {word: LIGHT_FACTOR if word in _LIGHT_STEMS else 1.0 for word in words}
    for name in _NAME_INSIDE.findall(text):
        weights.update(dict.fromkeys(content_words(name), NAME_FACTOR))
    for focus in _FOCUS.findall(text):
        for word in content_words(focus) & weights.keys():
            weights[word] = min(weights[word], FOCUS_FACTOR)
    return weights
