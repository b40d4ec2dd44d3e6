"""Extractive summaries: score every sentence, keep the best within a token budget, in their own order.

The score of a sentence is what it tells (:attr:`memviz.text.traits.Traits.informativeness`), weighed by who said it,
lowered for questions and repeated answers, and raised a little for rare words.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import log, sqrt

from memviz.models.offline.summary_request import Entry
from memviz.text.sentences import CACHED_TEXT_CHARS, Sentence, passage

ROLE_WEIGHT = {"user": 1.3, "assistant": 0.7, "tool": 0.3, "system": 0.4, "summary": 1.2, "": 1.0}
OLDEST_DECAY, NEWEST_DECAY = 0.6, 1.0
"""What a sentence of the previous summary keeps of its weight, from the first sentence to the last. The oldest facts
are its first, so a fact that is carried on from summary to summary fades as newer ones join behind it."""
QUESTION_FACTOR, ECHO_FACTOR = 0.15, 0.15
COMPRESSION = 3
FREE_TOKENS = 48
"""New text is brought down to a third of its tokens, but the first 48 need not be cut."""
CANDIDATES = 60
WORTH_SAYING = 0.12
"""A sentence with less than this part of the best one's weight is left out even where there is room."""
EMPTY_SUMMARY = "Nothing was said."
"""The summary of messages without text: an empty one would count as a failure."""


@dataclass(slots=True, eq=False)
class _Candidate:
    position: int
    sentence: Sentence
    weight: float
    tokens: int = 0


def summarize(entries: Sequence[Entry], budget_tokens: int, count: Callable[[str], int], *, fill: bool = False) -> str:
    """The summary of ``entries`` in at most ``budget_tokens`` tokens (of whatever ``count`` counts), never empty.
    A short text is brought down below the budget, unless it is to ``fill`` it."""
    room_tokens = budget_tokens if fill else condensed_tokens(entries, budget_tokens, count)
    chosen = best_sentences(entries, room_tokens, count)
    if not chosen:
        text = " ".join(" ".join(entry.text for entry in entries).split())
        return truncated(text or EMPTY_SUMMARY, budget_tokens, count)
    text = _joined(chosen)
    return truncated(text, room_tokens, count) if len(chosen) == 1 else text


def best_sentences(entries: Sequence[Entry], room_tokens: int, count: Callable[[str], int]) -> list[Sentence]:
    """The most informative sentences that fit into ``room_tokens`` together, in their order; one that is larger where
    none fits, and none where there is no sentence."""
    candidates = _candidates(entries)
    chosen = _choose(_ranked(candidates), room_tokens, count) if candidates else []
    while True:
        sentences = [candidate.sentence for candidate in sorted(chosen, key=lambda one: one.position)]
        if len(chosen) < 2 or count(_joined(sentences)) <= room_tokens:
            return sentences
        chosen.pop()  # the least informative; joining can cost a token or two more than the sum says


def condensed_tokens(entries: Sequence[Entry], budget_tokens: int, count: Callable[[str], int]) -> int:
    """The budget, or less where what is to be summarized is short."""
    return min(budget_tokens, _target_tokens(entries, count))


