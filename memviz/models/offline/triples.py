"""Facts as triples: the clauses of an extractive summary, parted at their verb."""

import re

from memviz.core.facts import BAR
from memviz.core.text.words import HAN
from memviz.models.offline.statements import parted

LONGEST_NAME_WORDS = 6
_RELATION = re.compile(
    r"[^\W\d_]+(?:n['’]t)?(?: (?:not|in|at|on|to|from|for|with|by|of))*", re.IGNORECASE
)
_CHINESE_RELATION = re.compile(r"是|叫|为|[改变换涨降][成为到]|花了|需要")
_NO_NAME = re.compile(r"[:;,，；：]")
_END = re.compile(r"[.!。！]+$")


def as_triple(clause: str) -> str:
    """Return a clause as subject, relation and value; one whose parts cannot be told as it is."""
    subject, rest = parted(clause)
    subject = subject.strip()
    is_chinese = HAN.search(rest) is not None
    relation = (_CHINESE_RELATION if is_chinese else _RELATION).match(rest)
    is_name = len(subject.split()) <= LONGEST_NAME_WORDS and not _NO_NAME.search(
        subject
    )
    if not subject or relation is None or not is_name:
        return clause
    value = _END.sub("", rest[relation.end() :].strip())
    if not value or _NO_NAME.match(value):
        return clause
    return BAR.join([subject, relation.group(), value])
