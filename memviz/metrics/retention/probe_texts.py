"""The texts in which the answers of probes are contained: looked up once for a conversation, for all its runs."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.summaries import SummaryLog
from memviz.core.text.answer_forms import is_date_with_year, list_parts
from memviz.core.text.containment import (
    Matches,
    PhraseIndex,
    asks_for_a_count,
    normal_tokens,
)
from memviz.core.text.vocabulary import CHINESE_STOP, STOP_WORDS
from memviz.metrics.requests.message_text import readable
from memviz.metrics.retention.polarity import (
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
from memviz.metrics.retention.unsettled import (
    asks_for_what_is_unsettled,
    asks_of_the_user,
    settled,
    without_others,
)
from memviz.transcripts.base import Probe

MOST_TOKENS_BETWEEN = 12
"""So far apart may the parts of an answer stand that lists several things."""
MOST_TOKENS_TO_SUBJECT = 7
"""So far from a date without its year may the word stand that says what it is of."""
TEXTS_AT_ONCE = 1000
"""Texts that are read together: fewer than those of which tokens are kept."""
RUNS_KEPT = 8
"""Of so many runs it is kept which version of a summary contains which answers: a page compares six settings."""
_LEAST_LETTERS = 4
_SAYING_NOTHING = frozenset(
    ("date", "day", "month", "year", "time", "when", "which", "日期", "时间", "哪天")
)
_CHINESE_STOP = re.compile(f"{CHINESE_STOP}|[^\\u4e00-\\u9fff]")
Bools = NDArray[np.bool_]
Counts = NDArray[np.unsignedinteger]


class Holding(NamedTuple):
    """The answers that texts contain."""

    answers: Bools
    """[texts x probes]: any accepted one is affirmed."""
    stale: Bools
    """[texts x probes that have a stale one]: any stale one is affirmed."""
    denied: Bools
    """[texts x probes]: an accepted one stands there, but only where it is denied or outdated."""


class Tallies(NamedTuple):
    """Running numbers of the texts for which each kind of :class:`Holding` is true, one row more than there are
    texts: whether a range of texts holds an answer is one difference."""

    answers: Counts
    stale: Counts
    denied: Counts


class _Phrase(NamedTuple):
    probe: int
    is_stale: bool
    text: str


_Cover = tuple[int, int]
"""The numbers of two phrases, one accepted and one stale, of a probe: the first does not count where it stands in the
second. An accepted answer yields to a longer stale one only; a stale one also to an accepted one of the same tokens."""


class _Negatives:
    """The things that negative answers deny, to be found where a text denies it: "nut-free" for "no nuts"."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        contents: list[str] = []
        numbers: list[int] = []
        for number, probe in enumerate(probes):
            denied = list(filter(None, map(denied_content, probe.answers)))
            contents += denied
            numbers += [number] * len(denied)
        self._contents = PhraseIndex(contents)
        self._probe_of = np.array(numbers, np.int64)
        self._probe_count = len(probes)

    def denied_in(self, texts: Sequence[str]) -> Bools:
        """Return which of ``texts`` deny what is denied by which probes: [texts x probes]."""
        held = np.zeros((len(texts), self._probe_count), bool)
        if not self._probe_of.size:
            return held
        may = np.flatnonzero([may_deny(text) for text in texts])
        found = self._contents.find([texts[row] for row in may.tolist()])
        rows = may[np.unique(found.texts)]
        if rows.size:
            denied = [polarity(texts[row]).denied for row in rows.tolist()]
            found = self._contents.find(denied)
            held[rows[found.texts], self._probe_of[found.phrases]] = True
        return held


class _Near(NamedTuple):
    """An answer that is told by what stands near each other: of one that lists things all of these, "cashew (caju),
    pistachio"; and a date without its year beside a word of the question, "the passport expires on 9 July"."""

    probe: int
    lead: int
    """The number of a phrase."""
    others: range
    """Numbers of phrases."""
    needs_all: bool
    """All of the others have to stand near the lead, not any one of them."""

    def told_in(self, found: Matches) -> NDArray[np.int64]:
        """Return the texts that tell it."""
        leads = np.flatnonzero(found.phrases == self.lead)
        most = MOST_TOKENS_BETWEEN if self.needs_all else MOST_TOKENS_TO_SUBJECT
        stands = []
        for other in self.others:
            others = np.flatnonzero(found.phrases == other)
            stands.append(_stand_near(found, leads, others, most))
        near = np.all(stands, axis=0) if self.needs_all else np.any(stands, axis=0)
        return found.texts[leads[near]]


