"""The parts of a text that affirm what they mention, and those that deny it or call it outdated.

Read clause by clause: in "She lives not in Lisbon but in Porto" Lisbon is denied and Porto is not, and in "They moved
from Lisbon to Porto" Lisbon is outdated. A negation reaches from its word to the end of its clause; one that denies
nothing ("not only", "no later than", "don't forget") does not count, and neither does a question.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memviz.core.text.chunks import FoundInChunks
from memviz.core.text.letters import simplify_chinese
from memviz.metrics.retention import endings, update_cues
from memviz.metrics.retention.corrections import (
    CUES,
    DISPUTING,
    find_answered_with_no,
    find_disputed,
    find_taken_back,
    refers_back,
)
from memviz.metrics.retention.denial_patterns import (
    DENIED,
    OUTDATED,
    OUTDATED_BEFORE,
    Rule,
)
from memviz.metrics.retention.negatives import STATES_ITSELF

BORDER = " ʘʘ "
"""Stands where something was left out, so that no phrase reaches over it."""

_I = re.IGNORECASE
# "It costs 3.50 euros."
_SENTENCE = re.compile(
    r"[^.!?。！？\n;；]+(?:\.(?=\S)[^.!?。！？\n;；]*)*[.!?。！？\n;；]*"
)
_ENDED: tuple[Rule, ...] = (*OUTDATED, *update_cues.ENDED, *endings.ENDED)
_NOT_SO: tuple[Rule, ...] = (*DENIED, *update_cues.DENIED, *endings.DENIED)
_ALL_CUES = {cue for cues, _ in (*_ENDED, *_NOT_SO) for cue in cues} | {
    cue for cues, _ in OUTDATED_BEFORE for cue in cues
}
_ALL_CUES |= {*CUES, *DISPUTING, "? no", "?\nno"}
_CUES = tuple(
    cue for cue in _ALL_CUES if not any(other in cue for other in _ALL_CUES - {cue})
)
"""Without those that hold another one."""
_ALL_REFERRING = " / ".join(CUES)
_REFERRING = {cue for cue in _CUES if cue in _ALL_REFERRING}
"""Of these a text has one where a sentence of it may take back the sentence before."""
# "instead of" -> "instead": what one chunk of a text with the cue has to hold.
_FRAGMENTS = {cue: max(cue.split(), key=len) for cue in _CUES if cue.isascii()}
_MAY_BEGIN = FoundInChunks(
    lambda chunk: [cue for cue, part in _FRAGMENTS.items() if part in chunk]
)
"""To look for each of two hundred cues in a text takes as long as to read it, and texts share most chunks."""
# "might", "unless"
_POSSIBLY = re.compile(r"\b(?:can|could|may|might|if|unless)\b", _I)
# ", ", " but "
_CLAUSE_STARTS = re.compile(r"[,:](?!\d)|[;!?(，；：]|\b(?:and|but)\b", _I)


class Polarity(NamedTuple):
    """The parts of a text that it affirms, denies and calls outdated."""

    affirmed: str
    """The text without what it denies or calls outdated."""
    outdated: str = ""
    """The parts that it calls outdated."""
    since: str = ""
    """The affirmed text after the last outdated part."""
    updates: str = ""
    """The sentences that call something outdated."""
    denied: str = ""
    """The parts that are denied or outdated, except ``undone``."""
    undone: str = ""
    """The parts that are denied or outdated and are negatives themselves: "allergic to nuts"."""


def may_deny(text: str) -> bool:
    """Return false for a text that surely denies nothing, so that :func:`judge_polarity` need not read it."""
    return bool(_find_cues(text))


def _find_cues(text: str) -> list[str]:
    lower = simplify_chinese(text).lower()
    # Chunks are cached by their text, which does not help with scripts without spaces.
    cues = set(_MAY_BEGIN.in_text(lower)) if lower.isascii() else _CUES
    return [cue for cue in cues if cue in lower]


def judge_polarity(
    text: str, mentions: Callable[[str], bool] | None = None
) -> Polarity:
    """Return what ``text`` affirms, denies and calls outdated.

    Sentences for which ``mentions`` is false are not read, and count as affirmed.
    """
    outdated: list[tuple[int, int]] = []
    denied: list[tuple[int, int]] = []
    updates: list[str] = []
    for first, sentence in _split_denying(text):
        if mentions is not None and not mentions(sentence):
            continue
        spans_of_sentence = _find_spans(sentence)
        if spans_of_sentence.outdated:
            updates.append(sentence)
        # Convert places in the sentence to places in the text.
        for start, stop in spans_of_sentence.outdated:
            outdated.append((first + start, first + stop))
        for start, stop in spans_of_sentence.denied:
            denied.append((first + start, first + stop))
    if not outdated and not denied:
        return Polarity(text)
    end_of_outdated = max((stop for _, stop in outdated), default=len(text))
    spans = sorted(outdated + denied)
    parts = [text[start:stop] for start, stop in spans]
    negative_parts = [part for part in parts if STATES_ITSELF.search(part)]
    other_parts = [part for part in parts if not STATES_ITSELF.search(part)]
    return Polarity(
        affirmed=_cut_out(text, spans, 0),
        outdated=BORDER.join(text[start:stop] for start, stop in outdated),
        since=_cut_out(text, spans, end_of_outdated),
        updates=" ".join(updates),
        denied=BORDER.join(other_parts),
        undone=BORDER.join(negative_parts),
    )


def list_sentences_that_may_deny(text: str) -> Iterator[str]:
    """Return the sentences of ``text`` that :func:`judge_polarity` reads."""
    return (sentence for _, sentence in _split_denying(text))


@lru_cache(maxsize=4096)
def _split_denying(text: str) -> tuple[tuple[int, str], ...]:
    """Return the sentences that may deny something, each with its place in the text."""
    # Few texts have any cue, and then only a few, so each sentence is searched for these few.
    cues = _find_cues(text)
    if not cues:
        return ()
    may_refer_back = "?" in text or "？" in text
    if not may_refer_back and not _REFERRING.isdisjoint(cues):
        may_refer_back = any(map(text.lower().__contains__, CUES))
    sentences: list[tuple[int, str]] = []
    for match in _SENTENCE.finditer(text):
        start = match.start()
        sentence = match.group()
        # "The code is 41. No, that is wrong." is read as one sentence: the second denies what the first says.
        if may_refer_back and sentences and refers_back(sentence, sentences[-1][1]):
            start = sentences.pop()[0]
            sentence = text[start : match.end()]
        sentences.append((start, sentence))
    return tuple(
        (start, sentence)
        for start, sentence in sentences
        if any(map(simplify_chinese(sentence).lower().__contains__, cues))
    )


class _RuleBook:
    """Rules by the cues that they need, so that a sentence is held against those alone that may match it."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._numbers: dict[str, list[int]] = {cue: [] for cue in _CUES}
        """By each of the cues the numbers of the rules with a cue that holds it: "no longer" of a rule holds "no "."""
        for number, (own_cues, _pattern) in enumerate(rules):
            for cue, numbers in self._numbers.items():
                if any(cue in own_cue for own_cue in own_cues):
                    numbers.append(number)

    def find(
        self, sentence: str, lower: str, cues: Iterable[str]
    ) -> Iterator[tuple[int, int]]:
        """Yield what the rules find in a sentence, rule by rule. ``lower`` is the sentence in small letters, in which
        these ``cues`` stand."""
        numbers = {number for cue in cues for number in self._numbers[cue]}
        for number in sorted(numbers):
            own_cues, pattern = self._rules[number]
            if any(map(lower.__contains__, own_cues)):
                compiled = _compile(pattern) if isinstance(pattern, str) else pattern
                yield from (match.span("old") for match in compiled.finditer(sentence))


