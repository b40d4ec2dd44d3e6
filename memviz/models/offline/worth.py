"""The worth of a clause in a summary: what it tells, who said it, and whether it will hold tomorrow."""

import re

from memviz.core.text.sentences import Sentence
from memviz.core.text.vocabulary import WEIGHTY, words
from memviz.core.text.words import HAN
from memviz.models.offline.asking import is_deed

ROLE_WEIGHT = {
    "user": 1.3,
    "assistant": 0.6,
    "tool": 0.3,
    "call": 0.1,
    "system": 0.4,
    "summary": 1.2,
    "": 1.0,
}
QUESTION = 0.15
ECHO = 0.15
CALCULATION = 0.3
FRAGMENT = 0.5
ATTRIBUTE = 1.3
UNHEDGED = 2.5
"""Factors for numbers that are worked out, for clauses without a verb, for what is said of a thing by its name ("The
door code of the cabin is ..."), and for standing rules, which read like advice."""
PASSING = 0.7
OPINION = 0.7
VAGUE = 0.5
ORDER = 0.4
DANGLING = 0.8
"""Factors for what holds today only or is a step of a story, for what somebody supposes, for what has no value in it
(no number, name, date or decision), for what is to be done now, and for an "it" that is named elsewhere."""
STANDING_RULE = 2.0
"""Added to the weight of what is to be kept to from now on: "please never phone before nine"."""
LEAST_HAN = 4
LEAST_LETTERS = 4
CHINESE_NAME = 0.7
"""Added for what stands in Chinese quotation marks: the names of things, which no capital letter shows."""

_CHINESE_NAME = re.compile(r"[“「《][^”」》]{1,12}[”」》]")
_CALCULATION = re.compile(
    r"\d\s*[×÷=<>≈≤≥√^]|[=<>≈]\s*[-\d]|\d\s+[+*/-]\s+\d|\d\.\d{4}|除以|乘以"
)
_CALCULATING = words("squared divided multiplied plus minus sqrt geteilt")
_PROBABILITY = re.compile(r"\b0\.\d\d")
_RULE = re.compile(
    r"^(?:please )?(?:never|always|don['’]t|do not)\b|\bplease (?:never|always|don['’]t|do not)\b|\bfrom now on\b"
    r"|^(?:bitte )?(?:nie(?:mals)?|immer|keine?)\b|\b(?:bitte (?:nie|immer|kein)|ab jetzt|ab sofort)",
    re.IGNORECASE,
)
_RULING = words("never always don't don’t not now nie niemals immer kein keine ab")
_CHINESE_RULE = re.compile(
    r"(?<!要)不要|(?<!特)(?<!区)别(?![的人墅太])|永远|一律|从不|绝不|[们我家店]不[做卖收接用吃喝]|只能|必须|不能"
)
_PASSING = words("today tonight yesterday tomorrow ago heute gestern vorhin") | words(
    "morning afternoon evening moment"
)
_PASSING_PHRASE = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|ago|this (?:morning|afternoon|evening)|at the moment|heute|gestern"
    r"|vorhin)\b",
    re.IGNORECASE,
)
_CHINESE_PASSING = re.compile(r"今[天晚早]|昨[天晚]|刚[才刚]|明天")
_STEPS = words("then first second third next finally afterwards dann zuerst danach")
_CHINESE_STEP = re.compile(r"然后|接着|首先")
_DANGLING = re.compile(r"\b(?:it|them|this one|that one)\b", re.IGNORECASE)
_CHINESE_VALUE = re.compile(
    r"[“《]|决定|喜欢|讨厌|过敏|必须|不能|叫|住在|生日|密码|地址|只[能有]|不[吃喝用做卖]"
)
_SUPPOSING = words(
    "think suspect guess hope wonder suppose fear doubt believe assume glaube denke hoffe vermute"
)
_CHINESE_OPINION = re.compile(r"[我觉]觉得|我猜|我怕")
_ATTRIBUTE = re.compile(
    r"^(?:the|my|our|your|his|her|their|(?-i:[A-Z])\w+['’]s|der|die|das|mein\w*|unser\w*)\s+[^,;:]{2,70}?\s(?:is|are|costs?|was"
    r"|has|expires?|opens?|closes?|starts?|begins?|ends?|lives?|keeps?|minds?|weighs?|lasts?|needs?|requires?|wants?|ist"
    r"|sind|lautet|kostet|heißt|beträgt|liegt|beginnt|endet)\b"
    r"|^[^，；]{1,24}?(?:(?<![可但还就要于总只不或算都也正真])是|叫|(?<![因认作成以])为)|^[^，；]{2,16}(?:定为|定在|改成|改为|改到|变成|对[^，]{1,8}过敏)",
    re.IGNORECASE,
)
_PRONOUNS = words("i we you he she it they ich wir er sie es du ihr")
_LABELLED = re.compile(r"[^\W\d_][\w ]{1,30}: \S")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_VERBS = words(
    """is are was were am be been has have had do does did will would can could must should may might shall costs cost
    starts start begins opens open closes leaves leave departs arrives expires ends lives live stays stay stands
    stand works work weighs pays pay needs need wants want requires lasts keeps keep minds comes come goes go gets
    get gives give takes take makes make says say knows know thinks think likes like loves hates prefers means
    writes wrote sends sent runs ran sits lies holds held drives drove teaches plays reads brings grew gave took
    went came made said told bought sold found left kept met paid booked put let meets meet sees saw becomes became
    sleeps slept eats ate drinks wears speaks calls uses helps plans signs reaches happens returns remains covers
    contains includes includes ist sind war waren hat haben wird werden kann muss soll heißt kostet beginnt endet
    fährt liegt kommt geht lautet"""
)


