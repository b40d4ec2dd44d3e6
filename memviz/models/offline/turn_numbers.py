"""Which turns or messages an input asks for by their numbers: "What did I say in turn 3?", "第三轮我说了什么？"."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from memviz.core.text.vocabulary import words
from memviz.core.text.wording import message_position
from memviz.core.text.words import content_words

MAX_NAMED = 100
"""Of a longer range only so many turns or messages are looked for."""

_NUMBER_WORDS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
_ORDINALS = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "de": "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte",
}
_VALUES = {
    word: at
    for said in (_NUMBER_WORDS, _ORDINALS)
    for line in said.values()
    for at, word in enumerate(line.split(), 1)
}
_DIGITS = {digit: at for at, digit in enumerate("零一二三四五六七八九")} | {"两": 2}

_NUMBER = rf"(?:#?\d{{1,6}}|{'|'.join(' '.join(_NUMBER_WORDS.values()).split())})\b"
_ORDINAL = (
    rf"(?:\d{{1,6}}(?:st|nd|rd|th|\.)|(?:{'|'.join(_ORDINALS['en'].split())})"
    rf"|(?:{'|'.join(_ORDINALS['de'].split())})[rnsm]?)"
)
_TO = r"(?: ?[-–] ?| (?:up )?to | until | till | through | thru | bis (?:zur? )?)"
_AND = r"(?: ?(?:,|&) ?(?:(?:and|und) )?| and | und | or | oder )(?:the |der |die )?"
_NOUN = r"(?:turns?|runden?|rounds?|messages?|msgs?|nachricht(?:en)?)"
_SPACED = re.compile(
    rf"(?P<before>\b(?:in|at|of|from|during|by|with|aus|von|bei|zu) (?:the |my |your |our |der |den )?)?"
    rf"(?:\b(?P<noun>{_NOUN})(?: (?:no\.?|number|nr\.?|nummer))? ?(?P<numbers>{_NUMBER}(?:(?:{_TO}|{_AND}){_NUMBER})*)"
    rf"|(?<![\w.,])(?P<ordinals>{_ORDINAL}(?:(?:{_TO}|{_AND}){_ORDINAL})*) (?P<named>{_NOUN})\b)",
    re.IGNORECASE,
)
_HAN_NUMBER = r"(?:\d{1,6}|[一二三四五六七八九十两百零]{1,5})"
_HAN_TO = r"(?:到|至|-|–|~)"
_HAN_COUNTED = r"(?:轮|回合|条)"
_CHINESE = re.compile(
    rf"(?P<before>在)?(?P<numbers>第{_HAN_NUMBER}{_HAN_COUNTED}?(?:(?:{_HAN_TO}|[和与、,，]|以及)第?{_HAN_NUMBER}{_HAN_COUNTED}?)*)"
    r"(?<=(?P<noun>[轮合条]))(?:对话|谈话|消息|信息|的?时候)?(?:里面?|中|时)?"
)
_ONE = re.compile(
    rf"(?P<to>{_TO}|{_HAN_TO})|(?P<number>{_HAN_NUMBER}|{_ORDINAL}|{_NUMBER})",
    re.IGNORECASE,
)
_SAID_BY_USER = re.compile(
    r"\b(?:did|have|had|do) i\b|\bi (?:say|said|ask|asked|told|wrote|mention)|\bmy\b|\bhabe? ich\b"
    r"|\bich (?:dir )?\w*ge\w+"
    r"|我(?!们)(?:[^你]*)(?:说|问|告诉|提|写|讲|聊)",
    re.IGNORECASE,
)
_SAID_BY_MODEL = re.compile(
    r"\b(?:did|have|had) you\b|\byou (?:say|said|answer|replied|wrote)|\byour\b|\bhast du\b|\bhaben sie\b|\bdeine?\b"
    r"|你(?!们)[^我]*(?:说|答|回复|告诉|写|讲)",
    re.IGNORECASE,
)
_WHOSE = re.compile(r"\b(?:my|your|meiner?|deiner?) ?$", re.IGNORECASE)
"""My third message is the one of my third turn."""
_ABOUT_NOTHING = content_words(
    """said say tell exactly content contents contain written write wrote word words answer answered reply replied
    respond quote show repeat recall read happen happened speak spoke conversation chat earlier back topic topics
    summarize summarise summary recap sum give bring look
    was habe hab ich du wir haben hast dir mir in der den die das gesagt gefragt geschrieben erzählt erwähnt gesprochen
    besprochen geredet geantwortet stand steht war ging es um worum worüber über wiederhole zeige zeig nenne noch mal
    nochmal genau passiert inhalt gespräch uns bitte fasse zusammen hatte hatten
    我说 说了 问了 讨论 讨论了 聊了 聊 谈了 谈 谈到 内容 回答 回复 告诉 写了 提到 总结 概括 重复 讲了 讲 问 回答了 复述
    发 发了 写"""
) | words("said told asked did what 说 问")


class Named(NamedTuple):
    """The numbers of ``turns`` (from 1) and the ``positions`` of messages (from 0; -1 for a message 0, which there is
    none of) that a question names; who said what is wanted, if only one did; and the stems of what else it is about,
    its ``topic``, empty where everything is wanted."""

    turns: tuple[int, ...]
    positions: tuple[int, ...]
    said_by: Literal["user", "assistant", ""]
    topic: frozenset[str]
    question: str
    """The question without the numbers."""


def named_in(text: str) -> Named | None:
    """The turns or messages that a question or an order names, if it does. In "How do I turn 3 knobs?" and "Who won
    in round 3 of the match?" it does not."""
    match = _SPACED.search(text) or _CHINESE.search(text)
    if match is None:
        return None
    groups = match.groupdict()
    noun = (groups["noun"] or groups.get("named") or "").lower()
    rest = " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())
    topic = frozenset(stem for stem in content_words(rest) - _ABOUT_NOTHING)
    if topic and (not groups["before"] or noun.startswith(("rund", "round"))):
        return None
    numbers = tuple(sorted(set(_numbers(groups["numbers"] or groups["ordinals"]))))
    of_messages = noun.startswith(("m", "n", "条")) and not _WHOSE.search(
        text[: match.start()] + (groups["before"] or "")
    )
    return Named(
        () if of_messages else numbers,
        tuple(map(message_position, numbers)) if of_messages else (),
        _said_by(rest),
        topic,
        rest,
    )


def _said_by(text: str) -> Literal["user", "assistant", ""]:
    by_user = _SAID_BY_USER.search(text) is not None
    by_model = _SAID_BY_MODEL.search(text) is not None
    if by_user is by_model:
        return ""
    return "user" if by_user else "assistant"


def _numbers(said: str) -> Iterator[int]:
    """The numbers of a list with ranges: "2 to 4 and 7"."""
    last = 0
    is_range = False
    for piece in _ONE.finditer(said):
        if piece["to"]:
            is_range = True
            continue
        number = _value(piece["number"])
        yield from range(last + 1, min(number, last + MAX_NAMED)) if is_range else ()
        yield number
        last = number
        is_range = False


def _value(said: str) -> int:
    said = said.lower().lstrip("#")
    if digits := re.match(r"\d+", said):
        return int(digits.group())
    if said[0] in _DIGITS or said[0] in "十百":
        return _chinese_value(said)
    return _VALUES.get(said) or _VALUES[said.rstrip("rnsm")]


def _chinese_value(said: str) -> int:
    """十二, 二十三, 一百零五."""
    total = 0
    digit = 0
    for character in said:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        else:
            digit = _DIGITS[character]
    return total + digit
