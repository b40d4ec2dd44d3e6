"""Splits sentences into clauses that can stand alone, in English, German and Chinese.

The offline model writes its summaries and fact lists from clauses. Example: ``split_clauses("Thanks, the pod costs $5,
and my sister lives in Rome.")`` is ``("The pod costs $5.", "My sister lives in Rome.")``.

A clause stands alone if it names its subject: "..., and the pod in the attic blinks". A clause that points back ("and
it blinks", "which blinks") stays with the clause before it; it is left out if it has no number, name, date or
condition. Words are left out but never changed.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from memviz.core.text.openers import DIGIT, WORD, is_empty_talk, remove_openers
from memviz.core.text.vocabulary import (
    DATE_WORDS,
    NUMBER_WORDS,
    STOP_WORDS,
    WEIGHTY,
    words,
)
from memviz.core.text.words import HAN

# what joins two clauses
_CONJUNCTION = r"(?:and|but|so|yet|und|aber|denn|sondern)"
# "because" of "because it rains"; not "because of"
_ASIDE = (
    r"(?:because|since|although|though|while|whereas|which|who|as|weil|obwohl|während|wobei|sodass)\b"
    r"(?! (?:of|long|far))"
)
# "it" of "and it blinks"
_POINTING = r"(?:he|she|it|they|that|this|er|sie|es|das)\b"
# "if that helps", "as usual", "thanks", at the end of a clause
_TAG = (
    r"(?:if (?:that|it|this) (?:helps|matters)|though|as usual|thank you|thanks|please"
    r"|honestly|of course|i asked|you know|danke|bitte)(?=,|$)"
)
# ", and ", "; ", " – ", ", because "
_BOUNDARY = re.compile(
    rf";\s+|\s[–—]\s|\s-\s(?=[^\W\d])|,\s+(?={_CONJUNCTION}\b|{_ASIDE}|where\b|then\b|{_TAG})",
    re.IGNORECASE,
)
# "we", "my", "the", "Ana": the beginning of what a clause speaks of
_SUBJECT = (
    r"(?:i|we|my|our|the|a|an|ich|wir|mein\w*|unser\w*|der|die|das|ein\w*)\b(?:['’](?:m|ve|re|d|ll))?"
    r"|(?-i:[A-ZÄÖÜ])\w+"
)
# "is", "costs", "moved": a verb that makes a clause of its subject
_FINITE = (
    r"(?:is|are|was|were|am|has|have|had|does|did|will|would|can|could|must|should|may|might|\w+['’](?:s|m|re|ve|ll|d)"
    r"|costs?|starts?|begins?|opens?|closes?|leaves?|departs?|arrives?|expires?|ends?|lives?|stays?|stands?|works?"
    r"|weighs?|pays?|needs?|wants?|keeps?|takes?|comes?|goes|lasts?|\w{2,}ed|ist|sind|war|hat|haben|wird|werden|kann|muss|heißt|kostet"
    r"|beginnt|endet|fährt|liegt|kommt)"
)
# ",", "—", " - ", " and ": one set of characters first, which is searched for faster
_MAY_PART = re.compile(r"[,;–—\s](?:(?<!\s)|(?:-|and|but|und|aber)\s)", re.IGNORECASE)
_JOINS = re.compile(rf"{_CONJUNCTION}\s+", re.IGNORECASE)
# "its price", "her sister"
_REFERRING = re.compile(
    r"\b(?:its|his|her|their|there|sein\w*|ihr\w*)\b", re.IGNORECASE
)
# "called" of "a dog called Rex", which looks like a verb
_PARTICIPLE = (
    r"(?:called|named|located|based|dated|marked|printed|used|needed|required)"
)
# "and the pod in the attic blinks", "we've moved", "I agree"
_STANDS_ALONE = re.compile(
    rf"(?:{_CONJUNCTION}\s+)?(?:(?:{_SUBJECT})(?:\s+[^\s,;]+){{0,6}}?\s+(?!{_PARTICIPLE}\b){_FINITE}\b"
    r"|(?:i|we)['’](?:m|ve|re|ll|d)\b|(?:i|we|ich|wir)\s+[^\W\d_]+)",
    re.IGNORECASE,
)
# ", " of "I called, it rang" and of "I called, Ana was out"
_SPLICE = re.compile(
    rf",\s+(?={_POINTING})|\s(?=(?:and|but|und|aber)\s+{_POINTING})"
    r"|,\s+(?=(?:(?:my|our|the|mein\w*|unser\w*)\s+\w+|(?-i:[A-ZÄÖÜ])\w+)\s+(?:is|are|was|has|ist|sind|hat)\b)",
    re.IGNORECASE,
)
# "if it rains", "weil es regnet"
_SUBORDINATE_START = re.compile(
    r"(?:if|when|while|since|because|as|although|though|after|before|once|unless|whenever|until|wenn|weil|falls|als|da"
    r"|obwohl|sobald|bevor|nachdem)\b",
    re.IGNORECASE,
)
# "and so on", "because I like it", "which blinks", "as usual"; not "which is new"
_DROPPED = re.compile(
    rf"(?!(?:but|yet|aber|sondern|wh(?:ich|o) (?:is|are|was|were))\b)"
    rf"(?:{_CONJUNCTION}\b|{_ASIDE}|where\b|{_POINTING}|{_TAG})",
    re.IGNORECASE,
)
_IS_TAG = re.compile(_TAG, re.IGNORECASE)
_CONTRACTED_I = ("I'", "I’")
"""The beginning of "I'm" and "I've", which are no names."""
_TELLING_WORDS = (
    WEIGHTY
    | DATE_WORDS
    | NUMBER_WORDS
    | words("not no never only if unless until except without nicht nie kein nur")
)
"""Words for which a remark is worth keeping: "because only members get in"."""
_ENDING = " ,;:–—"
"""Characters that are taken off both ends of a clause."""
# "我们的预算是三千，" of "我们的预算是三千，酒店在市中心"
_CHINESE_PART = re.compile(r"[^，；]+[，；]?")
# "三月", "《三体》", "必须"
_CHINESE_TELLING = re.compile(
    r"[\dA-Za-z“”《》「」]|[一二两三四五六七八九十百千万半]|[不没无叫姓名改定换住在给送周月号年岁]|(?<!特)别"
    r"|过敏|喜欢|讨厌|必须|如果|除非|要是"
)
# "因为很便宜"
_CHINESE_REASON = re.compile(r"(?:所以|因为|因此|结果|毕竟)[^\d]*$")
# "我们的预算是", "而酒店的电话改"
_CHINESE_SUBJECT = re.compile(
    r"(?:而|但|并且|所以)?(?:我们?的?|[\u4e00-\u9fff]{1,8}的)[\u4e00-\u9fff]{1,6}[是叫定改为在要]"
)


def split_clauses(sentence: str) -> tuple[str, ...]:
    """Return the clauses of ``sentence`` that state something, in order; none, if it is a mere courtesy or
    exclamation."""
    text = remove_openers(sentence)
    if not text or is_empty_talk(text):
        return ()
    is_chinese = not text.isascii() and len(HAN.findall(text)) * 2 > len(text)
    parts = tuple(_split_chinese(text) if is_chinese else _split_spaced(text))
    if parts == (text,):
        return parts
    return tuple(clause for clause in parts if not is_empty_talk(clause))


def _split_spaced(text: str) -> Iterator[str]:
    """Yield the clauses of a sentence of a language that parts its words."""
    if not _MAY_PART.search(text):
        yield text
        return
    end = text[-1] if text[-1] in ".!?" else ""
    for group in _group_clauses(text.removesuffix(end)):
        # Reasons and remarks at the end of a clause are left out, the clause itself is not.
        while len(group) > 1 and _is_needless(group[-1]):
            group.pop()
        yield _as_sentence("".join(group), end)


def _group_clauses(text: str) -> list[list[str]]:
    """Return the clauses that stand alone, each with the parts behind it that do not."""
    # "If it rains, we stay at home": a sentence that begins with a subordinate clause is one.
    is_subordinate = _SUBORDINATE_START.match(text) is not None
    parts = _split_parts(text, is_subordinate)
    if is_subordinate:
        return [[*parts]]
    return _group_parts(parts, _stands_alone)


def _group_parts(
    parts: Iterable[str], stands_alone: Callable[[str], object]
) -> list[list[str]]:
    groups: list[list[str]] = []
    for part in parts:
        if groups and not stands_alone(part):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _stands_alone(part: str) -> bool:
    """Return whether a part names what it speaks of and has a verb."""
    if _DROPPED.match(part) and not _JOINS.match(part):
        return False
    alone = _STANDS_ALONE.match(part)
    return alone is not None and _REFERRING.search(alone.group()) is None


def _split_parts(text: str, is_subordinate: bool) -> Iterator[str]:
    """Yield the parts of ``text`` between which a clause may begin; what parts two of them stays at the end of the
    first."""
    cuts = {boundary.end() for boundary in _BOUNDARY.finditer(text)}
    if not is_subordinate:
        cuts |= {splice.end() for splice in _SPLICE.finditer(text)}
    start = 0
    for stop in (*sorted(cuts), len(text)):
        if stop > start:
            yield text[start:stop]
        start = stop


def _is_needless(part: str) -> bool:
    """Return whether a part that does not stand alone can be left out: a reason or a remark without a value."""
    if _IS_TAG.match(part):
        return True
    if not _DROPPED.match(part) or DIGIT.search(part):
        return False
    # A remark with a telling word, a negation or a name is kept.
    for number, word in enumerate(WORD.findall(part)):
        lower = word.lower()
        if lower in _TELLING_WORDS or lower.endswith(("n't", "n’t")):
            return False
        may_be_name = (
            number > 0 and word[:1].isupper() and word[:2] not in _CONTRACTED_I
        )
        if may_be_name and lower not in STOP_WORDS:
            return False
    return True


def _as_sentence(text: str, end: str) -> str:
    text = text.strip(_ENDING)
    joint = _JOINS.match(text)
    if joint:
        text = text[joint.end() :]
    return text[:1].upper() + text[1:] + end


def _split_chinese(text: str) -> Iterator[str]:
    """Yield the clauses of a Chinese sentence. Those behind the first one share its subject, so they stay with it, but
    for those that have one of their own or tell nothing."""
    end = text[-1] if text[-1] in "。！？" else ""
    parts = _CHINESE_PART.findall(text.removesuffix(end))
    for first, *later_parts in _group_parts(parts, _CHINESE_SUBJECT.match):
        clause = first
        for part in later_parts:
            if _CHINESE_TELLING.search(part) and not _CHINESE_REASON.match(part):
                clause += part
        yield clause.rstrip("，；") + end