def _stand_near(
    found: Matches,
    leads: NDArray[np.int64],
    others: NDArray[np.int64],
    most_tokens: int,
) -> Bools:
    """Return which of the matches ``leads`` have one of ``others`` near them in their text; both are in order."""
    near = np.zeros(len(leads), bool)
    if others.size:
        places = found.places[leads]
        behind = np.searchsorted(found.places[others], places)
        # Of all others the nearest on each side.
        for number in (behind - 1, behind):
            one = others[np.clip(number, 0, len(others) - 1)]
            is_near = np.abs(places - found.places[one]) <= most_tokens
            near |= is_near & (found.texts[leads] == found.texts[one])
    return near


def _near_parts(probes: Sequence[Probe], first: int) -> tuple[list[_Near], list[str]]:
    """Return the answers of ``probes`` that are told so, and their parts: phrases of the numbers from ``first`` on."""
    near: list[_Near] = []
    parts: list[str] = []
    for number, probe in enumerate(probes):
        for answer in probe.answers:
            is_date = is_date_with_year(normal_tokens(answer))
            together: Sequence[str] = list_parts(answer)
            if is_date:
                together = [answer, *_telling_words(probe.question)]
            if len(together) > 1:
                lead = first + len(parts)
                others = range(lead + 1, lead + len(together))
                near.append(_Near(number, lead, others, needs_all=not is_date))
                parts += together
    return near, parts


def _telling_words(question: str) -> list[str]:
    """Return the words of ``question`` that say what it is about."""
    tokens = [token for token in normal_tokens(question) if token.isalpha()]
    words = [token for token in tokens if len(token) >= _LEAST_LETTERS]
    words += [piece for piece in _CHINESE_STOP.split(question) if len(piece) > 1]
    silent = STOP_WORDS | _SAYING_NOTHING
    return list(dict.fromkeys(word for word in words if word not in silent))


