"""Whom and what a question asks about: what a statement must speak of besides sharing words with it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memviz.core.text.vocabulary import LIGHT_WORDS
from memviz.core.text.words import content_words, stem

_OWN_NAME = re.compile(
    r"\bwhat(?:['’]s| is) my (?:(?:full|last|first) )?name\b|\bwho am i\b|\bmy name\?|\bwie heiße ich\b|\bcomment je m"
    r"|我叫什么|我的名字是什么|我是谁",
    re.IGNORECASE,
)
_HOW_LONG = re.compile(
    r"\bhow long (?:is|are|was|were|do|does|did|will)\b.*\b(?:stay|trip|journey|ride|flight|drive|tour"
    r"|course|meeting|visit|holiday|we|take|last|run)\b|\bwie lange\b|多长时间|多久",
    re.IGNORECASE,
)
_TASTE = re.compile(
    r"\bwhat (?:else )?(?:do|does|did) .* (?:like|love|enjoy)(?: (?:most|best|to \w+))?\W*$|喜欢(?:吃|喝|做|玩)?什么",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"\b(?!(?:what|who|where|when|how|that|it|there|here|he|she)['’])([\w-]+)['’]s ((?:[\w-]+ ){0,2}?[\w-]+)"
    r"(?=\W*$| (?:is|was|again|called|now)\b)",
    re.IGNORECASE,
)
OTHERS = (
    r"(?:supplier|vendor|customer|client|employer|contractor|builder|plumber|electrician|landlord|landlady|tenant"
    r"|lawyer|solicitor|notary|accountant|agent|insurer|bank|doctor|dentist|vet|neighbou?r|colleague|boss|manager|partner"
    r"|wife|husband|son|daughter|brother|sister|mother|father|mum|mom|dad|friend|teacher|guest|caterer|photographer|driver"
    r"|lieferant(?:en)?|kunden?|vermieters?|nachbarn?|chefs?|arzt(?:es)?|kollegen|freund(?:in|es)?|anwalts?)"
)
"""Those whose numbers are not the asker's. Things are not among them: the number of the locker is the asker's own."""
_OWNED_BY = re.compile(
    r"\b(?:the|a|which|what|die|der|das|welche[rs]?) (?P<owned>(?:[\w-]+ ){0,2}[\w-]+)"
    r" (?:(?:of|belonging to|des|der|vom|von|meine[rs]|unsere[rs]) (?:(?:the|our|my|your|his|her|their|dem|der) )?"
    r"|(?:does|do|did|has|hat) (?:the|our|my|der|die|unsere?|meine?) )"
    rf"(?P<owner>{OTHERS})\b"
    r"|(?P<han_owner>供应商|房东|客户|顾客|同事|朋友|老板|邻居|医生|银行|律师|老师)的"
    r"(?P<han_owned>[\u4e00-\u9fff]{1,4}?)(?=是|[？?]|$)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:my|our|meine?|unsere?) ((?:[\w-]+ ){0,2}?[\w-]+)(?=\W*$| (?:is|was|again|called|now)\b)",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"^(?:(?:and|so|but|hey),? )?(?:is|are|was|were|does|do|did|has|have|had|can|will)\b",
    re.IGNORECASE,
)

_LIGHT_STEMS = frozenset(map(stem, LIGHT_WORDS))


def _telling(stems: frozenset[str]) -> frozenset[str]:
    """Without "number" and the like, where more is said."""
    return stems - _LIGHT_STEMS or stems


def _owner(text: str) -> tuple[str, str]:
    """Somebody else, in lower case, and what they have: "the supplier's VAT number", or "the VAT number of" them."""
    if match := _OWNED.search(text):
        return match.group(1).lower(), match.group(2)
    if match := _OWNED_BY.search(text):
        return (match["owner"] or match["han_owner"]).lower(), match["owned"] or match[
            "han_owned"
        ]
    return "", ""


@dataclass(frozen=True)
class About:
    """``names`` are the proper names that a question says, in lower case."""

    names: frozenset[str]
    is_yes_or_no: bool
    subject: frozenset[str]
    """The stems of the first word that a yes-or-no question is about: "salary" of "Was my salary raised?"."""
    owner: str
    owned: frozenset[str]
    """Somebody other than the asker, in lower case, and stems of what they have: "VAT" of "supplier's VAT number"."""
    own: frozenset[str]
    """Stems of what the asker has: "VAT" of "What is our VAT number?"."""
    own_name: bool
    duration: bool
    taste: bool
    """Whether it asks for the name of the asker, how long something takes, or what somebody likes."""

    @classmethod
    def of(cls, text: str, names: frozenset[str]) -> About:
        """Read the question ``text``."""
        (owner, owned), own, asks = (
            _owner(text),
            _OWN.search(text),
            _YES_OR_NO.match(text),
        )
        words = text[asks.end() :].split() if asks else []
        return cls(
            names,
            asks is not None,
            next(
                (stems for word in words if (stems := content_words(word))), frozenset()
            ),
            owner,
            _telling(content_words(owned)),
            own=_telling(content_words(own.group(1)))
            if own and not owner
            else frozenset(),
            own_name=_OWN_NAME.search(text) is not None,
            duration=_HOW_LONG.search(text) is not None,
            taste=_TASTE.search(text) is not None,
        )
