"""The worth of a clause in a summary: what it tells, who said it, and whether it will hold tomorrow.

The worth is how much a clause tells, times a factor for each thing that is seen in it. The
factors and the words that they are known by stand in pairs below, each with an example.
"""

import re

from memviz.core.text.chunks import MarkedChunks
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
"""The factor for a question."""
ECHO = 0.15
"""The factor for what the built-in model quoted in an earlier reply."""

STANDING_RULE = 2.0
"""Added to the weight of what is to be kept to from now on: "Please never phone before nine"."""
UNHEDGED = 2.5
"""The factor for a rule that reads like advice, which else weighs little."""
_RULE = re.compile(
    # "Please never use dice", "Don't book the ferry"
    r"^(?:please )?(?:never|always|don['’]t|do not)\b"
    r"|\bplease (?:never|always|don['’]t|do not)\b"
    # "From now on we meet on Sundays"
    r"|\bfrom now on\b"
    # "Bitte nie anrufen", "ab jetzt"
    r"|^(?:bitte )?(?:nie(?:mals)?|immer|keine?)\b"
    r"|\b(?:bitte (?:nie|immer|kein)|ab jetzt|ab sofort)",
    re.IGNORECASE,
)
_RULE_WORDS = words("never always don't don’t not now nie niemals immer kein keine ab")
"""One of these is in every rule."""
_CHINESE_RULE = re.compile(
    # 不要用明火, 别打电话; but neither 要不要 nor 特别
    r"(?<!要)不要|(?<!特)(?<!区)别(?![的人墅太])"
    # 永远, 我们店不做外卖, 只能, 必须
    r"|永远|一律|从不|绝不|[们我家店]不[做卖收接用吃喝]|只能|必须|不能"
)

DANGLING = 0.8
"""The factor for an "it" that is named elsewhere: "I put it there"."""
# "Book it.", "I take that one."
_DANGLING = re.compile(r"\b(?:it|them|this one|that one)\b", re.IGNORECASE)
_DANGLING_WORDS = words("it them one")
"""One of these is in every clause with such an "it"."""

CHINESE_NAME = 0.7
"""Added for what stands in Chinese quotation marks: the names of things, which no capital letter shows."""
_CHINESE_NAME = re.compile(r"[“「《][^”」》]{1,12}[”」》]")

PASSING = 0.7
"""The factor for what holds today only, "It rains today", or is a step of a story, "Then we left"."""
_PASSING_WORDS = words(
    """
    today tonight yesterday tomorrow ago heute gestern vorhin morning afternoon evening moment
    """
)
"""One of these is in every clause with a word of today."""
# "this morning", "two days ago"
_PASSING = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|ago|this (?:morning|afternoon|evening)"
    r"|at the moment|heute|gestern|vorhin)\b",
    re.IGNORECASE,
)
_CHINESE_PASSING = re.compile(r"今[天晚早]|昨[天晚]|刚[才刚]|明天")
_STEP_WORDS = words(
    "then first second third next finally afterwards dann zuerst danach"
)
"""Begin a step of a story."""
_CHINESE_STEP = re.compile(r"然后|接着|首先")

OPINION = 0.7
"""The factor for what somebody supposes: "I think it is closed"."""
_SUPPOSING = words(
    """
    think suspect guess hope wonder suppose fear doubt believe assume glaube denke hoffe
    vermute
    """
)
_CHINESE_OPINION = re.compile(r"[我觉]觉得|我猜|我怕")

ORDER = 0.4
"""The factor for what is to be done now: "Book the flight"."""

CALCULATION = 0.3
"""The factor for numbers that are worked out: "3 x 4 = 12", "the chance is 0.25"."""
_CALCULATION = re.compile(
    # "3 × 4", "= -2", "3 + 4"
    r"\d\s*[×÷=<>≈≤≥√^]|[=<>≈]\s*[-\d]|\d\s+[+*/-]\s+\d"
    # "0.1001"; 除以三
    r"|\d\.\d{4}|除以|乘以"
)
_CALCULATING = words("squared divided multiplied plus minus sqrt geteilt")
_PROBABILITY = re.compile(r"\b0\.\d\d")

