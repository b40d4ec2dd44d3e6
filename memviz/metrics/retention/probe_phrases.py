"""The phrases that :class:`~memviz.metrics.retention.probe_texts.ProbeTexts` looks for to find the answers of probes.

Not every match counts: one inside a longer answer does not, and the parts of an answer that lists several things only
count where they stand near each other. A negative answer ("no nuts") is also found where a text denies its thing
("nut-free").
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.answer_forms import is_date_with_year, split_list
from memviz.core.text.containment import (
    Matches,
    PhraseIndex,
    asks_for_a_count,
    normal_tokens,
)
from memviz.core.text.vocabulary import CHINESE_STOP, STOP_WORDS
from memviz.metrics.retention.negatives import strip_denial
from memviz.metrics.retention.polarity import judge_polarity, may_deny
from memviz.transcripts.base import Probe

MOST_TOKENS_BETWEEN = 12
"""So far apart may the parts of an answer stand that lists several things."""
MOST_TOKENS_TO_SUBJECT = 7
"""So far from a date without its year may the word stand that says what it is of."""
_LEAST_LETTERS = 4
_SAYING_NOTHING = frozenset(
    ("date", "day", "month", "year", "time", "when", "which", "日期", "时间", "哪天")
)
_CHINESE_STOP = re.compile(f"{CHINESE_STOP}|[^\\u4e00-\\u9fff]")


class Phrase(NamedTuple):
    """One answer of a probe, accepted or stale."""

    probe: int
    """The number of the probe."""
    is_stale: bool
    text: str


Cover = tuple[int, int]
"""The numbers of two phrases, one accepted and one stale, of a probe: the first does not count where it stands in the
second. An accepted answer yields to a longer stale one only; a stale one also to an accepted one of the same tokens."""


def list_phrases(probes: Sequence[Probe]) -> Iterator[Phrase]:
    """Yield the answers of all probes, each once. A stale one that is spelled like an accepted one is none."""
    for number, probe in enumerate(probes):
        accepted = {normal_tokens(answer) for answer in probe.answers}
        for answer in dict.fromkeys(probe.answers):
            yield Phrase(number, False, answer)
        for stale in dict.fromkeys(probe.stale):
            if normal_tokens(stale) not in accepted:
                yield Phrase(number, True, stale)


def list_covers(phrases: Sequence[Phrase]) -> Iterator[Cover]:
    """Yield each pair of an accepted and a stale answer of one probe, in both orders."""
    for _, group in groupby(enumerate(phrases), key=lambda pair: pair[1].probe):
        for (inner, phrase), (outer, other) in permutations(group, 2):
            if phrase.is_stale != other.is_stale:
                yield inner, outer


def list_numbers_of_counts(
    probes: Sequence[Probe], phrases: Sequence[Phrase]
) -> set[int]:
    """Return the numbers of the phrases that are a number of things."""
    numbers = set()
    for number, phrase in enumerate(phrases):
        is_one_token = len(normal_tokens(phrase.text)) == 1
        if is_one_token and asks_for_a_count(probes[phrase.probe].question):
            numbers.add(number)
    return numbers


def mark_standing_inside(
    matches: Matches, mine: slice, theirs: slice, yields_to_equal: bool
) -> NDArray[np.bool_]:
    """Return which of ``mine`` stand in one of ``theirs``; both are in the order of their places."""
    starts = matches.places[mine]
    ends = matches.ends[mine]
    places = matches.places[theirs]
    # Of all of theirs that begin up to a place, the furthest end: mine stands in one of them if it ends before that.
    furthest = np.append(-1, np.maximum.accumulate(matches.ends[theirs]))
    end_of_begun = furthest[np.searchsorted(places, starts, side="right")]
    if yields_to_equal:
        return np.asarray(end_of_begun >= ends)
    # One that begins and ends where mine does is no longer than mine, so mine does not yield to it.
    end_of_earlier = furthest[np.searchsorted(places, starts)]
    return np.asarray((end_of_begun > ends) | (end_of_earlier >= ends))


class NearParts(NamedTuple):
    """An answer that is told by what stands near each other: of one that lists things all of these, "cashew (caju),
    pistachio"; and a date without its year beside a word of the question, "the passport expires on 9 July"."""

    probe: int
    lead: int
    """The number of a phrase."""
    others: range
    """Numbers of phrases."""
    needs_all: bool
    """All of the others have to stand near the lead, not any one of them."""

    def find_texts(self, matches: Matches) -> NDArray[np.int64]:
        """Return the numbers of the texts in which the answer stands so."""
        leads = np.flatnonzero(matches.phrases == self.lead)
        most = MOST_TOKENS_BETWEEN if self.needs_all else MOST_TOKENS_TO_SUBJECT
        stands = []
        for phrase in self.others:
            followers = np.flatnonzero(matches.phrases == phrase)
            stands.append(_mark_standing_near(matches, leads, followers, most))
        near = np.all(stands, axis=0) if self.needs_all else np.any(stands, axis=0)
        return matches.texts[leads[near]]