def worth(sentence: Sentence, role: str) -> float:
    """The weight of a clause that somebody said in this role, before its length counts; larger is better."""
    text = sentence.text
    traits = sentence.traits
    weight = traits.informativeness
    if sentence.is_question:
        weight *= QUESTION
    if sentence.echo:
        weight *= ECHO
    if role not in ("tool", "call"):
        spoken = _WORD.findall(text.lower())
        said = frozenset(spoken)
        dangles = (
            not said.isdisjoint(("it", "them", "one"))
            and _DANGLING.search(text) is not None
        )
        may_rule = (
            role in ("user", "summary") and not dangles and not sentence.is_question
        )
        is_rule = may_rule and _is_rule(text, said)
        if is_rule:
            weight = weight * (UNHEDGED if traits.is_hedged else 1) + STANDING_RULE
        if not text.isascii():
            weight += CHINESE_NAME * (_CHINESE_NAME.search(text) is not None)
        weight *= (
            _lasting(sentence, spoken, said)
            * _form(sentence, said, is_rule)
            * (DANGLING if dangles else 1)
        )
    return weight * ROLE_WEIGHT[role]


def is_rule(text: str) -> bool:
    """Return whether a clause says what is to be kept to from now on."""
    return _is_rule(text, frozenset(_WORD.findall(text.lower())))


def _is_rule(text: str, said: frozenset[str]) -> bool:
    if not said.isdisjoint(_RULING) and _RULE.search(text):
        return True
    return not text.isascii() and _CHINESE_RULE.search(text) is not None


def _lasting(sentence: Sentence, spoken: list[str], said: frozenset[str]) -> float:
    """Factor for what holds today only, is a step of a story, or is supposed. An amount outlasts the day."""
    text = sentence.text
    factor = (
        OPINION
        if not said.isdisjoint(_SUPPOSING)
        and not said.isdisjoint(("i", "we", "ich", "wir"))
        else 1.0
    )
    passes = not said.isdisjoint(_PASSING) and _PASSING_PHRASE.search(text) is not None
    passes = passes or (bool(spoken) and spoken[0] in _STEPS)
    if not text.isascii():
        factor *= OPINION if _CHINESE_OPINION.search(text) else 1
        passes = passes or bool(
            _CHINESE_PASSING.search(text) or _CHINESE_STEP.match(text)
        )
    return factor * (PASSING if passes and not sentence.traits.amounts else 1)


def _form(sentence: Sentence, said: frozenset[str], is_rule: bool) -> float:
    """Factor for what the form of a clause says of its kind: an order, a calculation, an attribute of a thing."""
    text = sentence.text
    has_numbers = bool(sentence.traits.numbers)
    if is_rule:
        return ATTRIBUTE if _ATTRIBUTE.match(text) else 1.0
    if is_deed(text):
        return ORDER
    if not said.isdisjoint(_CALCULATING) or (has_numbers and _CALCULATION.search(text)):
        return CALCULATION
    if _ATTRIBUTE.match(text):
        return ATTRIBUTE
    if has_numbers and _PROBABILITY.search(text):
        return CALCULATION
    if not _has_verb(text, said) and not _LABELLED.match(text):
        return FRAGMENT
    return 1.0 if _has_value(sentence, said) else VAGUE


def _has_value(sentence: Sentence, said: frozenset[str]) -> bool:
    traits = sentence.traits
    text = sentence.text
    if (
        traits.numbers
        or traits.names
        or traits.has_date
        or not said.isdisjoint(WEIGHTY)
    ):
        return True
    return not text.isascii() and _CHINESE_VALUE.search(text) is not None


def _has_verb(text: str, said: frozenset[str]) -> bool:
    """Return whether a clause seems to have a verb. Chinese verbs have no form to be known by, so few characters have
    none."""
    if not text.isascii() and (han := len(HAN.findall(text))):
        return han > LEAST_HAN
    if (
        not said.isdisjoint(_PRONOUNS)
        or not said.isdisjoint(_VERBS)
        or "'" in text
        or "’" in text
    ):
        return True
    return any(
        word.endswith(("ed", "eln", "iert")) and len(word) > LEAST_LETTERS
        for word in said
    )
