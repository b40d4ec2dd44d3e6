"""The search for the answers of probes in texts: done once for the messages of a conversation, for all its runs.

:mod:`~memviz.metrics.retention.retention` and other metrics share a :class:`ProbeTexts`. An answer counts only where
the text affirms it: sentences that deny it, call it outdated or only ask for it are taken out first
(:mod:`~memviz.metrics.retention.polarity`, :mod:`~memviz.metrics.retention.unsettled`).
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.summaries import SummaryLog
from memviz.core.text.containment import Matches, PhraseIndex
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.negatives import (
    is_answered_negatively,
    is_asked_negatively,
    is_negative,
    is_same_subject,
    list_negative_clauses,
    states_itself,
)
from memviz.metrics.retention.polarity import (
    Polarity,
    judge_polarity,
    list_sentences_that_may_deny,
)
from memviz.metrics.retention.probe_phrases import (
    DeniedThings,
    find_near_parts,
    list_covers,
    list_numbers_of_counts,
    list_phrases,
    mark_standing_inside,
)
from memviz.metrics.retention.unsettled import (
    asks_for_what_is_unsettled,
    asks_of_the_user,
    drop_others,
    drop_unsettled,
)
from memviz.transcripts.base import Probe

TEXTS_AT_ONCE = 1000
"""The most texts that are read together, so that their tokens stay in the cache meanwhile."""
RUNS_KEPT = 8
"""The number of runs for which the answers in summaries are kept: a page compares six settings."""
Bools = NDArray[np.bool_]
Counts = NDArray[np.unsignedinteger]


class Holding(NamedTuple):
    """The answers found in texts."""

    answers: Bools
    """[texts x probes]: true if the text affirms an accepted answer."""
    stale: Bools
    """[texts x probes that have stale answers]: true if the text affirms a stale answer."""
    denied: Bools
    """[texts x probes]: true if the text contains an accepted answer, but only denied or as outdated."""


class Tallies(NamedTuple):
    """Running sums of each field of :class:`Holding` over the texts, beginning with a row of zeros.

    A range of texts holds an answer if the sums at its start and at its stop differ.
    """

    answers: Counts
    stale: Counts
    denied: Counts


class ProbeTexts:
    """The answers of ``probes`` in the messages of ``log``, and the search for them in other texts.

    :mod:`memviz.core.text.containment` defines when a text contains an answer. A stale answer does not count inside an
    accepted one ("26 June" in "26 June 2027"), nor an accepted one inside a longer stale one. A stale answer that is
    spelled like an accepted one never counts.

    ``counts`` are the :class:`Tallies` of the messages of the log. With ``any_mention``, answers that are denied count
    as well.
    """

    def __init__(
        self, log: Log, probes: Sequence[Probe], *, any_mention: bool = False
    ) -> None:
        self.log = log
        self.probes = tuple(probes)
        self._any_mention = any_mention
        questions = [probe.question for probe in self.probes]
        self._is_negative = _make_mask(map(_asks_negatively, self.probes)) | any_mention
        self._names_negative = _make_mask(map(_names_a_negative, self.probes))
        self._asks_for_unsettled = _make_mask(
            map(asks_for_what_is_unsettled, questions)
        )
        self._asks_of_user = _make_mask(map(asks_of_the_user, questions))
        self._denied_things = DeniedThings(self.probes)
        self.endings: list[tuple[int, int]] = []
        """The log positions of messages that call an answer outdated, each with the number of the probe, in order."""
        self.stale_columns = np.flatnonzero([bool(probe.stale) for probe in probes])
        phrases = list(list_phrases(self.probes))
        self._near, parts = find_near_parts(self.probes, len(phrases))
        texts = [*(phrase.text for phrase in phrases), *parts]
        counts = list_numbers_of_counts(self.probes, phrases)
        self._index = PhraseIndex(
            texts, may_omit_years=range(len(phrases), len(texts)), counts=counts
        )
        # True for the phrases that may be an answer by themselves; of an answer with several parts, for the first part.
        self._tells = np.arange(len(texts)) < len(phrases)
        self._tells[[part.lead for part in self._near]] = True
        self._probe_of = np.array([phrase.probe for phrase in phrases], np.int64)
        self._is_stale = _make_mask(phrase.is_stale for phrase in phrases)
        self._covers = list(list_covers(phrases))
        self._held_in_versions: dict[tuple[str, ...], Holding] = {}
        self.counts = self.count_in_messages(())
        self.extend()

    @property
    def length(self) -> int:
        """The number of messages read so far."""
        return len(self.counts.answers) - 1

    def extend(self) -> None:
        """Read the messages that were added to the log since."""
        start = self.length
        if len(self.log) > start:
            # A new message may turn a fact into a negative one, which is judged in another way.
            self._held_in_versions = {}
            self._read_evidence(start)
            *holding, ended = self._read(
                [read_message(message) for message in self.log[start:]]
            )
            rows = np.argwhere(ended).tolist()
            self.endings += [(start + row, probe) for row, probe in rows]
            self.counts = Tallies(*map(_extend_counts, self.counts, holding))

    def find_answers(self, texts: Sequence[str]) -> Holding:
        """Return the answers in each of ``texts``."""
        return Holding(*self._read(texts)[:3])

    def find_in_messages(self, messages: Iterable[Message]) -> Holding:
        """Return the answers in each of ``messages``."""
        return self.find_answers([read_message(message) for message in messages])

    def find_in_versions(self, summaries: SummaryLog) -> Holding:
        """Return the answers in each version of ``summaries``; kept, because several metrics of a run ask for them."""
        texts = tuple(version.text for version in summaries.versions)
        if held := self._held_in_versions.get(texts):
            return held
        if len(self._held_in_versions) >= RUNS_KEPT:
            self._held_in_versions = {}
        held = self.find_answers(texts)
        self._held_in_versions[texts] = held
        return held

    def count_in_messages(self, messages: Sequence[Message]) -> Tallies:
        """Return the running sums over ``messages``, as :attr:`counts` has them for the log."""
        holding = self.find_in_messages(messages)
        nothing = [np.zeros((1, part.shape[1]), np.uint16) for part in holding]
        return Tallies(*map(_extend_counts, nothing, holding))

    def mark_contradicted(self, holding: Holding) -> Bools:
        """Return true where a text denies an answer or affirms a stale one: [texts x probes]."""
        is_contradicted = holding.denied.copy()
        is_contradicted[:, self.stale_columns] |= holding.stale
        return is_contradicted

    def _read(self, texts: Sequence[str]) -> list[Bools]:
        """Return the fields of :class:`Holding`, and as a fourth the answers that each text calls outdated.

        The fourth includes answers that the text affirmed before.
        """
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        different = list(rows)
        # The tokens and sentences of a text are needed several times. In small batches they are still cached then.
        batches = [
            self._read_once(different[start : start + TEXTS_AT_ONCE])
            for start in range(0, max(1, len(different)), TEXTS_AT_ONCE)
        ]
        holding = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
        if len(rows) == len(texts):
            return holding
        of_text = [rows[text] for text in texts]
        return [part[of_text] for part in holding]

    def _read_once(self, texts: Sequence[str]) -> list[Bools]:
        holding = self._judge_texts(texts)
        if not self._any_mention:
            self._settle(texts, holding[0])
        return holding

    def _judge_texts(self, texts: Sequence[str]) -> list[Bools]:
        """Return the four arrays of :meth:`_read`, before unsettled sentences are taken out."""
        answers, stale = self._find_mentions(texts)
        denied = np.zeros_like(answers)
        ended = np.zeros_like(answers)
        holding = [answers, stale, denied, ended]
        if self._any_mention:
            return holding
        answers |= self._denied_things.mark_denied(texts)
        # To judge what a sentence denies is slow, so only texts with an answer are judged, and of these only sentences
        # that mention one.
        rows = np.flatnonzero(answers.any(axis=1) | stale.any(axis=1)).tolist()
        may_deny = {row: [*list_sentences_that_may_deny(texts[row])] for row in rows}
        telling = self._find_telling(set(chain.from_iterable(may_deny.values())))
        polarity_by_row = {}
        for row, sentences in may_deny.items():
            if not telling.isdisjoint(sentences):
                text_polarity = judge_polarity(texts[row], telling.__contains__)
                if text_polarity.affirmed is not texts[row]:
                    polarity_by_row[row] = text_polarity
        if not polarity_by_row:
            return holding
        rows = list(polarity_by_row)
        polarities = list(polarity_by_row.values())
        affirmed, fresh = self._find_mentions([part.affirmed for part in polarities])
        mentioned = answers[rows]
        ended[rows], since = self._find_ended(polarities)
        # A fact that is a negative itself ("no nuts") is affirmed by a denial, unless the text takes it back.
        undone = since
        if self._is_negative.any():
            undone, _ = self._find_mentions([part.undone for part in polarities])
        affirmed |= self._is_negative & ~undone
        affirmed &= mentioned & (~ended[rows] | since)
        denied[rows] = mentioned & ~affirmed
        answers[rows] = affirmed
        stale[rows] = fresh
        return holding

    def _settle(self, texts: Sequence[str], answers: Bools) -> None:
        """Set ``answers`` to false where a text only asks for them or supposes them, or says them of somebody else."""
        for leave_out, stays in (
            (drop_unsettled, self._asks_for_unsettled | self._is_negative),
            (drop_others, ~self._asks_of_user),
        ):
            settled_texts = {}
            for row in np.flatnonzero((answers & ~stays).any(axis=1)).tolist():
                settled_text = leave_out(texts[row])
                if settled_text is not texts[row]:
                    settled_texts[row] = settled_text
            if settled_texts:
                is_settled, _ = self._find_mentions(list(settled_texts.values()))
                answers[list(settled_texts)] &= is_settled | stays

    def _find_mentions(self, texts: Sequence[str]) -> tuple[Bools, Bools]:
        """Return the accepted and the stale answers that each text mentions, affirmed or not."""
        all_matches = self._index.find(texts)
        matches = self._drop_covered(all_matches.of_first(len(self._probe_of)))
        mentions = np.zeros((2, len(texts), len(self.probes)), bool)
        kinds = self._is_stale[matches.phrases].astype(int)
        mentions[kinds, matches.texts, self._probe_of[matches.phrases]] = True
        answers, stale = mentions
        for part in self._near:
            answers[part.find_texts(all_matches), part.probe] = True
        return answers, stale[:, self.stale_columns]

    def _find_telling(self, sentences: Collection[str]) -> set[str]:
        """Return the ``sentences`` that mention an answer."""
        texts = list(sentences)
        matches = self._index.find(texts)
        telling = matches.texts[self._tells[matches.phrases]]
        return {texts[row] for row in np.unique(telling).tolist()}

    def _find_ended(self, polarities: Sequence[Polarity]) -> tuple[Bools, Bools]:
        """Return the accepted answers that each text calls outdated, and those that it affirms after that."""
        ended, _ = self._find_mentions([part.outdated for part in polarities])
        # "No longer allergic" does not make the fact "not allergic" outdated.
        ended[:, self._is_negative & ~self._names_negative] = False
        for row, probe in np.argwhere(ended).tolist():
            question = self.probes[probe].question
            ended[row, probe] = is_same_subject(question, polarities[row].updates)
        if not ended.any():
            return ended, ended
        since, _ = self._find_mentions([part.since for part in polarities])
        return ended, since

    def _read_evidence(self, start: int) -> None:
        """Find the facts that messages from ``start`` on state as negatives, so that a denial affirms them."""
        clauses_of: dict[int, list[str]] = {}
        for number, probe in enumerate(self.probes):
            newest = max(probe.evidence, default=-1)
            if self._is_negative[number] or not start <= newest < len(self.log):
                continue
            own_texts = self._read_evidence_of(probe)
            parts = map(list_negative_clauses, own_texts)
            clauses_of[number] = [*chain.from_iterable(parts)]
        clauses = list(dict.fromkeys(chain.from_iterable(clauses_of.values())))
        mentioned = dict(zip(clauses, self._find_mentions(clauses)[0], strict=True))
        for number, own_clauses in clauses_of.items():
            stating = [clause for clause in own_clauses if mentioned[clause][number]]
            if stating:
                self._is_negative[number] = all(map(is_negative, stating))
        self._note_endings(clauses_of)

    def _read_evidence_of(self, probe: Probe) -> list[str]:
        """Return the texts of the messages that state a fact."""
        return [read_message(self.log[at]) for at in probe.evidence if at >= 0]

    def _note_endings(self, numbers: Iterable[int]) -> None:
        """Find the facts that their own messages only deny or call outdated, as in "Her bicycle was stolen".

        Such a fact is a negative itself.
        """
        own_texts: dict[int, list[str]] = {}
        for number in numbers:
            if not self._is_negative[number]:
                own_texts[number] = self._read_evidence_of(self.probes[number])
        texts = dict.fromkeys(chain.from_iterable(own_texts.values()))
        if not texts:
            return
        rows = {text: row for row, text in enumerate(texts)}
        affirmed, _, denied, _ = self._judge_texts(list(texts))
        for number, texts_of_probe in own_texts.items():
            own_rows = [rows[text] for text in texts_of_probe]
            is_denied = denied[own_rows, number].any()
            if is_denied and not affirmed[own_rows, number].any():
                self._is_negative[number] = True

    def fits(self, log: Log) -> bool:
        """Return whether ``log`` is the one that was read; it may have grown since."""
        return self.log is log or self.log[:] == log[:]

    def _drop_covered(self, matches: Matches) -> Matches:
        """Return the matches without those inside a match of a phrase that covers them (see :data:`Cover`)."""
        # Matches are sorted by phrase: those of each phrase are one slice.
        keep = np.ones(len(matches.phrases), bool)
        bounds = np.searchsorted(matches.phrases, np.arange(len(self._probe_of) + 1))
        for inner, outer in self._covers:
            mine = slice(bounds[inner], bounds[inner + 1])
            theirs = slice(bounds[outer], bounds[outer + 1])
            if mine.start < mine.stop and theirs.start < theirs.stop:
                yields_to_equal = bool(self._is_stale[inner])
                keep[mine] &= ~mark_standing_inside(
                    matches, mine, theirs, yields_to_equal
                )
        return Matches(*(part[keep] for part in matches))


@lru_cache(maxsize=4)
def read_answers(probes: tuple[Probe, ...]) -> ProbeTexts:
    """Return a :class:`ProbeTexts` without a log, to look for the answers of ``probes`` in single texts.

    It is cached, because a page asks for the same facts again and again, and preparing it is slower than a search.
    """
    return ProbeTexts(Log(()), probes)


def mark_in_any(is_held: Bools) -> Bools:
    """Return true for each probe that any text holds, from [texts x probes]."""
    return np.asarray(is_held.any(axis=0))


def _make_mask(values: Iterable[bool]) -> Bools:
    return np.array([*values], bool)


def _names_a_negative(probe: Probe) -> bool:
    return any(map(is_answered_negatively, probe.answers))


def _asks_negatively(probe: Probe) -> bool:
    if _names_a_negative(probe):
        return True
    is_stated = any(map(states_itself, probe.answers))
    return is_asked_negatively(probe.question) and not is_stated


def _extend_counts(counts: Counts, is_held: Bools) -> Counts:
    """Return ``counts`` with the running sums of the rows that follow."""
    # Numbers of two bytes as long as they fit: there is one for each message and probe.
    is_small = len(counts) + len(is_held) <= np.iinfo(np.uint16).max
    kind = np.uint16 if is_small else np.uint32
    sums = np.cumsum(is_held, axis=0, dtype=kind)
    return np.concatenate((counts.astype(kind), sums + counts[-1].astype(kind)))
