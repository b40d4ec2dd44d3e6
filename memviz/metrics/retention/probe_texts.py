"""In which texts the answers of probes are contained: looked up once for a conversation, for all its runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.conversation import Log, Message
from memviz.metrics.requests.message_words import readable
from memviz.text.answer_forms import is_date_with_year, list_parts
from memviz.text.containment import Matches, PhraseIndex, normal_tokens
from memviz.text.polarity import (
    Polarity,
    clauses_with_negatives,
    denied_content,
    is_answered_negatively,
    is_asked_negatively,
    is_negative,
    is_same_subject,
    may_deny,
    polarity,
    sentences_that_may_deny,
    states_itself,
)
from memviz.text.vocabulary import CHINESE_STOP, STOP_WORDS
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
Bools = NDArray[np.bool_]
Counts = NDArray[np.unsignedinteger]


class Holding(NamedTuple):
    """Which texts contain which answers: ``answers`` [texts x probes] any accepted one, ``stale``
    [texts x probes that have a stale one] any stale one, each where it is affirmed. ``denied`` [texts x probes]: an
    accepted one stands there, but only where it is denied or outdated; ``ended``: of these, and of those that other
    parts of the text affirm before, the ones that it calls outdated."""

    answers: Bools
    stale: Bools
    denied: Bools
    ended: Bools


class _Phrase(NamedTuple):
    probe: int
    is_stale: bool
    text: str


class _Cover(NamedTuple):
    """``inner`` does not count where it stands in ``outer``, a phrase of the other kind of the same probe. An accepted
    answer yields to a longer stale one only; a stale one also to an accepted one of the same tokens."""

    inner: int
    outer: int
    yields_to_equal: bool


class _Negatives(NamedTuple):
    """What the answers that are negatives deny, to be found where a text denies it: "nut-free" for "no nuts"."""

    contents: PhraseIndex
    probe_of: NDArray[np.int64]
    probe_count: int

    @classmethod
    def of(cls, probes: Sequence[Probe]) -> _Negatives:
        contents = [
            (n, denied_content(answer))
            for n, probe in enumerate(probes)
            for answer in probe.answers
        ]
        told = [(number, content) for number, content in contents if content]
        numbers = np.array([number for number, _ in told], dtype=np.int64)
        return cls(PhraseIndex([content for _, content in told]), numbers, len(probes))

    def denied_in(self, texts: Sequence[str]) -> Bools:
        """Which of ``texts`` deny what is denied by which probes: [texts x probes]."""
        held: Bools = np.zeros((len(texts), self.probe_count), dtype=np.bool_)
        if not self.probe_of.size:
            return held
        may = [row for row, text in enumerate(texts) if may_deny(text)]
        rows = [
            may[at]
            for at in np.unique(
                self.contents.find([texts[row] for row in may]).texts
            ).tolist()
        ]
        if rows:
            found = self.contents.find([polarity(texts[row]).denied for row in rows])
            held[np.array(rows)[found.texts], self.probe_of[found.phrases]] = True
        return held


class _Near(NamedTuple):
    """An answer that is told by what stands near each other: of one that lists things all of these, "cashew (caju),
    pistachio"; and a date without its year beside a word of the question, "the passport expires on 9 July". ``lead``
    and ``others`` are numbers of phrases."""

    probe: int
    lead: int
    others: range
    needs_all: bool
    """Whether all of the others have to stand near the lead, or any one of them."""

    def told_in(self, found: Matches) -> NDArray[np.int64]:
        """The texts that tell it."""
        leads = np.flatnonzero(found.phrases == self.lead)
        most = MOST_TOKENS_BETWEEN if self.needs_all else MOST_TOKENS_TO_SUBJECT
        stands = [
            _stand_near(found, leads, np.flatnonzero(found.phrases == other), most)
            for other in self.others
        ]
        near = np.all(stands, axis=0) if self.needs_all else np.any(stands, axis=0)
        return found.texts[leads[near]]


def _stand_near(
    found: Matches,
    leads: NDArray[np.int64],
    others: NDArray[np.int64],
    most_tokens: int,
) -> Bools:
    """Which of the matches ``leads`` have one of ``others`` near them in their text; both are in order."""
    near: Bools = np.zeros(len(leads), dtype=np.bool_)
    if others.size:
        behind = np.searchsorted(found.places[others], found.places[leads])
        for number in (behind - 1, behind):  # of all others the nearest on each side
            one = others[np.clip(number, 0, len(others) - 1)]
            is_near = np.abs(found.places[leads] - found.places[one]) <= most_tokens
            near |= is_near & (found.texts[leads] == found.texts[one])
    return near


def _near_parts(
    probes: Sequence[Probe], first: int
) -> tuple[tuple[_Near, ...], list[str]]:
    """The answers of ``probes`` that are told so, and their parts: phrases of the numbers from ``first`` on."""
    near: list[_Near] = []
    parts: list[str] = []
    for number, probe in enumerate(probes):
        for answer in probe.answers:
            listed, is_date = (
                list_parts(answer),
                is_date_with_year(normal_tokens(answer)),
            )
            words = _telling_words(probe.question) if is_date else listed[1:]
            if words:
                lead = first + len(parts)
                near.append(
                    _Near(
                        number,
                        lead,
                        range(lead + 1, lead + 1 + len(words)),
                        needs_all=not is_date,
                    )
                )
                parts += [answer if is_date else listed[0], *words]
    return tuple(near), parts


def _telling_words(question: str) -> tuple[str, ...]:
    """The words of ``question`` that say what it is about."""
    words = [
        token
        for token in normal_tokens(question)
        if len(token) >= _LEAST_LETTERS and token.isalpha()
    ]
    han = [piece for piece in _CHINESE_STOP.split(question) if len(piece) > 1]
    return tuple(
        dict.fromkeys(
            word for word in (*words, *han) if word not in STOP_WORDS | _SAYING_NOTHING
        )
    )


class ProbeTexts:
    """The answers of ``probes`` in the messages of ``log``, for every run over it.

    A stale answer counts only where it is not a part of an accepted one ("26 June" in "26 June 2027"), and an
    accepted one only where it is not a part of a longer stale one. A stale answer that is spelled like an
    accepted one is none. What is contained is defined in :mod:`memviz.text.containment`.

    ``answer_counts`` [messages + 1 x probes] and ``stale_counts`` [messages + 1 x ``stale_columns``] are running
    numbers of messages, so whether a range of the log holds an answer is one difference.
    """

    def __init__(
        self, log: Log, probes: Sequence[Probe], *, any_mention: bool = False
    ) -> None:
        self.log, self.probes = log, tuple(probes)
        self._any_mention = any_mention
        self._is_negative: Bools = np.array(
            [any_mention or _asks_negatively(probe) for probe in self.probes],
            dtype=np.bool_,
        )
        self._names_negative = np.array(
            [any(map(is_answered_negatively, probe.answers)) for probe in self.probes],
            bool,
        )
        self._negatives = _Negatives.of(self.probes)
        self.denials: list[tuple[int, int]] = []
        """Log position and number of the probe, wherever a message mentions an answer only to deny it; in order."""
        self.endings: list[tuple[int, int]] = []
        """The same where a message calls it outdated."""
        self.stale_columns = np.array(
            [n for n, probe in enumerate(self.probes) if probe.stale], dtype=np.int64
        )
        phrases = list(_phrases(self.probes))
        self._near, parts = _near_parts(self.probes, len(phrases))
        texts = [*(phrase.text for phrase in phrases), *parts]
        self._index = PhraseIndex(texts, may_omit_years=range(len(phrases), len(texts)))
        self._tells: Bools = np.isin(
            np.arange(len(texts)),
            [*range(len(phrases)), *(one.lead for one in self._near)],
        )
        """Of each phrase, whether a sentence that holds it may tell an answer."""
        self._probe_of = np.array([phrase.probe for phrase in phrases], dtype=np.int64)
        self._is_stale = np.array([phrase.is_stale for phrase in phrases], dtype=bool)
        self._covers = list(_covers(phrases))
        self.answer_counts: Counts = np.zeros((1, len(self.probes)), dtype=np.uint16)
        self.stale_counts: Counts = np.zeros(
            (1, len(self.stale_columns)), dtype=np.uint16
        )
        self.extend()

    @property
    def length(self) -> int:
        """Number of messages read so far."""
        return len(self.answer_counts) - 1

    def extend(self) -> None:
        """Read the messages that joined the log since."""
        start = self.length
        if len(self.log) > start:
            self._read_evidence(start)
            found = self.holding([readable(message) for message in self.log[start:]])
            self.denials += [
                (start + row, probe)
                for row, probe in np.argwhere(found.denied).tolist()
            ]
            self.endings += [
                (start + row, probe) for row, probe in np.argwhere(found.ended).tolist()
            ]
            self.answer_counts = _continued(self.answer_counts, found.answers)
            self.stale_counts = _continued(self.stale_counts, found.stale)

    def holding(self, texts: Sequence[str]) -> Holding:
        """Which of ``texts`` contain which answers. A text that comes twice is read once."""
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        held = self._holding(list(rows))
        if len(rows) == len(texts):
            return held
        of_text = np.array([rows[text] for text in texts], dtype=np.int64)
        return Holding(*(part[of_text] for part in held))

    def contradicted(self, held: Holding) -> Bools:
        """Which texts mention an answer to deny it, or hold an outdated one: [texts x probes]."""
        told = held.denied.copy()
        told[:, self.stale_columns] |= held.stale
        return told

    def _holding(self, texts: Sequence[str]) -> Holding:
        answers, stale = self._mentioned(texts)
        answers |= self._negatives.denied_in(texts)
        denied, ended = np.zeros_like(answers), np.zeros_like(answers)
        mentioning: Bools = np.asarray(answers.any(axis=1))
        mentioning[stale.any(axis=1)] = True
        rows = [] if self._any_mention else np.flatnonzero(mentioning).tolist()
        telling = self._telling_sentences([texts[row] for row in rows])
        read = (
            [polarity(texts[row], telling.__contains__) for row in rows]
            if telling
            else []
        )
        denying = [
            (row, one)
            for row, one in zip(rows, read, strict=False)
            if one.affirmed is not texts[row]
        ]
        if denying:
            rows, read = [row for row, _ in denying], [one for _, one in denying]
            affirmed, fresh = self._mentioned([one.affirmed for one in read])
            affirmed &= answers[rows]
            ended[rows], since = self._ended(read)
            undone = (
                self._mentioned([one.undone for one in read])[0]
                if self._is_negative.any()
                else since
            )
            affirmed = (affirmed | (answers[rows] & self._is_negative & ~undone)) & (
                ~ended[rows] | since
            )
            denied[rows] = answers[rows] & ~affirmed
            answers[rows], stale[rows] = affirmed, fresh
        return Holding(answers, stale, denied, ended)

    def _mentioned(self, texts: Sequence[str]) -> tuple[Bools, Bools]:
        """Which of ``texts`` mention which accepted and which stale answers, affirmed or not."""
        found = self._index.find(texts)
        matches = self._uncovered(found.of_first(len(self._probe_of)))
        kinds = []
        for kind in (False, True):
            held = np.zeros((len(texts), len(self.probes)), dtype=bool)
            of_kind = self._is_stale[matches.phrases] == kind
            held[matches.texts[of_kind], self._probe_of[matches.phrases[of_kind]]] = (
                True
            )
            kinds.append(held)
        for one in self._near:
            kinds[0][one.told_in(found), one.probe] = True
        return kinds[0], kinds[1][:, self.stale_columns]

    def _telling_sentences(self, texts: Sequence[str]) -> set[str]:
        """The sentences of ``texts`` that mention an answer and may deny it."""
        sentences = list(
            {sentence for text in texts for sentence in sentences_that_may_deny(text)}
        )
        if not sentences:
            return set()
        found = self._index.find(sentences)
        return {
            sentences[row]
            for row in np.unique(found.texts[self._tells[found.phrases]]).tolist()
        }

    def _ended(self, read: Sequence[Polarity]) -> tuple[Bools, Bools]:
        """Which accepted answers each text calls outdated, and which it affirms after that."""
        ended, _ = self._mentioned([one.outdated for one in read])
        ended[:, self._is_negative & ~self._names_negative] = False
        for row, probe in np.argwhere(ended).tolist():
            ended[row, probe] = is_same_subject(
                self.probes[probe].question, read[row].updates
            )
        since = (
            self._mentioned([one.since for one in read])[0] if ended.any() else ended
        )
        return ended, since

    def _read_evidence(self, start: int) -> None:
        """Note the facts that messages from ``start`` on state as negatives: to deny those is to affirm them."""
        for_probe: list[tuple[int, str]] = []
        clauses_at: dict[int, tuple[str, ...]] = {}
        for number, probe in enumerate(self.probes):
            is_new = bool(probe.evidence) and start <= max(probe.evidence) < len(
                self.log
            )
            for position in (
                probe.evidence if is_new and not self._is_negative[number] else ()
            ):
                if position >= 0:
                    if position not in clauses_at:
                        clauses_at[position] = clauses_with_negatives(
                            readable(self.log[position])
                        )
                    for_probe += [(number, clause) for clause in clauses_at[position]]
        clauses = list(dict.fromkeys(clause for _, clause in for_probe))
        mentioned = dict(zip(clauses, self._mentioned(clauses)[0], strict=True))
        stated: dict[int, list[bool]] = {}
        for number, clause in for_probe:
            if mentioned[clause][number]:
                stated.setdefault(number, []).append(is_negative(clause))
        for number, negatives in stated.items():
            self._is_negative[number] = all(negatives)

    def counts_of(self, messages: Sequence[Message]) -> tuple[Counts, Counts]:
        """What :attr:`answer_counts` and :attr:`stale_counts` are for the log, for other messages."""
        found = self.holding([readable(message) for message in messages])
        return _continued(self.answer_counts[:1], found.answers), _continued(
            self.stale_counts[:1], found.stale
        )

    def denied_counts_of(self, messages: Sequence[Message]) -> Counts:
        """Running numbers of the ``messages`` that mention each answer only to deny it."""
        return running_counts(
            self.holding([readable(message) for message in messages]).denied
        )

    def fits(self, log: Log) -> bool:
        """Whether these are the texts of ``log``, which may have grown since."""
        return self.log is log or self.log[:] == log[:]

    def _uncovered(self, matches: Matches) -> Matches:
        keep = np.ones(len(matches.phrases), dtype=bool)
        bounds = np.searchsorted(matches.phrases, np.arange(len(self._probe_of) + 1))
        for inner, outer, yields_to_equal in self._covers:
            mine, others = (
                slice(bounds[inner], bounds[inner + 1]),
                slice(bounds[outer], bounds[outer + 1]),
            )
            if mine.start < mine.stop and others.start < others.stop:
                keep[mine] &= ~_inside(
                    matches, mine, others, yields_to_equal=yields_to_equal
                )
        return Matches(*(part[keep] for part in matches))


def _inside(
    matches: Matches, mine: slice, others: slice, *, yields_to_equal: bool
) -> Bools:
    """Which of ``mine`` stand in one of ``others``; both are in the order of their places."""
    starts, ends = matches.places[mine], matches.ends[mine]
    places, furthest = (
        matches.places[others],
        np.maximum.accumulate(matches.ends[others]),
    )
    begun_before, begun = (
        np.searchsorted(places, starts, side="left"),
        np.searchsorted(places, starts, side="right"),
    )
    furthest = np.concatenate(([-1], furthest))
    if yields_to_equal:
        return np.asarray(furthest[begun] >= ends)
    return np.asarray((furthest[begun] > ends) | (furthest[begun_before] >= ends))


@lru_cache(maxsize=4)
def answers_of(probes: tuple[Probe, ...]) -> ProbeTexts:
    """To look the answers of ``probes`` up in single texts, which belong to no log. It is kept: a page asks for the
    same facts at each redraw, and to prepare their answers takes longer than to find them in a summary."""
    return ProbeTexts(Log(()), probes)


def in_any(held: Bools) -> Bools:
    """Of [texts x probes], which probes any of the texts holds."""
    return np.asarray(held.any(axis=0))


def _asks_negatively(probe: Probe) -> bool:
    if any(map(is_answered_negatively, probe.answers)):
        return True
    return is_asked_negatively(probe.question) and not any(
        map(states_itself, probe.answers)
    )


def running_counts(held: Bools) -> Counts:
    """How many of the rows before each, and of all, are true: one row more than ``held``."""
    return _continued(np.zeros((1, held.shape[1]), dtype=np.uint16), held)


def _continued(counts: Counts, held: Bools) -> Counts:
    """``counts`` with the running sums of the rows that follow."""
    kind = (
        np.uint16 if len(counts) + len(held) <= np.iinfo(np.uint16).max else np.uint32
    )
    sums: Counts = np.cumsum(held, axis=0, dtype=kind)
    return np.concatenate((counts.astype(kind), sums + counts[-1].astype(kind)))


def _phrases(probes: Sequence[Probe]) -> Iterator[_Phrase]:
    for number, probe in enumerate(probes):
        accepted = {normal_tokens(answer) for answer in probe.answers}
        yield from (
            _Phrase(number, False, answer) for answer in dict.fromkeys(probe.answers)
        )
        for stale in dict.fromkeys(probe.stale):
            if normal_tokens(stale) not in accepted:
                yield _Phrase(number, True, stale)


def _covers(phrases: Sequence[_Phrase]) -> Iterator[_Cover]:
    of_probe: dict[int, list[int]] = {}
    for number, phrase in enumerate(phrases):
        of_probe.setdefault(phrase.probe, []).append(number)
    for numbers in of_probe.values():
        for inner in numbers:
            for outer in numbers:
                if phrases[inner].is_stale != phrases[outer].is_stale:
                    yield _Cover(inner, outer, phrases[inner].is_stale)
