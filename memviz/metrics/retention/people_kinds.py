"""Who somebody is: names beside a relation, or behind "is called"."""

from __future__ import annotations

from memviz.core.text.vocabulary import STOP_WORDS, words
from memviz.core.text.word_classes import DATE_WORDS
from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.labelled_kinds import PERSON, kind

_NO_NAME = (
    STOP_WORDS
    | DATE_WORDS
    | words(
        f"{part.NATIONALITIES} march may dr mr mrs ms prof id service support ai god"
    )
)


def _is_name(value: str) -> bool:
    return value.split()[0].lower() not in _NO_NAME


PEOPLE = (
    kind(
        "A",
        rf"\b{part.RELATIONS}\b(?: (?:of|for|at|from) [^.,;:]{{2,40}}?(?= (?:is|are|called|named)\b))?,? "
        r"(?:is called |is named |is now |is |are |called |named |heißt |ist |se llama |s['’]appelle )?"
        rf"{part.NAME}",
        "name",
        PERSON,
        False,
        _is_name,
    ),
    kind(
        "name",
        rf"\b(?:{part.RELATIONS}|my|our|his|her|its|their|\w+['’]s)(?:['’]s)?"
        rf" (?:(?:last|first|full|new) )?name(?: is|['’]s) {part.NAME}",
        "name",
        PERSON,
        True,
        _is_name,
    ),
    kind(
        "called named goes known heiße heißt appelle llamo",
        r"(?:(?:\b(?:is|are|was|am)|['’](?:m|s|re)) (?:called|named|known as)|\b(?:goes by|heiß[et]n?|m['’]appelle"
        rf"|me llamo)) {part.NAME}",
        "name",
        PERSON,
        False,
        _is_name,
    ),
    kind(
        "i im this",
        rf"^(?:(?:hello|hi|hey),? )?(?:i['’]?m|i am|this is) {part.NAME}(?=[,.!]| and | from |$)",
        "name",
        PERSON,
        True,
        _is_name,
    ),
    kind(
        "ich mein je soy",
        r"(?:^|[,;.!] )(?:ich bin|mein name ist|je suis|soy) "
        rf"(?P<value>{part.NAME_WORD} {part.PARTICLES}{part.NAME_WORD})(?=[,.!]| und | et | y | aus |$)",
        "name",
        PERSON,
        True,
        _is_name,
    ),
    kind(
        "is",
        rf"(?<![\w.]){part.TITLES}(?P<value>{part.NAME_WORD}(?: {part.NAME_WORD})?) is "
        rf"(?:my|our|his|her|the) (?:[\w-]+ )?{part.RELATIONS}\b",
        "name",
        PERSON,
        True,
        _is_name,
    ),
)
