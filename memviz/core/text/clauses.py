"""Sentences into clauses that can stand alone, each with what belongs to it; in English, German and Chinese.

A clause stands alone where it names what it speaks of: "..., and the pod in the attic blinks". One that points back
("and it blinks", "which blinks") stays with the clause before it, or is left out where it tells nothing to keep: no
number, no name, no date, no condition. Nothing is reworded.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from memviz.core.text.openers import says_nothing, without_openers
from memviz.core.text.vocabulary import STOP_WORDS, words
from memviz.core.text.word_classes import DATE_WORDS, NUMBER_WORDS, WEIGHTY
from memviz.core.text.words import HAN

_CONJUNCTION = r"(?:and|but|so|yet|und|aber|denn|sondern)"
_ASIDE = (
    r"(?:because|since|although|though|while|whereas|which|who|as|weil|obwohl|während|wobei|sodass)\b"
    r"(?! (?:of|long|far))"
)
_POINTING = r"(?:he|she|it|they|that|this|er|sie|es|das)\b"
_TAG = (
    r"(?:if (?:that|it|this) (?:helps|matters)|though|as usual|thank you|thanks|please"
    r"|honestly|of course|i asked|you know|danke|bitte)(?=,|$)"
)
_BOUNDARY = re.compile(
    rf";\s+|\s[–—]\s|\s-\s(?=[^\W\d])|,\s+(?={_CONJUNCTION}\b|{_ASIDE}|where\b|then\b|{_TAG})",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:i|we|my|our|the|a|an|ich|wir|mein\w*|unser\w*|der|die|das|ein\w*)\b(?:['’](?:m|ve|re|d|ll))?"
    r"|(?-i:[A-ZÄÖÜ])\w+"
)
_FINITE = (
    r"(?:is|are|was|were|am|has|have|had|does|did|will|would|can|could|must|should|may|might|\w+['’](?:s|m|re|ve|ll|d)"
    r"|costs?|starts?|begins?|opens?|closes?|leaves?|departs?|arrives?|expires?|ends?|lives?|stays?|stands?|works?"
    r"|weighs?|pays?|needs?|wants?|keeps?|takes?|comes?|goes|lasts?|\w{2,}ed|ist|sind|war|hat|haben|wird|werden|kann|muss|heißt|kostet"
    r"|beginnt|endet|fährt|liegt|kommt)"
)
_MAY_PART = re.compile(r"[,;–—]|\s-\s|\s(?:and|but|und|aber)\s", re.IGNORECASE)
_JOINS = re.compile(rf"{_CONJUNCTION}\s+", re.IGNORECASE)
_REFERRING = re.compile(
    r"\b(?:its|his|her|their|there|sein\w*|ihr\w*)\b", re.IGNORECASE
)
_PARTICIPLE = (
    r"(?:called|named|located|based|dated|marked|printed|used|needed|required)"
)
_STANDS_ALONE = re.compile(
    rf"(?:{_CONJUNCTION}\s+)?(?:(?:{_SUBJECT})(?:\s+[^\s,;]+){{0,6}}?\s+(?!{_PARTICIPLE}\b){_FINITE}\b"
    r"|(?:i|we)['’](?:m|ve|re|ll|d)\b|(?:i|we|ich|wir)\s+[^\W\d_]+)",
    re.IGNORECASE,
)
_SPLICE = re.compile(
    rf",\s+(?={_POINTING})|\s(?=(?:and|but|und|aber)\s+{_POINTING})"
    r"|,\s+(?=(?:(?:my|our|the|mein\w*|unser\w*)\s+\w+|(?-i:[A-ZÄÖÜ])\w+)\s+(?:is|are|was|has|ist|sind|hat)\b)",
    re.IGNORECASE,
)
_BEGINS_BELOW = re.compile(
    r"(?:if|when|while|since|because|as|although|though|after|before|once|unless|whenever|until|wenn|weil|falls|als|da"
    r"|obwohl|sobald|bevor|nachdem)\b",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    rf"(?!(?:but|yet|aber|sondern|wh(?:ich|o) (?:is|are|was|were))\b)"
    rf"(?:{_CONJUNCTION}\b|{_ASIDE}|where\b|{_POINTING}|{_TAG})",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_IS_TAG = re.compile(_TAG, re.IGNORECASE)
_I = ("I'", "I’")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TELLING = (
    WEIGHTY
    | DATE_WORDS
    | NUMBER_WORDS
    | words("not no never only if unless until except without nicht nie kein nur")
)
_ENDING = " ,;:–—"
_CHINESE_PART = re.compile(r"[^，；]+[，；]?")
_CHINESE_TELLING = re.compile(
    r"[\dA-Za-z“”《》「」]|[一二两三四五六七八九十百千万半]|[不没无叫姓名改定换住在给送周月号年岁]|(?<!特)别"
    r"|过敏|喜欢|讨厌|必须|如果|除非|要是"
)
_CHINESE_REASON = re.compile(r"(?:所以|因为|因此|结果|毕竟)[^\d]*$")
_CHINESE_SUBJECT = re.compile(
    r"(?:而|但|并且|所以)?(?:我们?的?|[\u4e00-\u9fff]{1,8}的)[\u4e00-\u9fff]{1,6}[是叫定改为在要]"
)


@lru_cache(maxsize=8192)
def clauses(sentence: str) -> tuple[str, ...]:
    """The clauses of ``sentence`` that state something, in order; none, if it is a mere courtesy or exclamation."""
    text = without_openers(sentence)
    if not text or says_nothing(text):
        return ()
    chinese = not text.isascii() and len(HAN.findall(text)) * 2 > len(text)
    found = tuple(_chinese(text) if chinese else _spaced(text))
    return (
        found
        if found == (text,)
        else tuple(clause for clause in found if not says_nothing(clause))
    )


def _spaced(text: str) -> Iterator[str]:
    """Clauses of a language that parts its words."""
    if not _MAY_PART.search(text):
        yield text
        return
    end = text[-1] if text[-1] in ".!?" else ""
    for group in _groups(text.removesuffix(end)):
        while len(group) > 1 and _is_needless(group[-1]):
            group.pop()
        yield _as_sentence("".join(group), end)


def _groups(text: str) -> list[list[str]]:
    """Clauses that stand alone, each with the parts that follow it and do not."""
    groups: list[list[str]] = []
    below = _BEGINS_BELOW.match(text) is not None
    for part in _parts(text, below):
        if groups and ((below and len(groups) == 1) or not _stands_alone(part)):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _stands_alone(part: str) -> bool:
    """Whether a part names what it speaks of and has a verb."""
    alone = _STANDS_ALONE.match(part)
    if alone is None or _REFERRING.search(alone.group()):
        return False
    return _DROPPED.match(part) is None or _JOINS.match(part) is not None


def _parts(text: str, below: bool) -> Iterator[str]:
    """``text`` cut where a clause may begin; what parts two of them stays at the end of the first."""
    cuts = {found.end() for found in _BOUNDARY.finditer(text)}
    if not below:
        cuts |= {found.end() for found in _SPLICE.finditer(text)}
    start = 0
    for cut in (*sorted(cuts), len(text)):
        if cut > start:
            yield text[start:cut]
        start = cut


def _is_needless(part: str) -> bool:
    """Whether a part that does not stand alone can be left out: a reason or a remark without a value."""
    if _IS_TAG.match(part):
        return True
    if not _DROPPED.match(part) or _DIGIT.search(part):
        return False
    spoken = _WORD.findall(part)
    if any(
        word[:1].isupper() and word[:2] not in _I and word.lower() not in STOP_WORDS
        for word in spoken[1:]
    ):
        return False
    return not any(
        word.lower() in _TELLING or word.lower().endswith(("n't", "n’t"))
        for word in spoken
    )


def _as_sentence(text: str, end: str) -> str:
    text = text.strip(_ENDING)
    joint = _JOINS.match(text)
    text = text[joint.end() :] if joint else text
    return text[:1].upper() + text[1:] + end


def _chinese(text: str) -> Iterator[str]:
    """Clauses of a Chinese sentence. Those behind the first one share its subject, so they stay with it, but for those
    that have one of their own or tell nothing."""
    end = text[-1] if text[-1] in "。！？" else ""
    parts = _CHINESE_PART.findall(text.removesuffix(end))
    groups: list[list[str]] = []
    for part in parts:
        if groups and not _CHINESE_SUBJECT.match(part):
            groups[-1].append(part)
        else:
            groups.append([part])
    for group in groups:
        kept = group[:1] + [
            part
            for part in group[1:]
            if _CHINESE_TELLING.search(part) and not _CHINESE_REASON.match(part)
        ]
        yield "".join(kept).rstrip("，；") + end