ATTRIBUTE = 1.3
"""The factor for what is said of a thing by its name: "The door code of the cabin is 7742"."""
_ATTRIBUTE = re.compile(
    # "The door code of the cabin is", "Ben's sister lives", "Mein Zug fährt"
    r"^(?:the|my|our|your|his|her|their|(?-i:[A-Z])\w+['’]s|der|die|das|mein\w*|unser\w*)\s+"
    r"[^,;:]{2,70}?\s"
    r"(?:is|are|costs?|was|has|expires?|opens?|closes?|starts?|begins?|ends?|lives?|keeps?"
    r"|minds?|weighs?|lasts?|needs?|requires?|wants?|ist|sind|lautet|kostet|heißt|beträgt"
    r"|liegt|beginnt|endet)\b"
    # 房租是, 店名叫, 队长为; but neither 可是 nor 因为
    r"|^[^，；]{1,24}?(?:(?<![可但还就要于总只不或算都也正真])是|叫|(?<![因认作成以])为)"
    # 房租定在, 日期改到, 他对花生过敏
    r"|^[^，；]{2,16}(?:定为|定在|改成|改为|改到|变成|对[^，]{1,8}过敏)",
    re.IGNORECASE,
)

FRAGMENT = 0.5
"""The factor for a clause without a verb: "A quiet place near the sea"."""
_LABELLED = re.compile(r"[^\W\d_][\w ]{1,30}: \S")
"""A label needs no verb: "Door code: 7742"."""
_PRONOUNS = words("i we you he she it they ich wir er sie es du ihr")
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
_VERB_ENDINGS = ("ed", "eln", "iert")
LEAST_LETTERS = 4
"""A word with the ending of a verb has more letters than these: "walked", but not "bed"."""
LEAST_HAN = 4
"""A Chinese clause with a verb has more characters than these."""

VAGUE = 0.5
"""The factor for what has no value in it: no number, name, date or decision."""
# "对花生过敏", "住在柏林"
_CHINESE_VALUE = re.compile(
    r"[“《]|决定|喜欢|讨厌|过敏|必须|不能|叫|住在|生日|密码|地址|只[能有]|不[吃喝用做卖]"
)

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MARKS = MarkedChunks(_WORD.findall)
_DANGLES = _MARKS.add(_DANGLING_WORDS.__contains__)
_RULES = _MARKS.add(_RULE_WORDS.__contains__)
_PASSES = _MARKS.add(_PASSING_WORDS.__contains__)
_OWN = _MARKS.add(words("i we ich wir").__contains__)
_SUPPOSES = _MARKS.add(_SUPPOSING.__contains__)
_CALCULATES = _MARKS.add(_CALCULATING.__contains__)
_WEIGHTY = _MARKS.add(WEIGHTY.__contains__)
_VERB = _MARKS.add(
    lambda word: (
        word in _PRONOUNS
        or word in _VERBS
        or (word.endswith(_VERB_ENDINGS) and len(word) > LEAST_LETTERS)
    )
)
"""A verb, or a pronoun, which does not stand without one."""


def worth(sentence: Sentence, role: str) -> float:
    """Return the weight of a clause that somebody said in this role, before its length counts; larger is better."""
    weight = sentence.traits.informativeness
    if sentence.is_question:
        weight *= QUESTION
    if sentence.echo:
        weight *= ECHO
    if role not in ("tool", "call"):
        weight = _weight_of_speech(sentence, role, weight)
    return weight * ROLE_WEIGHT[role]


