"""Whom and what a question asks about: what a statement must speak of besides sharing words with it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memviz.text.vocabulary import LIGHT_WORDS
from memviz.text.words import content_words, stem

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
_YES_OR_NO = re.compile(
    r"^(?:(?:and|so|but|hey),? )?(?:is|are|was|were|does|do|did|has|have|had|can|will)\b", re.IGNORECASE
)

_LIGHT_STEMS = frozenset(map(stem, LIGHT_WORDS))


def _telling(stems: frozenset[str]) -> frozenset[str]:
    """Without "number" and the like, where more is said."""
    return stems - _LIGHT_STEMS or stems


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
    own_name: bool
    duration: bool
    taste: bool
    """Whether it asks for the name of the asker, how long something takes, or what somebody likes."""

    @classmethod
    def of(cls, text: str, names: frozenset[str]) -> About:
        """Read the question ``text``."""
        owned, asks = _OWNED.search(text), _YES_OR_NO.match(text)
        words = text[asks.end() :].split() if asks else []
        return cls(
            names,
            asks is not None,
            next((stems for word in words if (stems := content_words(word))), frozenset()),
            owned.group(1).lower() if owned else "",
            _telling(content_words(owned.group(2))) if owned else frozenset(),
            own_name=_OWN_NAME.search(text) is not None,
            duration=_HOW_LONG.search(text) is not None,
            taste=_TASTE.search(text) is not None,
        )