class ProbeTexts:
    """The answers of ``probes`` in the messages of ``log``, for every run over it.

    A stale answer counts only where it is not a part of an accepted one ("26 June" in "26 June 2027"), and an
    accepted one only where it is not a part of a longer stale one. A stale answer that is spelled like an
    accepted one is none. What is contained is defined in :mod:`memviz.core.text.containment`.

    ``counts`` are of the messages of the log.
    """

    def __init__(
        self, log: Log, probes: Sequence[Probe], *, any_mention: bool = False
    ) -> None:
        self.log = log
        self.probes = tuple(probes)
        self._any_mention = any_mention
        questions = [probe.question for probe in self.probes]
        self._is_negative = _mask(map(_asks_negatively, self.probes)) | any_mention
        self._names_negative = _mask(map(_names_a_negative, self.probes))
        self._asks_for_unsettled = _mask(map(asks_for_what_is_unsettled, questions))
        self._asks_of_user = _mask(map(asks_of_the_user, questions))
        self._negatives = _Negatives(self.probes)
        self.endings: list[tuple[int, int]] = []
        """Log position and number of the probe, wherever a message calls an answer outdated; in order."""
        self.stale_columns = np.flatnonzero([bool(probe.stale) for probe in probes])
        phrases = list(_phrases(self.probes))
        self._near, parts = _near_parts(self.probes, len(phrases))
        texts = [*(phrase.text for phrase in phrases), *parts]
        counts = _counts(self.probes, phrases)
        self._index = PhraseIndex(
            texts, may_omit_years=range(len(phrases), len(texts)), counts=counts
        )
        # Of each phrase, whether a sentence that holds it may tell an answer.
        self._tells = np.arange(len(texts)) < len(phrases)
        self._tells[[one.lead for one in self._near]] = True
        self._probe_of = np.array([phrase.probe for phrase in phrases], np.int64)
        self._is_stale = _mask(phrase.is_stale for phrase in phrases)
        self._covers = list(_covers(phrases))
        self._held_in_versions: dict[tuple[str, ...], Holding] = {}
        self.counts = self.counts_of(())
        self.extend()

    @property
    def length(self) -> int:
        """Number of messages read so far."""
        return len(self.counts.answers) - 1

    def extend(self) -> None:
        """Read the messages that joined the log since."""
        start = self.length
        if len(self.log) > start:
            # A new message may show that a fact is a negative one.
            self._held_in_versions = {}
            self._read_evidence(start)
            *held, ended = self._read([readable(one) for one in self.log[start:]])
            rows = np.argwhere(ended).tolist()
            self.endings += [(start + row, probe) for row, probe in rows]
            self.counts = Tallies(*map(_continued, self.counts, held))

    def holding(self, texts: Sequence[str]) -> Holding:
        """Return which of ``texts`` contain which answers. A text that comes twice is read once."""
        return Holding(*self._read(texts)[:3])

    def in_messages(self, messages: Iterable[Message]) -> Holding:
        """Return which of ``messages`` contain which answers."""
        return self.holding([readable(message) for message in messages])

    def in_versions(self, summaries: SummaryLog) -> Holding:
        """Return which versions of ``summaries`` contain which answers. Each of several metrics of one run asks for
        it, so it is kept."""
        texts = tuple(version.text for version in summaries.versions)
        held = self._held_in_versions.get(texts)
        if held is None:
            held = self.holding(texts)
            if len(self._held_in_versions) >= RUNS_KEPT:
                self._held_in_versions = {}
            self._held_in_versions[texts] = held
        return held

    def counts_of(self, messages: Sequence[Message]) -> Tallies:
        """Return what :attr:`counts` is for the log, for other messages."""
        held = self.in_messages(messages)
        nothing = [np.zeros((1, part.shape[1]), np.uint16) for part in held]
        return Tallies(*map(_continued, nothing, held))

    def contradicted(self, held: Holding) -> Bools:
        """Return which texts mention an answer to deny it, or hold an outdated one: [texts x probes]."""
        told = held.denied.copy()
        told[:, self.stale_columns] |= held.stale
        return told

    def _read(self, texts: Sequence[str]) -> list[Bools]:
        """Return the parts of :class:`Holding`, and which answers each text calls outdated, also of those that other
        parts of the text affirm before."""
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        different = list(rows)
        # Of each text its tokens and its sentences are asked for several times. Of the
        # texts of one batch they are still kept the next time.
        batches = [
            self._read_once(different[start : start + TEXTS_AT_ONCE])
            for start in range(0, max(1, len(different)), TEXTS_AT_ONCE)
        ]
        held = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
        if len(rows) == len(texts):
            return held
        of_text = [rows[text] for text in texts]
        return [part[of_text] for part in held]

    def _read_once(self, texts: Sequence[str]) -> list[Bools]:
        held = self._told_in(texts)
        if not self._any_mention:
            self._settle(texts, held[0])
        return held

    def _told_in(self, texts: Sequence[str]) -> list[Bools]:
        answers, stale = self._mentioned(texts)
        denied = np.zeros_like(answers)
        ended = np.zeros_like(answers)
        held = [answers, stale, denied, ended]
        if self._any_mention:
            return held
        answers |= self._negatives.denied_in(texts)
        rows = np.flatnonzero(answers.any(axis=1) | stale.any(axis=1)).tolist()
        may_deny = {row: [*sentences_that_may_deny(texts[row])] for row in rows}
        telling = self._telling(set(chain.from_iterable(may_deny.values())))
        read = {}
        for row, sentences in may_deny.items():
            if not telling.isdisjoint(sentences):
                one = polarity(texts[row], telling.__contains__)
                if one.affirmed is not texts[row]:
                    read[row] = one
        if not read:
            return held
        rows = list(read)
        found = list(read.values())
        affirmed, fresh = self._mentioned([one.affirmed for one in found])
        mentioned = answers[rows]
        ended[rows], since = self._ended(found)
        undone = since
        if self._is_negative.any():
            undone, _ = self._mentioned([one.undone for one in found])
        affirmed |= self._is_negative & ~undone
        affirmed &= mentioned & (~ended[rows] | since)
        denied[rows] = mentioned & ~affirmed
        answers[rows] = affirmed
        stale[rows] = fresh
        return held

    def _settle(self, texts: Sequence[str], answers: Bools) -> None:
        """Take out of ``answers`` those that a text only asks for or supposes, or says of somebody else."""
        for leave_out, stays in (
            (settled, self._asks_for_unsettled | self._is_negative),
            (without_others, ~self._asks_of_user),
        ):
            told = {}
            for row in np.flatnonzero((answers & ~stays).any(axis=1)).tolist():
                left = leave_out(texts[row])
                if left is not texts[row]:
                    told[row] = left
            if told:
                known, _ = self._mentioned(list(told.values()))
                answers[list(told)] &= known | stays

    def _mentioned(self, texts: Sequence[str]) -> tuple[Bools, Bools]:
        """Return which of ``texts`` mention which accepted and which stale answers, affirmed or not."""
        found = self._index.find(texts)
        matches = self._uncovered(found.of_first(len(self._probe_of)))
        held = np.zeros((2, len(texts), len(self.probes)), bool)
        kinds = self._is_stale[matches.phrases].astype(int)
        held[kinds, matches.texts, self._probe_of[matches.phrases]] = True
        answers, stale = held
        for one in self._near:
            answers[one.told_in(found), one.probe] = True
        return answers, stale[:, self.stale_columns]

    def _telling(self, sentences: Collection[str]) -> set[str]:
        """Return those of ``sentences`` that mention an answer."""
        read = list(sentences)
        found = self._index.find(read)
        telling = found.texts[self._tells[found.phrases]]
        return {read[row] for row in np.unique(telling).tolist()}

    def _ended(self, read: Sequence[Polarity]) -> tuple[Bools, Bools]:
        """Return which accepted answers each text calls outdated, and which it affirms after that."""
        ended, _ = self._mentioned([one.outdated for one in read])
        ended[:, self._is_negative & ~self._names_negative] = False
        for row, probe in np.argwhere(ended).tolist():
            question = self.probes[probe].question
            ended[row, probe] = is_same_subject(question, read[row].updates)
        if not ended.any():
            return ended, ended
        since, _ = self._mentioned([one.since for one in read])
        return ended, since

    def _read_evidence(self, start: int) -> None:
        """Note the facts that messages from ``start`` on state as negatives: to deny those is to affirm them."""
        clauses_of: dict[int, list[str]] = {}
        for number, probe in enumerate(self.probes):
            newest = max(probe.evidence, default=-1)
            if self._is_negative[number] or not start <= newest < len(self.log):
                continue
            own_texts = self._evidence_of(probe)
            parts = map(clauses_with_negatives, own_texts)
            clauses_of[number] = [*chain.from_iterable(parts)]
        clauses = list(dict.fromkeys(chain.from_iterable(clauses_of.values())))
        mentioned = dict(zip(clauses, self._mentioned(clauses)[0], strict=True))
        for number, said in clauses_of.items():
            stating = [clause for clause in said if mentioned[clause][number]]
            if stating:
                self._is_negative[number] = all(map(is_negative, stating))
        self._note_endings(clauses_of)

    def _evidence_of(self, probe: Probe) -> list[str]:
        """Return the texts of the messages that state a fact."""
        return [readable(self.log[at]) for at in probe.evidence if at >= 0]

    def _note_endings(self, numbers: Iterable[int]) -> None:
        """Note the facts whose own messages do nothing but deny them, or call them outdated: such a fact is that
        ending, as in "Her bicycle was stolen"."""
        own_texts: dict[int, list[str]] = {}
        for number in numbers:
            if not self._is_negative[number]:
                own_texts[number] = self._evidence_of(self.probes[number])
        texts = dict.fromkeys(chain.from_iterable(own_texts.values()))
        if not texts:
            return
        rows = {text: row for row, text in enumerate(texts)}
        affirmed, _, denied, _ = self._told_in(list(texts))
        for number, own in own_texts.items():
            own_rows = [rows[text] for text in own]
            is_denied = denied[own_rows, number].any()
            if is_denied and not affirmed[own_rows, number].any():
                self._is_negative[number] = True

    def fits(self, log: Log) -> bool:
        """Return whether these are the texts of ``log``, which may have grown since."""
        return self.log is log or self.log[:] == log[:]

    def _uncovered(self, matches: Matches) -> Matches:
        keep = np.ones(len(matches.phrases), bool)
        bounds = np.searchsorted(matches.phrases, np.arange(len(self._probe_of) + 1))
        for inner, outer in self._covers:
            mine = slice(bounds[inner], bounds[inner + 1])
            others = slice(bounds[outer], bounds[outer + 1])
            if mine.start < mine.stop and others.start < others.stop:
                yields_to_equal = bool(self._is_stale[inner])
                keep[mine] &= ~_inside(matches, mine, others, yields_to_equal)
        return Matches(*(part[keep] for part in matches))