def _target_tokens(entries: Sequence[Entry], count: Callable[[str], int]) -> int:
    """What the earlier summary held plus a share of what is new."""
    sizes = [(entry.role, count(entry.text)) for entry in entries]
    carried = sum(tokens for role, tokens in sizes if role == "summary")
    return carried + max(FREE_TOKENS, sum(tokens for role, tokens in sizes if role != "summary") // COMPRESSION)


def _candidates(entries: Sequence[Entry]) -> list[_Candidate]:
    weighed = chain.from_iterable(
        (_weighed if entry.role == "summary" or len(entry.text) > CACHED_TEXT_CHARS else _weighed_once)(*entry)
        for entry in entries
    )
    return [_Candidate(position, sentence, weight) for position, (sentence, weight) in enumerate(weighed)]


def _weighed(role: str, text: str) -> tuple[tuple[Sentence, float], ...]:
    """The sentences of one entry, each with its weight."""
    sentences = passage(text).sentences
    found = []
    for at, sentence in enumerate(sentences):
        weight = ROLE_WEIGHT[role] * sentence.traits.informativeness
        if role == "summary":
            weight *= OLDEST_DECAY + (NEWEST_DECAY - OLDEST_DECAY) * (at + 1) / len(sentences)
        if sentence.is_question:
            weight *= QUESTION_FACTOR
        if sentence.echo:
            weight *= ECHO_FACTOR
        found.append((sentence, weight / sqrt(20 + len(sentence.text))))
    return tuple(found)


_weighed_once = lru_cache(maxsize=2048)(_weighed)
"""A message weighs the same under all settings that summarize it; a summary hardly comes twice."""


def _ranked(candidates: list[_Candidate]) -> list[_Candidate]:
    """The best candidates, best first, with what rare words add to their weight."""
    frequency = Tally(chain.from_iterable(candidate.sentence.words for candidate in candidates))
    rarities = [0.0, *(log(len(candidates) / times) for times in range(1, max(frequency.values(), default=0) + 1))]
    best = sorted(candidates, key=lambda one: -one.weight)[:CANDIDATES]
    for candidate in best:
        words = candidate.sentence.words
        rarity = sum([rarities[frequency[word]] for word in words]) / (len(words) or 1)
        candidate.weight *= 1 + 0.1 * rarity
    best.sort(key=lambda one: (-one.weight, one.position))
    return [candidate for candidate in best if candidate.weight >= WORTH_SAYING * best[0].weight]


def _choose(ranked: list[_Candidate], budget_tokens: int, count: Callable[[str], int]) -> list[_Candidate]:
    """Best first while they fit. Of two that say the same thing only one is taken, the later if values differ."""
    chosen: list[_Candidate] = []
    room = budget_tokens
    for candidate in ranked:
        candidate.tokens = count(candidate.sentence.ended) + 1
        twin = _twin(candidate.sentence, chosen)
        if twin is None:
            if candidate.tokens <= room:
                chosen.append(candidate)
                room -= candidate.tokens
        elif _replaces(candidate, twin) and candidate.tokens <= room + twin.tokens:
            chosen[chosen.index(twin)] = candidate
            room += twin.tokens - candidate.tokens
    return chosen or ranked[:1]


def _twin(sentence: Sentence, chosen: list[_Candidate]) -> _Candidate | None:
    """The first of ``chosen`` that says the same thing."""
    is_apart = sentence.subject.isdisjoint  # a quick test first: most pairs have no word in common
    return next(
        (one for one in chosen if not is_apart(one.sentence.subject) and _same_subject(one.sentence, sentence)), None
    )


def _replaces(candidate: _Candidate, twin: _Candidate) -> bool:
    return candidate.position > twin.position and candidate.sentence.traits.numbers != twin.sentence.traits.numbers


def _same_subject(one: Sentence, other: Sentence) -> bool:
    """Whether two sentences that are not apart share most words but values."""
    mine, yours = one.subject, other.subject
    shared = len(mine & yours)
    smaller = min(len(mine), len(yours))
    return shared >= 0.7 * smaller if smaller > 2 else shared >= 0.6 * len(mine | yours)


def _joined(sentences: Iterable[Sentence]) -> str:
    text = ""
    for sentence in sentences:
        ended = sentence.ended
        text += ended if not text or text.endswith(("。", "！", "？")) else " " + ended
    return text


def truncated(text: str, budget_tokens: int, count: Callable[[str], int]) -> str:
    """The longest beginning of ``text`` within ``budget_tokens``, cut between words where there is a space."""
    text = text[: 40 * budget_tokens + 40]  # tokens are shorter than that; so a huge text costs no more than it has to
    if count(text) <= budget_tokens:
        return text
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle]) <= budget_tokens else (low, middle - 1)
    space = text.rfind(" ", 0, low + 1)
    return text[: space if space > 0 else low].rstrip()