def _weight_of_speech(sentence: Sentence, role: str, weight: float) -> float:
    """Return ``weight`` with all that is seen in what a person or a model says."""
    text = sentence.text
    lower = text.lower()
    marks = _MARKS.in_text(lower)
    dangles = bool(marks & _DANGLES) and _DANGLING.search(text) is not None
    # A rule is the user's to make, and "Never do it" says nothing without what stands before it.
    may_rule = role in ("user", "summary") and not sentence.is_question
    is_standing_rule = may_rule and not dangles and _is_rule(text, marks)
    if is_standing_rule:
        if sentence.traits.is_hedged:
            weight *= UNHEDGED
        weight += STANDING_RULE
    if not text.isascii() and _CHINESE_NAME.search(text):
        weight += CHINESE_NAME
    # One product, in this order: another rounds otherwise, and so chooses otherwise.
    factor = _lasting_factor(sentence, lower, marks)
    factor *= _form_factor(sentence, marks, is_standing_rule)
    if dangles:
        factor *= DANGLING
    return weight * factor


def is_rule(text: str) -> bool:
    """Return whether a clause says what is to be kept to from now on."""
    return _is_rule(text, _MARKS.in_text(text.lower()))


def _is_rule(text: str, marks: int) -> bool:
    if marks & _RULES and _RULE.search(text):
        return True
    return not text.isascii() and _CHINESE_RULE.search(text) is not None


def _lasting_factor(sentence: Sentence, lower: str, marks: int) -> float:
    """Return the factor for what is supposed, holds today only, or is a step of a story.

    An amount outlasts the day: "I paid 40 euros today".
    """
    factor = 1.0
    # The speaker supposes: "I guess", but not "he guesses".
    if marks & _OWN and marks & _SUPPOSES:
        factor = OPINION
    if not sentence.text.isascii() and _CHINESE_OPINION.search(sentence.text):
        factor *= OPINION
    passes = _passes(sentence.text, lower, marks)
    if passes and not sentence.traits.amounts:
        factor *= PASSING
    return factor


def _passes(text: str, lower: str, marks: int) -> bool:
    if marks & _PASSES and _PASSING.search(text):
        return True
    first_word = _WORD.search(lower)
    if first_word is not None and first_word.group() in _STEP_WORDS:
        return True
    if text.isascii():
        return False
    return bool(_CHINESE_PASSING.search(text) or _CHINESE_STEP.match(text))


def _form_factor(sentence: Sentence, marks: int, is_standing_rule: bool) -> float:
    """Return the factor for the kind of a clause, the first of these that fits:

    1. a rule: of a thing by its name, or any
    2. an order: "Book the flight"
    3. a calculation: "3 x 4 = 12"
    4. what is said of a thing by its name: "The door code is 7742"
    5. a probability: "Half of 0.25"
    6. a fragment: "A quiet place near the sea"
    7. any other clause, with a value or without one
    """
    text = sentence.text
    has_numbers = bool(sentence.traits.numbers)
    if is_standing_rule:
        return ATTRIBUTE if _ATTRIBUTE.match(text) else 1.0
    if is_deed(text):
        return ORDER
    if marks & _CALCULATES:
        return CALCULATION
    if has_numbers and _CALCULATION.search(text):
        return CALCULATION
    if _ATTRIBUTE.match(text):
        return ATTRIBUTE
    if has_numbers and _PROBABILITY.search(text):
        return CALCULATION
    if not _has_verb(text, marks) and not _LABELLED.match(text):
        return FRAGMENT
    return 1.0 if _has_value(sentence, marks) else VAGUE


def _has_value(sentence: Sentence, marks: int) -> bool:
    traits = sentence.traits
    if traits.numbers or traits.names or traits.has_date:
        return True
    if marks & _WEIGHTY:
        return True
    text = sentence.text
    return not text.isascii() and _CHINESE_VALUE.search(text) is not None


def _has_verb(text: str, marks: int) -> bool:
    """Return whether a clause seems to have a verb.

    Chinese verbs have no form to be known by, so a clause of few characters has none.
    """
    if not text.isascii() and (han_count := len(HAN.findall(text))):
        return han_count > LEAST_HAN
    # "that's", "can't"
    return bool(marks & _VERB) or "'" in text or "’" in text