def _mark_standing_near(
    matches: Matches,
    leads: NDArray[np.int64],
    followers: NDArray[np.int64],
    most_tokens: int,
) -> NDArray[np.bool_]:
    """Return which of the matches ``leads`` have one of ``followers`` near them in their text; both are in order."""
    near = np.zeros(len(leads), bool)
    if followers.size:
        places = matches.places[leads]
        behind = np.searchsorted(matches.places[followers], places)
        # Of all followers the nearest on each side: the last one before the lead, and the first one behind it.
        for number in (behind - 1, behind):
            closest = followers[np.clip(number, 0, len(followers) - 1)]
            is_near = np.abs(places - matches.places[closest]) <= most_tokens
            near |= is_near & (matches.texts[leads] == matches.texts[closest])
    return near


def find_near_parts(
    probes: Sequence[Probe], first: int
) -> tuple[list[NearParts], list[str]]:
    """Return the answers of ``probes`` that are lists or dates with a year, and their parts.

    The parts are phrases of the numbers from ``first`` on: of the list "cashew, pistachio" its two things, of a date
    the date itself and the words of the question.
    """
    near: list[NearParts] = []
    parts: list[str] = []
    for number, probe in enumerate(probes):
        for answer in probe.answers:
            is_date = is_date_with_year(normal_tokens(answer))
            together: Sequence[str] = split_list(answer)
            if is_date:
                together = [answer, *_list_telling_words(probe.question)]
            if len(together) > 1:
                lead = first + len(parts)
                followers = range(lead + 1, lead + len(together))
                near.append(NearParts(number, lead, followers, needs_all=not is_date))
                parts += together
    return near, parts


def _list_telling_words(question: str) -> list[str]:
    """Return the words of ``question`` that say what it is about."""
    tokens = [token for token in normal_tokens(question) if token.isalpha()]
    words = [token for token in tokens if len(token) >= _LEAST_LETTERS]
    words += [piece for piece in _CHINESE_STOP.split(question) if len(piece) > 1]
    silent = STOP_WORDS | _SAYING_NOTHING
    return list(dict.fromkeys(word for word in words if word not in silent))


class DeniedThings:
    """The things that negative answers deny, such as the nuts of "no nuts"."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        contents: list[str] = []
        numbers: list[int] = []
        for number, probe in enumerate(probes):
            denied = list(filter(None, map(strip_denial, probe.answers)))
            contents += denied
            numbers += [number] * len(denied)
        self._contents = PhraseIndex(contents)
        self._probe_of = np.array(numbers, np.int64)
        self._probe_count = len(probes)

    def mark_denied(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return true where a text denies the thing that a probe's answer denies: [texts x probes].

        For "no nuts" that is true of "The menu is nut-free".
        """
        is_denied = np.zeros((len(texts), self._probe_count), bool)
        if not self._probe_of.size:
            return is_denied
        # Few texts deny anything, and of these few hold one of the things: only these are read word by word.
        may = np.flatnonzero([may_deny(text) for text in texts])
        matches = self._contents.find([texts[row] for row in may.tolist()])
        rows = may[np.unique(matches.texts)]
        if rows.size:
            denied = [judge_polarity(texts[row]).denied for row in rows.tolist()]
            matches = self._contents.find(denied)
            is_denied[rows[matches.texts], self._probe_of[matches.phrases]] = True
        return is_denied