_ENDED_BY_CUE = _RuleBook(_ENDED)
_NOT_SO_BY_CUE = _RuleBook(_NOT_SO)


class _Spans(NamedTuple):
    """Characters of a sentence."""

    outdated: tuple[tuple[int, int], ...] = ()
    denied: tuple[tuple[int, int], ...] = ()


@lru_cache(maxsize=16_384)
def _find_spans(sentence: str) -> _Spans:
    """Return the parts that one sentence calls outdated, and what it denies; a question does neither."""
    if sentence.rstrip().endswith(("?", "？")):
        return _Spans()
    statement = simplify_chinese(sentence.rstrip(".!?。！？\n;； "))
    lower = statement.lower()
    cues = _find_cues(statement)
    outdated = [
        *_ENDED_BY_CUE.find(statement, lower, cues),
        *_find_before(statement, lower),
    ]
    # The patterns of corrections are slow, and hardly any sentence has one of their cues.
    if any(cue in lower for cue in CUES):
        outdated += find_taken_back(statement)
    denied = [*_NOT_SO_BY_CUE.find(statement, lower, cues)]
    if "?" in statement or "？" in statement:
        denied += find_answered_with_no(statement)
    if any(cue in lower for cue in DISPUTING):
        denied += find_disputed(statement)
    return _Spans(tuple(outdated), tuple(denied))


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _I)


def _find_before(sentence: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a sentence that are outdated by what stands behind them, each from where its clause begins."""
    for cues, pattern in OUTDATED_BEFORE:
        if not any(map(lower.__contains__, cues)):
            continue
        for match in pattern.finditer(sentence):
            first = 0
            for clause_start in _CLAUSE_STARTS.finditer(sentence, 0, match.start()):
                first = clause_start.end()
            # "may be cancelled" cancels nothing.
            if _POSSIBLY.search(sentence, first, match.start()):
                continue
            # "取消" stands before what it takes back as well
            stop = len(sentence) if match.group() == "取消" else match.start()
            yield first, stop


def _cut_out(text: str, spans: list[tuple[int, int]], since: int) -> str:
    """Return ``text`` from ``since`` on, without the ``spans``, which are in order."""
    parts = []
    at = since
    for start, stop in spans:
        # Spans may overlap, as two patterns may find the same.
        if stop <= at:
            continue
        parts.append(text[at : max(start, at)])
        at = stop
    return BORDER.join([*parts, text[at:]])