def _inside(
    matches: Matches, mine: slice, others: slice, yields_to_equal: bool
) -> Bools:
    """Return which of ``mine`` stand in one of ``others``; both are in the order of their places."""
    starts = matches.places[mine]
    ends = matches.ends[mine]
    places = matches.places[others]
    furthest = np.append(-1, np.maximum.accumulate(matches.ends[others]))
    begun = furthest[np.searchsorted(places, starts, side="right")]
    if yields_to_equal:
        return np.asarray(begun >= ends)
    begun_before = furthest[np.searchsorted(places, starts)]
    return np.asarray((begun > ends) | (begun_before >= ends))


@lru_cache(maxsize=4)
def answers_of(probes: tuple[Probe, ...]) -> ProbeTexts:
    """Return the texts to look the answers of ``probes`` up in single ones, which belong to no log. They are kept: a
    page asks for the same facts at each redraw, and to prepare their answers takes longer than to find them in a
    summary."""
    return ProbeTexts(Log(()), probes)


def in_any(held: Bools) -> Bools:
    """Return the probes that any of the texts holds, of [texts x probes]."""
    return np.asarray(held.any(axis=0))


def _mask(values: Iterable[bool]) -> Bools:
    return np.array([*values], bool)


def _names_a_negative(probe: Probe) -> bool:
    return any(map(is_answered_negatively, probe.answers))


