"""Values that a sentence names as what they are: "the door code is 7742", "allergic to wool", "my dentist is Okafor".

Such a value is a fact though nobody uses it again, and needs no shape of its own: a label beside it says what it is.
Labels are known in English and German, those of codes and allergies also in French and Spanish; Chinese has
:mod:`memviz.metrics.retention.chinese_values`.

Telephone numbers are found by their label, or by their plus sign and length. The package phonenumbers, which knows the
numbering plans of all countries, takes 5 MB and, unless it is told a country, finds only numbers with a plus sign; no
conversation says its country.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memviz.metrics.retention import label_words as part
from memviz.text.vocabulary import STOP_WORDS, words
from memviz.text.word_classes import DATE_WORDS
from memviz.transcripts.base import Category

CODE, PHONE, PERSONAL, PERSON, PLACE, CHOICE, WHEN = 6.0, 6.0, 5.0, 4.0, 4.0, 3.0, 2.5
"""How telling a value of each kind is, where there are too many."""
TRIGGER_CHARS = 4


class Labelled(NamedTuple):
    """A value, where it stands in its sentence, and how telling it is."""

    category: Category
    start: int
    stop: int
    weight: float


class _Kind(NamedTuple):
    """Sentences in which a word begins with one of ``triggers`` are searched for ``pattern``, whose group ``value`` is
    the value. ``0`` stands for any digit, ``A`` for a capital letter within a sentence."""

    triggers: frozenset[str]
    pattern: re.Pattern[str]
    category: Category
    weight: float
    of_user: bool


def _kind(triggers: str, pattern: str, category: Category, weight: float, of_user: bool = True) -> _Kind:
    begun = frozenset(word[:TRIGGER_CHARS] for word in triggers.split())
    return _Kind(begun, re.compile(pattern, re.IGNORECASE), category, weight, of_user)


_CODES = (
    _kind("0 code coupon voucher password passphrase discount promo",
          rf"{part.CODE_NOUN}{part.OF_SOMETHING}{part.SAYS}(?-i:(?P<value>{part.CODE}))", "single fact", CODE, False),
    _kind("0", r"(?<![\w.,])(?P<value>\d+(?:\.\d+)? ?(?:%|percent|per cent|prozent))"
          r"(?= (?:\w+ )?(?:off|discount|rebate|less|cheaper|rabatt))", "number", CODE, False),
)  # fmt: skip
_PHONES = (
    _kind("0", rf"{part.PHONE_NOUN}[^.;!?\d+(]{{0,40}}(?P<value>{part.PHONE_DIGITS})", "number", PHONE, False),
    _kind("0", rf"(?<![\w+])(?P<value>{part.INTERNATIONAL})", "number", PHONE, False),
)
_TASTES = (
    _kind("allergic allergy alérgico intolerant",
          r"\b(?:allerg(?:ic|y|ies) to|intoleran(?:t|ce) (?:to|of)|allergisch (?:gegen|auf)|allergie gegen"
          rf"|al[ée]rgic[oa]s? (?:a l[ao]s?|al?)|allergiques? (?:à la|à l['’]|aux?|à)) ?{part.PHRASE}",
          "single fact", PERSONAL),
    _kind("allergy allergies intolerance",
          r"\b(?:an?|ha[sd]|have|got) (?:(?:severe|bad|strong|mild|serious|slight|life-threatening) )*"
          rf"(?P<value>{part.NOT_FIRST}[a-z][\w-]+(?: [a-z][\w-]+)?) (?:allerg(?:y|ies)|intolerance)\b",
          "single fact", PERSONAL),
    _kind("eat drink tolerate stomach digest have",
          rf"(?:\b{part.NEVER} (?:(?:ever|even|really) )?(?:eat|drink|tolerate|stomach|digest)"
          rf"|\b(?:can['’]?t|cannot|mustn['’]t|must not) have) {part.PHRASE}", "single fact", PERSONAL),
    _kind("hate loathe detest dislike stand bear like fond afraid scared terrified",
          rf"{part.SUBJECT} (?:really |absolutely |just )?(?:hates?|loathes?|detests?|dislikes?"
          r"|can(?:['’]?t|not) (?:stand|bear)|do(?:es)?n['’]t (?:really )?like"
          rf"|(?:am|is|are) (?:not (?:very )?fond|afraid|scared|terrified) of) {part.PHRASE}", "single fact", PERSONAL),
    _kind("prefer rather favorite favourite",
          rf"(?:{part.SUBJECT}(?:['’]d)? (?:(?:really|strongly|always|generally|would|much) )*prefers?"
          r"(?: to (?:take|use|have|be|sit|stay|go|travel))?|\b(?:would|['’]d) (?:rather|prefer(?: to)?)"
          r" (?:take|have|go|be|use|stay|travel)(?: (?:by|in|with|at))?"
          rf"|\bfavou?rite (?:[\w-]+ ){{0,3}}(?:is|are)) {part.PHRASE}", "single fact", CHOICE),
    _kind("favorite favourite", rf"(?P<value>{part.NAME_WORD}(?: {part.NAME_WORD}){{0,3}}) (?:is|are) "
          r"(?:my|our|his|her|their) favou?rite", "single fact", CHOICE),
    _kind("vegan vegetarian coeliac celiac diabetic lactose gluten teetotal blind colourblind colorblind handed"
          " claustrophobic pregnant pescatarian dyslexic asthmatic epileptic schwanger",
          r"(?:\b(?:am|is|are|ist|bin|sind)|['’](?:m|s|re)) (?:(?:also|an?|strictly|severely|eine?) )*"
          rf"(?P<value>{part.DIETS})\b", "single fact", PERSONAL),
    _kind("decided chose picked settled agreed went gone going opted",
          rf"{part.WE_HAVE} (?:decided (?:on|to|for|against)|chosen?|picked|settled on|agreed (?:on|to)|went with"
          rf"|gone with|opted for|are going with) {part.PHRASE}", "single fact", CHOICE),
)  # fmt: skip
_PEOPLE = (
    _kind("A", rf"\b{part.RELATIONS}\b(?: (?:of|for|at|from) [^.,;:]{{2,40}}?(?= (?:is|are|called|named)\b))?,? "
          r"(?:is called |is named |is now |is |are |called |named |heißt |ist |se llama |s['’]appelle )?"
          rf"{part.NAME}", "name", PERSON, False),
    _kind("name", rf"\b(?:{part.RELATIONS}|my|our|his|her|its|their)(?:['’]s)? (?:(?:last|first|full|new) )?name"
          rf"(?: is|['’]s) {part.NAME}", "name", PERSON),
    _kind("called named heiße heißt appelle llamo", r"\b(?:(?:is|are|was|am|i['’]m) (?:called|named)|heiß[et]n?"
          rf"|m['’]appelle|me llamo) {part.NAME}", "name", PERSON, False),
    _kind("i im this", rf"^(?:(?:hello|hi|hey),? )?(?:i['’]?m|i am|this is) {part.NAME}(?=[,.!]| and | from |$)",
          "name", PERSON),
    _kind("is", rf"(?<![\w.]){part.TITLES}(?P<value>{part.NAME_WORD}(?: {part.NAME_WORD})?) is "
          rf"(?:my|our|his|her|the) (?:[\w-]+ )?{part.RELATIONS}\b", "name", PERSON),
)  # fmt: skip
_TIMES_AND_PLACES = (
    _kind("0 past noon midnight monday tuesday wednesday thursday friday saturday sunday",
          r"\b(?:on|to|until|till|by|for|every|each|is|at|from|around) (?:(?:next|this|half) )?"
          rf"(?P<value>{part.WHEN})\b(?! \d)", "single fact", WHEN),
    _kind("0", part.STREET, "single fact", PLACE, False),
    _kind("0", part.STREET_FIRST, "single fact", PLACE, False),
    _kind("live lives lived living moved moving wohne wohnt grew from", r"\b(?:live[sd]? (?:in|at)|living in|moved to"
          r"|moving to|grew up in|wohn(?:e|t|en) in|(?:i am|i['’]m|comes?) from) (?:the )?"
          rf"{part.NAME}", "single fact", PLACE),
)  # fmt: skip
_KINDS = (*_CODES, *_PHONES, *_TASTES, *_PEOPLE, *_TIMES_AND_PLACES)
_KINDS_OF_BOTH = tuple(kind for kind in _KINDS if not kind.of_user)

_LETTERS, _DIGIT = re.compile(r"[^\W\d_]+"), re.compile(r"\d")
_CAPITAL = re.compile(r"[\w,] [A-Z\u00c0-\u00de]")
_PHONE_LENGTHS = range(7, 16)
_NO_PHONE = re.compile(r"\d{4}-\d\d-\d\d|\d+(?:\.\d+){3}|(?:19|20)\d\d ?[-–] ?(?:19|20)\d\d")
_NO_NAME = (
    STOP_WORDS | DATE_WORDS | words(f"{part.NATIONALITIES} march may dr mr mrs ms prof id service support ai god")
)


def labelled_in(sentence: str, of_user: bool) -> Iterator[Labelled]:
    """The labelled values of ``sentence``, said by the user or the assistant. Of two that overlap the first counts."""
    has_digit, has_capital = _DIGIT.search(sentence), _CAPITAL.search(sentence)
    if not (of_user or has_digit or has_capital):
        return  # every value that an assistant states has a digit or a capital letter
    begun = {word[:TRIGGER_CHARS] for word in _LETTERS.findall(sentence.lower())}
    begun.update("0" * bool(has_digit) + "A" * bool(has_capital))
    for kind in _KINDS if of_user else _KINDS_OF_BOTH:
        if not begun.isdisjoint(kind.triggers):
            for match in kind.pattern.finditer(sentence):
                if _is_value(kind, match["value"]):
                    yield Labelled(kind.category, *match.span("value"), kind.weight)


def _is_value(kind: _Kind, value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    if kind.category == "name":
        return value.split()[0].lower() not in _NO_NAME
    if kind in _PHONES:
        return digits in _PHONE_LENGTHS and _NO_PHONE.search(value) is None
    if kind is _CODES[0]:  # digits, or capital letters alone: "PIN 5093", "WELCOME", "B7KX", but not "code a1"
        return digits != 1 or (len(value) > 3 and value.upper() == value)
    return True
