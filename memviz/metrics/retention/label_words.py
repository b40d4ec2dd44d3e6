"""The vocabulary of the modules ``*_kinds``: a kind of value and how it is searched for, and the parts of the patterns
of its sentences: labels, and what a value looks like.

All patterns but the Chinese ones are used without regard to case, but for the groups that begin with ``(?-i:``."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memviz.transcripts.base import Category


def make_alternatives(text: str) -> str:
    """Return a group of alternatives, which are parted by white space; ``_`` stands for a space.

    Those that begin with one letter share it: "cat cow dog" -> (?:c(?:at|ow)|d(?:og)).
    A pattern without regard to case tries every alternative at every word, and of a hundred
    words most begin with another letter.
    """
    endings: dict[str, list[str]] = {}
    for word in text.split():
        alternative = word.replace("_", " ")
        beginning = alternative
        if alternative[0].isalpha():
            beginning = alternative[0]
        ending = alternative.removeprefix(beginning)
        endings.setdefault(beginning, []).append(ending)
    groups = []
    for beginning, group_endings in endings.items():
        groups.append(f"{beginning}(?:{'|'.join(group_endings)})")
    return f"(?:{'|'.join(groups)})"


RELATIONS = make_alternatives(
    r"""
        contact_person team_lead wife husband partner girlfriend boyfriend fiancée? fiancé son daughter child baby
        mother mum mom father dad brother sister twin cousin uncle aunt niece nephew grandmother grandfather grandma
        grandpa grandson granddaughter (?:mother|father|sister|brother)[-_]in[-_]law friend neighbou?r colleague
        co-?worker boss manager supervisor teacher tutor professor coach trainer doctor dentist vet therapist
        physiotherapist surgeon nurse lawyer solicitor notary landlord landlady accountant plumber electrician carpenter
        architect builder roofer gardener cleaner nanny babysitter assistant secretary treasurer chairman chairwoman
        president director owner host hostess guide skipper captain driver technician caretaker tenant sponsor agent
        caterer photographer florist baker cook chef waiter bartender foreman roommate flatmate housemate lodger broker
        advis[eo]r consultant client customer editor publisher mentor intern successor dog cat horse pony rabbit parrot
        hamster pet puppy kitten tortoise frau mann partnerin sohn tochter mutter vater bruder schwester cousine onkel
        tante nichte neffe oma opa freund(?:in)? nachbar(?:in)? kolleg(?:e|in) chefin lehrer(?:in)? arzt ärztin zahnarzt
        zahnärztin anwalt anwältin vermieter(?:in)? steuerberater(?:in)? hund katze trainerin hausmeister
        """
)
"""Who somebody is to somebody else: family, work, animals."""

NATIONALITIES = """
    german french english italian spanish dutch danish swedish norwegian finnish polish russian turkish greek irish
    scottish welsh american canadian australian chinese japanese korean indian african european asian mexican brazilian
    portuguese swiss austrian belgian british jewish muslim christian catholic vegan vegetarian