def _asks_negatively(probe: Probe) -> bool:
    if _names_a_negative(probe):
        return True
    is_stated = any(map(states_itself, probe.answers))
    return is_asked_negatively(probe.question) and not is_stated


def _counts(probes: Sequence[Probe], phrases: Sequence[_Phrase]) -> set[int]:
    """Return the numbers of the phrases that are a number of things."""
    return {
        number
        for number, phrase in enumerate(phrases)
        if asks_for_a_count(probes[phrase.probe].question)
        and len(normal_tokens(phrase.text)) == 1
    }


def _continued(counts: Counts, held: Bools) -> Counts:
    """Return ``counts`` with the running sums of the rows that follow."""
    is_small = len(counts) + len(held) <= np.iinfo(np.uint16).max
    kind = np.uint16 if is_small else np.uint32
    sums = np.cumsum(held, axis=0, dtype=kind)
    return np.concatenate((counts.astype(kind), sums + counts[-1].astype(kind)))


def _phrases(probes: Sequence[Probe]) -> Iterator[_Phrase]:
    for number, probe in enumerate(probes):
        accepted = {normal_tokens(answer) for answer in probe.answers}
        for answer in dict.fromkeys(probe.answers):
            yield _Phrase(number, False, answer)
        for stale in dict.fromkeys(probe.stale):
            if normal_tokens(stale) not in accepted:
                yield _Phrase(number, True, stale)


def _covers(phrases: Sequence[_Phrase]) -> Iterator[_Cover]:
    for _, group in groupby(enumerate(phrases), key=lambda one: one[1].probe):
        for (inner, one), (outer, other) in permutations(group, 2):
            if one.is_stale != other.is_stale:
                yield inner, outer
