"""Questions, answers and clauses about what is not: "no nuts", "Which food does she avoid?".

Of these a "not" is no denial: it affirms them. Words such as "vegetarian" say what is not in another way, and are
denied like any other word.
"""

import re

from memviz.core.text.letters import simplify_chinese

_I = re.IGNORECASE
_NEGATIVE = (
    r"\b(?:not|never|no|none|without|cannot|avoid\w*|allerg\w*|intoleran\w*|hates?|hated|dislikes?|disliked|refus\w+"
    r"|forbidden|vegan|vegetarian|afraid|phobia|against|unable|nicht|kein\w*|nie|unverträglich\w*|allergi\w*"
    r"|pas|jamais"
    r"|nunca|não)\b|n['’]t\b|-free\b|\bnon-|[不没沒忌]|过敏|過敏|讨厌|討厭"
)
_ABOUT_BEFORE = (
    r"\b(?:used to|formerly|previous(?:ly)?|former|original(?:ly)?|initially|at first|instead of|cancell?ed"
    r"|g[ai]ve up|given up|quit|stop(?:ped)?"
    r"|left out)\b|以前|之前|原来|原來|取消|放弃|戒"
)
_IS_NEGATIVE = re.compile(_NEGATIVE, _I)
STATES_ITSELF = re.compile(
    r"\b(?:vegan|vegetarian|allerg\w*|intoleran\w*|afraid)\b|过敏|過敏|素", _I
)
"""Words for what is not eaten or liked, which a "not" denies like any other word."""
_IS_ASKED_NEGATIVELY = re.compile(f"{_NEGATIVE}|{_ABOUT_BEFORE}", _I)
_NEGATIVE_ANSWER = re.compile(
    r"(?:(?:he|she|they|i|the user) )?(?:no|not|without|never|(?:do|does|did|is|are|can|has|have)(?: not"
    r"|n['’]t)|cannot"
    r"|avoids?|avoiding)(?: (?:own|owns|have|has|had|got|want|wants|use|uses|eat|eats|keep|keeps|any|an?|the|more))*"
    r" (\w.*)|(\w+)-free"
    # "dislikes olives", "unmarried"
    r"|(?:dislikes?|hates?|can['’]?t stand) (\w.*)|un(?!i|der|cle|less|til)(\w{5,})"
    r"|(?:不能|不可以|不|没有|没|无|别|免|忌)(?:放|加|要|吃|喝|用|养|想要|吸|抽)?([^\W\d_]+)",
    _I,
)
_CLAUSE = re.compile(r"[^,;:.!?，。；！？\n]+")
_PERSON = re.compile(
    r"\b(?:brother|sister|mother|father|mum|mom|dad|wife|husband|partner|son|daughter|uncle|aunt|cousin|niece|nephew"
    r"|friend|boss|colleague|neighbou?r|flatmate|roommate|landlord|manager|grand\w+|parents?|team|company|office"
    r"|bruder|schwester|mutter|vater|frau|mann|freundin?|chef|frère|sœur|mère|père|hermano|hermana|irmão|irmã)s?\b"
    r"|哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|父亲|母亲|妻子|丈夫|老公|老婆|儿子|女儿|朋友|老板"
    r"|同事|邻居|室友|同学|表[哥姐弟妹]",
    _I,
)
"""Words for people whom one is related to."""


def is_asked_negatively(text: str) -> bool:
    """Return whether a question or an answer is about what is not, or was before: to deny it is to affirm it."""
    return _IS_ASKED_NEGATIVELY.search(text) is not None


def is_answered_negatively(answer: str) -> bool:
    """Return whether an answer is what is not: "no nuts", but not "vegetarian", which a "not" denies."""
    return is_asked_negatively(STATES_ITSELF.sub(" ", answer))


def states_itself(answer: str) -> bool:
    """Return whether an answer has the negative in itself, and no other: "vegetarian", "allergic to nuts"."""
    return STATES_ITSELF.search(answer) is not None and not is_answered_negatively(
        answer
    )


def strip_denial(answer: str) -> str | None:
    """Return what an answer that is a negative denies: "no nuts" is about nuts; ``None`` for any other answer."""
    match = _NEGATIVE_ANSWER.fullmatch(simplify_chinese(answer.strip()))
    # Each form of a negative has a group of its own for what it denies.
    return next(filter(None, match.groups())) if match else None


def is_negative(clause: str) -> bool:
    """Return whether a clause states what is not: "I eat no nuts", "I am allergic to nuts"."""
    return _IS_NEGATIVE.search(clause) is not None


def list_negative_clauses(text: str) -> tuple[str, ...]:
    """The clauses of ``text``, if any of them is a negative; none of any other text."""
    return tuple(_CLAUSE.findall(text)) if is_negative(text) else ()


def is_same_subject(question: str, update: str) -> bool:
    """Return whether both may be about the same: not if only one of them is about the user's brother."""
    return _name_persons(question) == _name_persons(update)


def _name_persons(text: str) -> set[str]:
    return {word.lower() for word in _PERSON.findall(text)}
