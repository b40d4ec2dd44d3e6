"""Statements of one kind or on one subject, for "List the dates" and "Summarize everything you know"."""

import re
from collections.abc import Iterator, Sequence

from memviz.core.text import phrases
from memviz.core.text.sentences import Sentence
from memviz.models.offline.asking import Ask
from memviz.models.offline.context_sources import Source
from memviz.models.offline.meanings import implied
from memviz.models.offline.summary_request import Entry

MOST_LISTED = 6
_DATES = re.compile(
    r"\b(?:dates?|days?|times?|appointments?|deadlines?|termine?|daten)\b|日期|时间|日子",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r"\b(?:names?|people|persons?|who|namen|personen)\b|名字|姓名|人名", re.IGNORECASE
)
_CODES = re.compile(
    r"\b(?:codes?|passwords?|references?|(?:phone|booking|order|serial) numbers?)\b|密码|编号|号码",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"\b(?:numbers?|amounts?|prices?|costs?|figures?|expenses?|sums?|preise?|kosten|zahlen)\b|数字|金额|价格|费用",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?=[\w-]*\d)(?=[\w-]*[A-Z])\w[\w-]{3,}|\b\d{4,}\b")


def listed(ask: Ask, among: Sequence[Source]) -> list[tuple[str, str]]:
    """The statements that ``ask`` wants listed, each with who said it, in the order in which they were said."""
    found = [
        (at, source.kind, sentence)
        for at, (source, sentence) in enumerate(_statements(among))
        if _is_of_kind(ask.text, sentence)
        and (not ask.topic or _on(ask.topic, sentence))
    ]
    found.sort(
        key=lambda one: (-len(_on(ask.topic, one[2])), -one[2].traits.informativeness)
    )
    texts: dict[str, tuple[int, str]] = {}
    for at, kind, sentence in found:
        texts.setdefault(sentence.text, (at, kind))
    best = sorted(
        (at, kind, text) for text, (at, kind) in list(texts.items())[:MOST_LISTED]
    )
    return [(kind, text) for _, kind, text in best]


def _on(topic: frozenset[str], sentence: Sentence) -> frozenset[str]:
    """What of ``topic`` a sentence speaks of, in other words too."""
    return (topic & sentence.words) | implied(topic, sentence)


def entries_about(topic: frozenset[str], among: Sequence[Source]) -> list[Entry]:
    """What was said, to be summarized; with a ``topic`` only sentences that have one of its words."""
    return [
        Entry(source.kind, sentence.text)
        for source, sentence in _statements(among)
        if not topic or _on(topic, sentence)
    ]


def _statements(among: Sequence[Source]) -> Iterator[tuple[Source, Sentence]]:
    for source in among:
        if source.kind == "system":  # an instruction is nothing that was told
            continue
        for sentence in source.passage.sentences:
            ignorant = source.kind == "assistant" and phrases.admits_ignorance(
                sentence.text
            )
            if not sentence.is_question and not sentence.echo and not ignorant:
                yield source, sentence


def _is_of_kind(asked: str, sentence: Sentence) -> bool:
    """Whether ``sentence`` holds what is to be listed: a date, a name, a code, an amount, or anything."""
    traits = sentence.traits
    if _CODES.search(asked):
        return _CODE.search(sentence.text) is not None
    if _DATES.search(asked):
        return traits.has_date
    if _NUMBERS.search(asked):
        return bool(traits.amounts)
    return bool(traits.names) if _NAMES.search(asked) else True