"""
"""What stands behind "my friend is" with a capital letter and is no name."""

CODE_NOUN = (
    "(?:(?<![a-z])"
    + make_alternatives(
        r"""
        codes? pin password passcode passphrase combination key coupon voucher iban bic account extension locker plate
        size reference ref login username ssid id no\. nr\. numbers? numéro número code_postal código clave contraseña
        mot_de_passe
        """
    )
    + "|pass(?=:)|nummer|kennwort|passwort|kennzeichen|code)(?![a-z])"
)
OF_SOMETHING = (
    r"(?: (?:of|for|to|at|from|on|für|vom|von|der|des|de|del|du)(?: [\w'’&-]+){1,6}?)?"
)
SAYS = r"(?:[ \"“”'’`(#]|is|are|was|has|changed|to|now|still|number|called|ist|lautet|est|es|:|=)*"
CODE_WORD = (
    r"(?:[A-Z]{2}\d\d(?: ?[\dA-Z]{2,4}){3,8}"  # an IBAN
    r"|(?=[^\s,;]*\d)[A-Za-z0-9*][\w*@!$%&/+.-]*[A-Za-z0-9](?: \d[\dA-Z]{1,4}(?![\w.,]*\w))*"
    r"|\d{2,}|[A-Z][A-Z0-9-]{4,})(?!\w|\) ?\d)"  # 555 of (555) 010-7788 is no code
)
SPACED_CODE = r"[A-Z]{1,3}(?: \d{2,4}){2,5}(?: [A-Z])?(?!\w)"
"""Letters and groups of digits, as on an insurance card: QQ 12 34 56 C."""
STRONG_CODE = (
    rf"(?:{SPACED_CODE}|(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9][A-Z0-9-]{{3,}}"
    r"|(?!(?:19|20)\d\d-)\d+(?:-\d+){1,4}|\d{5,})(?![\w-]|[.,:/]\d)"
)
"""What is a code behind a word that may also be followed by a count: an order of 12 lamps, order 000-7741."""
NUMBERED = (
    r"(?<![a-z])"
    + make_alternatives(
        r"""
        confirmation booking reservation order ticket invoice policy claim case customer member(?:ship)? combo
        combination keypad safe tracking parcel licen[cs]e registration opens_with bestellung buchung rechnung
        """
    )
    + r"(?: (?:number|no\.?|code|id|is under|under|opens with|nummer))?(?![a-z])"
)
NUMBERED_PLACE = make_alternatives(
    "room flat locker gate platform seat cabin berth bay zimmer gleis"
)
LINE_NUMBER = r"[A-Z]{2} ?\d{2,4}(?![\w-])"
"""A flight or a train: LX 1837."""
EMAIL = r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
PERCENT = r"\d+(?:[.,]\d+)? ?(?:%|percent|per cent|prozent)"
BLOOD_TYPE = r"(?:AB|A|B|O|0)(?:[ -]?(?:[+\u2212-]|Rh\S*|[Pp]ositive?|[Nn]egative?|[Pp]os|[Nn]eg))+(?!\w)"

PHONE_NOUN = (
    "(?<![a-z])"
    + make_alternatives(
        r"""
        phone telephone mobile cell(?:phone)? call ring reach whatsapp landline tel\.? fax dial
        (?:my|our|her|his|their)_number telefon\w* handy\w* mobil\w* anrufen móvil teléfono téléphone portable
        """
    )
    + "(?![a-z])"
)
PHONE_DIGITS = r"\+?\(?\d[\d()/ .-]{4,20}\d"
INTERNATIONAL = r"\+\d[\d()/ .-]{7,19}\d"

# A few words, up to one with which something else begins.
_ENDS = make_alternatives(
    """
        but so because since which who that when if as while although though for on in at over than to from anymore
        please also too either now instead is are was were has have had and or by until after before this these here
        there yet with it between not already anyway though again instead around near just about who he she they btw tho
        lol haha pls plz thx tbh
        """
)
_NOT_FIRST = make_alternatives(
    """
        it that this them him her you me us when how what having being people everything anything something nothing one
        to not all any some doing those these myself where why saying seeing much very more most each other go do be
        both
        """
)
OWN = "(?:(?:the|a|an|any|my|our|your|his|her|all|some) )?"
_WORD = r"[\w'’%-]*\w"
NOT_FIRST = rf"(?!{_NOT_FIRST}\b)"
PHRASE = rf"{OWN}(?P<value>{NOT_FIRST}{_WORD}(?: (?!{_ENDS}\b){_WORD}){{0,4}})"

NAME_WORD = r"(?-i:[A-Z\u00c0-\u00de][\w’'-]*[a-z\u00df-\u00ff](?!\w))"
PARTICLES = "(?:(?:van|von|de|da|di|del|der|den|le|la) )*"
TITLES = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau)\.? )*"
NAME = rf"{TITLES}(?P<value>{NAME_WORD}(?: {PARTICLES}{NAME_WORD}){{0,2}})"

SUBJECT = r"(?:\b(?:i|he|she|we|they|who)|\b(?-i:[A-Z])\w+|\b(?:my|our) [\w-]+)"
WE_HAVE = (
    r"\b(?:we|i)(?:['’]ve| have| had)?(?: (?:finally|now|also|just|both|all|already))?"
)
NEVER = make_alternatives(
    r"""
        can['’]?t cannot can_not mustn['’]t must_not may_not do(?:es)?n['’]t do(?:es)?_not won['’]t never not_allowed_to
        """
)
NOT_TAKEN = (
    "(?!"
    + make_alternatives(
        """
        a an the my your our his her their credit time times off out over up on in part parts place care advantage
        responsibility calls? notes photos pictures leave risks? chances? pressure criticism jokes? orders? turns? sides
        days? long longer so too more less many much questions breaks? action control sole half two three few several
        anymore any no none another everyone everybody things? stuff offence offense pleasure pride comfort cash cards
        messages requests payments bookings reservations passengers pets luggage lessons classes vacation holidays?
        """
    )
    + r"\b)"
)
"""What "I can't take" is said of without its being a substance."""
ILL = make_alternatives(
    r"""
        itch(?:y|ing)? (?:a_)?(?:bad_|nasty_)?rash hives eczema sneez(?:e|ing) wheez(?:e|ing) nauseous nausea
        migraines? (?:a_)?migraine asthma swell swollen (?:an_)?(?:allergic_)?reaction
        """
)
"""What something does to those who cannot stand it."""
DIETS = make_alternatives(
    r"""
        vegan vegetarian pescatarian coeliac celiac diabetic lactose[-_]intolerant gluten[-_]free teetotal
        colou?r[-_]?blind left[-_]handed claustrophobic pregnant dyslexic asthmatic epileptic vegetarier(?:in)?
        veganer(?:in)? vegetarisch schwanger
        """
)
_HOUR = make_alternatives(
    "one two three four five six seven eight nine ten eleven twelve"
)
DAY_OR_TIME = (
    "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:morning|afternoon|evening|night)s?)?"
    rf"|(?:half|quarter) (?:past|to) {_HOUR}|\d{{1,2}}(?::\d\d)? ?[ap]\.?m|noon|midnight)"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)(?![a-zä])"
)
DAY_OF_MONTH = rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? {_MONTH}(?:,? (?:19|20)\d\d)?"
DAY_NUMBER = r"\d{1,2}(?:st|nd|rd|th)"
LETTER_OR_NUMBER = r"(?-i:[A-HJ-Z]\d{0,2}|\d{1,2}[A-Za-z]?)(?=[.,;:!?)]|$| (?:" + (
    "for|with|at|on|in|and|but|from|until|because|since|so|this|next|today|tomorrow|please|if|für|mit|am|ab)\\b)"
)
"""The name of a group among others: C, 4b, 12. An I is somebody, and "A" with a noun behind it an article."""
GROUP_NOUN = make_alternatives(
    """
    groups? team class section block zone row wing hall terminal tower building stage track level lane stairwell
    entrance division squad form grade unit gate gruppe klasse reihe halle turm gebäude eingang aufgang abschnitt
    """
)
SIZE = r"(?-i:XX?S|S|M|L|X{1,3}L|[2-5]XL|\d{2})(?![\w'’%€.,:/-]*\w)"
NUMBERED_DAY = r"\d{1,2}(?:st|nd|rd|th)(?=[.,;!?]|$| (?:at|if|and|or|so|but|around|because|after|before|when|we|i)\b)"
STREET = (
    r"(?-i:(?<![\w.])(?P<value>\d{1,4}[A-Za-z]? (?:[A-Z][\w'’-]+ ){1,3}"
    + make_alternatives(
        "Street Road Avenue Lane Court Square Drive Way Close Terrace Row Quay Boulevard Crescent Hill St Rd Ave"
    )
    + r")\b)"
)
STREET_FIRST = (
    r"(?-i:(?<!\w)(?P<value>(?:[A-ZÄÖÜ][\wäöüß-]*(?:straße|strasse|str\.|weg|platz|gasse|allee|ufer|ring|damm)"
    r"|(?:Rue|Calle|Via|Avenida|Avenue|Rua|Place)(?: [a-z]{1,3})*(?: [A-ZÉ][\w'’éèà-]+){1,3},?) \d{1,4}[a-z]?)(?!\w))"
)


CODE = PHONE = 6.0
"""How telling a value of each kind is, where there are too many."""
PERSONAL = 5.0
SOFTWARE = 4.5
PERSON = PLACE = EXCLUDED = 4.0
MONEY = 3.5
CHOICE = 3.0
WHEN = TIME = 2.5
DAY = COUNT = DETAIL = 2.0
AGE = 0.5
TRIGGER_CHARS = 4
"""Number of letters at the beginning of a word that make it a trigger."""


class Value(NamedTuple):
    """One value in a sentence: what it is, the characters it takes, and how telling it is."""

    category: Category
    start: int
    stop: int
    weight: float
    hint: str = ""
    """Its name, for a question whose own words do not say it: "I'm in ___ (group)"."""
    alone: bool = False
    """It is a fact though nobody uses the value again."""


@dataclass(frozen=True)
class Kind:
    """Values of one kind, and the sentences that hold them."""

    triggers: frozenset[str]
    """Beginnings of words, one of which a sentence has to have to be searched. ``0`` stands for any digit, ``A`` for a
    capital letter within a sentence, a mark such as ``@`` for itself. Chinese kinds have none."""
    regex: str | re.Pattern[str]
    """Its group ``value`` is the value."""
    category: Category
    weight: float
    of_user: bool
    """Only the user can know it, so what the assistant says is not searched."""
    is_value: Callable[[str], bool]
    """Takes a value, or rejects it."""
    hint: str = ""
    """The name of the value, where the pattern has no group ``label`` that says it."""
    examples: tuple[str, ...] = ()
    """Sentences, each with an arrow and its value: ``I'm allergic to nuts. -> nuts``."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The ``regex``, compiled when first needed: the start of a program that looks for no facts need not wait for a
        hundred of them."""
        return re.compile(self.regex)


def find_values(kinds: Iterable[Kind], sentence: str) -> Iterator[Value]:
    """Yield the values of these kinds in ``sentence``, kind by kind."""
    for kind in kinds:
        for match in kind.pattern.finditer(sentence):
            if kind.is_value(match["value"]):
                hint = match.groupdict().get("label") or kind.hint
                span = match.span("value")
                yield Value(kind.category, *span, kind.weight, hint)


def kind(
    triggers: str,
    pattern: str,
    weight: float,
    category: Category = "single fact",
    *,
    of_user: bool = True,
    is_value: Callable[[str], bool] = bool,
    hint: str = "",
    examples: tuple[str, ...] = (),
) -> Kind:
    """Return a kind whose ``pattern`` is used without regard to case.

    ``triggers`` are words, parted by spaces. Only their first letters are compared
    (:data:`TRIGGER_CHARS`), so "allergy" announces "allergic" as well. Every
    alternative of the pattern needs one, or it is never searched for.
    """
    beginnings = frozenset(word[:TRIGGER_CHARS] for word in triggers.split())
    regex = f"(?i){pattern}"
    return Kind(beginnings, regex, category, weight, of_user, is_value, hint, examples)


def chinese_kind(
    pattern: str | re.Pattern[str],
    weight: float,
    category: Category = "single fact",
    *,
    of_user: bool = True,
    is_value: Callable[[str], bool] = bool,
    hint: str = "",
) -> Kind:
    """Return a kind of which every Chinese sentence is searched: no words announce it."""
    return Kind(frozenset(), pattern, category, weight, of_user, is_value, hint)
