"""Where a text names the answer to a question in another role: a house number for a count, a friend called April for a
month, the company that somebody asks about for the one she works for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from memviz.text.polarity import BORDER, PERSON
from memviz.text.words import content_words
from memviz.transcripts.base import Probe

Blank = Callable[[str], str]
"""A text without the parts where an answer has another role."""

_I = re.IGNORECASE
_ASKS_NUMBER = re.compile(r"\bhow (?:many|old)\b|几[个只次张岁人位间]|多少[个只次张人位间]|多大", _I)
_BARE_NUMBER = re.compile(r"\d{1,4}|[a-z]{3,9}(?:-[a-z]+)?|\d{1,3}[^\W\d]|[一二两三四五六七八九十]+[^\W\d]?", _I)
_LABELS = re.compile(
    r"\b(?:number|no\.|nr\.?|flat|room|unit|gate|platform|chapter|page|bus|line|route|apartment|apt\.?|floor|level"
    r"|version|seat|row|step|grade|terminal|track|size|suite|house|highway|exit|channel|bay|locker|table|building) "
    r"(?:number |no\. )?#?\d+\b|#\d+\b"
    r"|\b\d+ (?:[A-Z][\w'’]+ ){1,3}(?:Street|St|Close|Road|Rd|Avenue|Ave|Lane|Drive|Way|Court|Place|Square|Row|Terrace"
    r"|Crescent|Gardens?|Boulevard|Blvd|Hill|Park|Mews|Quay)\b"
    r"|\b\w+ o['’]clock\b|第[\d一二三四五六七八九十]+|\d+(?:号楼?|楼|层|栋|单元|室|路)",
)
_ASKS_TIME = re.compile(r"\bwhen\b|\bwhat (?:month|date|day|time of year)\b|\bwhich month\b", _I)
_MONTH = re.compile(r"(?:in )?(march|may|april|june|august)", _I)
_VERB = r"(?:is|was|has|had|will|would|can|and I|and she|and he|from|says|said|\w{3,}ed|\w{2,}s)"
_NOT_A_MONTH = (
    r"\b(?<!in )(?<!of )(?<!by )(?<!since )(?<!until )(?<!till )(?<!this )(?<!next )(?<!last )(?<!early )(?<!mid )"
    r"(?<!late )(?<!every )(?<!for )(?<!mid-)(?<!before )(?<!after )(?<!from )(?<!to )"
)
_NAMED = re.compile(r"\b(?:name|called)\b|叫什么|姓什么|叫啥|名字", _I)
_WORKS = re.compile(
    r"\b(?:work|works|working|job|employer|company|live|lives|living|attend|go to)\b|公司|上班|工作|住|学校", _I
)
_ASKED_ABOUT = re.compile(
    r"\b(?:asked|asks|asking|wonder(?:s|ed)?|wanted to know|wants to know|curious|inquired|enquired) "
    r"(?:about |me |us )?(?P<what>(?:what|whether|if|how|which|why)\b[^.!?;\n]*|(?:the )?(?:hiring|salar|rent"
    r"|weather)[^.!?;\n]*)"
    r"|[问想](?:知道|一下)?(?P<han>[^，。；！？\n]*(?:怎么样|怎样|是什么|如何|吗|好不好|难不难|多少)[^，。；！？\n]*)",
    _I,
)
_OF_USER = re.compile(
    r"\b(?:do|does|is|are|did|has|have|was|will) (?:the user|i|you|she|he)\b|\bthe user['’]s (?:job|hometown"
    r"|home|pet|car|age"
    r"|favou?rite|hobby|profession|employer|address|diet|allerg\w+)|^用户(?!的)|^用户的(?:职业|工作|老家|年龄|爱好)",
    _I,
)
_OF_OTHERS = re.compile(
    rf"\b(?:my|his|her|their|our|(?:the )?user['’]s|a|the) (?:\w+ )?(?:{PERSON})(?: (?-i:[A-Z])\w+)?,? (?:also "
    rf"|now |already "
    r"|currently )?(?:has|is|works?|lives?|owns|drives|plays|likes|loves|hates|prefers|uses|speaks|studies|eats"
    r"|drinks|takes|supports|got|adopted|keeps|teaches|comes)\b(?P<what>(?:[^,.;!?\n]|(?<=\d)[.,](?=\d))*)"
    rf"|(?:{PERSON})(?:家|也|现在|一直|在)*"
    r"(?=[住在养有是喜吃喝用开学对支])(?P<han>[^，。；！？\n]*)",
    _I,
)
_IF = re.compile(
    r"\bif (?:I|we|she|he|they|the user|you) (?:ever|could|had|were|won|someday|one day)\b[^.;!?\n]*"
    r"|(?:要是|如果|假如|万一)(?![^。；！？\n]*没)[^。；！？\n]*(?:也许|可能|就|会)[^，。；！？\n]*",
    _I,
)
_ASKS_OPENLY = re.compile(r"\b(?:would|could|might|if|dream|wish)\b|如果|要是|可能|想", _I)
_UNDECIDED = re.compile(
    r"(?:\b(?:not|n['’]t|yet to|never)\b[^.,;!?\n]{0,20}\b(?:decided|settled|named|given|mentioned|known|set"
    r"|chosen|announced|confirmed|fixed|specified|stated|said|picked|agreed)\b"
    r"|\bno\b [^.,;!?\n]{1,40} (?:has been|was|is|were)"
    r" (?:\w+ )?(?:decided|settled|named|given|mentioned|set|chosen|announced|confirmed|fixed|specified|stated"
    r"|picked|agreed)"
    r"|\b(?:undecided|unknown|to be (?:decided|announced|confirmed)|tbd|tba|still open|up in the air)\b"
    r"|(?:还没|没有?|未|尚未|还不)(?:有)?(?:最后)?(?:决定|确定|定|说|提到?|公布|想好|选好|知道)|待定|未定)",
    _I,
)
_CLAUSE = re.compile(r"[^.,;!?，。；！？\n]+")
_MAY_BE_UNDECIDED = re.compile(
    r"\b(?:not|no|yet to|never|undecided|unknown|tb[da]|to be|up in|open)\b|n['’]t\b|[没未]|还不|待定", _I
)


def blanks_of(probe: Probe) -> tuple[Blank, ...]:
    """What has to be taken out of a text before the answer of ``probe`` is looked for in it."""
    return tuple(_blanks_of(probe.question, tuple(probe.answers)))


def _blanks_of(question: str, answers: tuple[str, ...]) -> Iterator[Blank]:
    if _ASKS_NUMBER.search(question) and all(map(_BARE_NUMBER.fullmatch, answers)):
        yield lambda text: _LABELS.sub(BORDER, text)
    if _ASKS_TIME.search(question) and (months := [found for one in answers if (found := _MONTH.fullmatch(one))]):
        pattern = _no_months("|".join(found[1] for found in months))
        yield lambda text: pattern.sub(BORDER, text)
    if _NAMED.search(question) or "姓" in question:
        yield from _inside_other_names(answers)
    if _WORKS.search(question):
        yield lambda text: _without_groups(_ASKED_ABOUT, text)
    if _OF_USER.search(question) and not re.search(PERSON, question, _I):
        yield lambda text: _without_groups(_OF_OTHERS, text)
        if not _ASKS_OPENLY.search(question):
            yield lambda text: _IF.sub(BORDER, text)
    subject = content_words(question)
    if subject:
        yield lambda text: _without_undecided(text, subject)


@lru_cache(maxsize=64)
def _no_months(names: str) -> re.Pattern[str]:
    """The names of these months where they are verbs or people."""
    return re.compile(
        rf"\b(?:{PERSON}),? (?:{names})\b|{_NOT_A_MONTH}(?:{'|'.join(names.lower().split('|'))})\b(?! \d)"
        rf"|{_NOT_A_MONTH}(?:{names}) (?=(?-i:{_VERB})\b)"
    )


def _inside_other_names(answers: tuple[str, ...]) -> Iterator[Blank]:
    """A short Chinese name that is a part of another name, or a measure word behind a number."""
    short = [re.escape(answer) for answer in answers if len(answer) <= 2 and not answer.isascii()]
    if short:
        names = "|".join(short)
        pattern = re.compile(
            rf"(?:{names})(?=节气|节|路|街|市|省|县|区|镇|站|桥|大学|公司|那天|天气)|(?<=[\d一二两三四五六七八九十几每这那])(?:{names})"
        )
        yield lambda text: pattern.sub(BORDER, text)


def _without_groups(pattern: re.Pattern[str], text: str) -> str:
    """``text`` without what a group of ``pattern`` finds."""
    parts, at = [], 0
    for match in pattern.finditer(text):
        start, stop = match.span(match.lastgroup or 0)
        parts.append(text[at:start])
        at = stop
    return BORDER.join([*parts, text[at:]])


def _without_undecided(text: str, subject: frozenset[str]) -> str:
    """``text``, of whose lines that say that the ``subject`` is not decided or not told only the clause that says it
    is left. The other lines stay: what one entry of a long summary leaves open is no word on all the others."""
    if not _MAY_BE_UNDECIDED.search(text):
        return text
    lines = text.split("\n")
    return "\n".join(
        next((clause for clause in _undecided_clauses(line) if subject & content_words(clause)), line) for line in lines
    )


@lru_cache(maxsize=2048)
def _undecided_clauses(text: str) -> tuple[str, ...]:
    if not _MAY_BE_UNDECIDED.search(text):
        return ()
    return tuple(clause for clause in _CLAUSE.findall(text) if _UNDECIDED.search(clause))
