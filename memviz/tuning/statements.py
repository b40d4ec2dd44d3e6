"""Statements that somebody typed, looked up as they were said: a value that stands in another statement is not them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from math import ceil

from memviz.core.conversation import Log
from memviz.core.text.containment import contains
from memviz.core.text.sentences import CACHED_TEXT_CHARS, split_passage
from memviz.core.text.words import content_words
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import readable
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.negatives import is_negative
from memviz.metrics.retention.polarity import polarity
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from memviz.tuning.recorded import Recorded

SHARED_PART = 2 / 3
"""The part of a statement's content words, beside its value, that a sentence needs to say the same."""
LEAST_WORDS = 3
"""Content words that a statement without a value needs: a sentence that says the same is known by these alone."""
RULE_OR_DECISION = re.compile(
    r"\b(?:never|always|must|only|don['’]t|do not|from now on|decided?|agreed|instead of|immer|niemals|nie)\b"
    r"|不要|必须|不能|永远|一律|决定|只能",
    re.IGNORECASE,
)
"""Words by which a fact looks like a rule or a decision."""
_SETS_RULE = re.compile(
    r"""
      (?<!\bI\ )(?<!\bve\ )(?<!\bhave\ )(?<!\bhas\ )(?<!\bhad\ )   # "Never book a flight", not "I have never flown"
      (?:(?:^|[,;:]\ |\b(?:please|and|but|or|must|should|shall|to)\ )(?:never|always)\b
                                                   # "You must always ask me", not "Novels always give me joy"
       | \b(?:never|always)\b(?!\ \w+\ (?:me|us)\b))
    | \b(?:from\ now\ on|at\ all\ times|under\ no\ circumstances)\b
    | (?:^|\bplease\ )(?:do\ not|don['’]t)\b(?!\ (?:know|understand)\b)
    | (?:[,;:]\ |\band\ )(?:do\ not|don['’]t)\b(?!\ (?:know|understand|remember)\b)
                                                   # "Please don't commit", not "and don't know where to start"
    | \bwe(?:\ have|['’]ve)?\ (?:decided|agreed)\b
    | \b(?:immer|niemals|ab\ jetzt)\b
    | 不要|必须|不能|永远|一律|决定|以后都
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which a sentence that states no value is a rule or a decision all the same."""
LONGEST_RULE_CHARS = 300
"""Longer sentences are pasted text, or lists without full stops."""
MOST_RULES = 200
"""Rules of a log that are looked up where nobody asks for a statement; the newest of more."""
_QUESTION = ("?", "？")


class Statement(Probe):
    """A sentence that somebody typed, or a rule: ``question`` is what was typed, ``answers`` its value."""

    @property
    def has_value(self) -> bool:
        """True if it is looked up by a value: a rule such as "Never book before nine" has none."""
        is_value_alone = len(content_words(self.question)) < LEAST_WORDS
        return self.answers[0] != self.question or is_value_alone


def statement_or_value(
    log: Log, phrase: str, value: str, positions: Sequence[int]
) -> Probe:
    """Return what is looked up for a typed phrase: the statement where it says more than its value, or has none, or
    where its own sentence would seem to deny it, as rules do; else the value."""
    statement = Statement(phrase, (value,), tuple(positions[:1]), category="")
    if not statement.has_value:
        return statement
    own_sentences = _sentences_with(readable(log[positions[0]]), statement)
    is_denied = any(
        not contains(polarity(sentence).affirmed, value) for sentence in own_sentences
    )
    if value != phrase or is_denied:
        return statement
    return Probe(phrase, (value,), tuple(positions[:1]), category="")


def rules_of(log: Log, facts: Iterable[Probe]) -> list[Statement]:
    """Return the sentences of users and system messages that set a rule or tell a decision, but for those that state a
    value of ``facts``. Of one that comes again it is the first."""
    values: defaultdict[int, list[str]] = defaultdict(list)
    for fact in facts:
        for position in fact.evidence:
            values[position].append(fact.answers[0])
    rules: dict[str, Statement] = {}
    for position, message in enumerate(log):
        if message.role not in ("user", "system"):
            continue
        for sentence in split_passage(message.content).sentences:
            text = sentence.text
            is_fact = any(contains(text, value) for value in values[position])
            if text not in rules and _sets_rule(text) and not is_fact:
                rules[text] = Statement(text, (text,), (position,), category="")
    return list(rules.values())[-MOST_RULES:]


def _sets_rule(sentence: str) -> bool:
    """Return whether a sentence is a rule that is long enough to be known again, and is neither asked nor pasted."""
    return (
        len(sentence) <= LONGEST_RULE_CHARS
        and not sentence.endswith(_QUESTION)
        and _SETS_RULE.search(sentence) is not None
        and len(content_words(sentence)) >= LEAST_WORDS
    )


def texts_of(run: Run, probes: Sequence[Probe]) -> ProbeTexts:
    """Return where ``probes`` stand in the conversation of ``run``: of a statement every sentence that says it."""
    return look_up(run.log, spell_out(run, probes))


def look_up(log: Log, spelled: Sequence[Probe]) -> ProbeTexts:
    """Return where probes stand in ``log``; ``spelled`` is what :func:`spell_out` made of them."""
    # Sentences that deny a statement are not among those that say it.
    return ProbeTexts(log, spelled, any_mention=_have_statements(spelled))


def _have_statements(probes: Iterable[Probe]) -> bool:
    return any(isinstance(probe, Statement) for probe in probes)


def spell_out(run: Run, probes: Sequence[Probe]) -> Sequence[Probe]:
    """Return ``probes`` with what they are looked up by in ``run``: of statements all sentences that say them, in its
    messages and in its summaries."""
    if not _have_statements(probes):
        return probes
    texts = _all_texts(run)
    without_value = []
    for probe in probes:
        if isinstance(probe, Statement) and not probe.has_value:
            without_value.append(probe.question)
    restated = _restate(tuple(without_value), texts)
    spelled = []
    for probe in probes:
        sentences = restated.get(probe.question)
        if sentences is None:
            sentences = [
                sentence for text in texts for sentence in _saying(probe, text)
            ]
        answers = tuple(dict.fromkeys((probe.question, *sentences)))
        spelled.append(replace(probe, answers=answers))
    return spelled


def loosen(run: Run, probe: Probe) -> Probe:
    """Return a probe that every sentence answers which says the statement ``probe``, in ``run`` or in what it goes on
    with, and some others: those with its value, or with enough of its words where it has none. Any other probe is
    returned as it is: its answers do not depend on a run."""
    if not isinstance(probe, Statement):
        return probe
    if probe.has_value:
        return replace(probe, answers=(probe.answers[0], probe.question))
    answers = [probe.question]
    for text in _all_texts(run):
        find = _worded_alike if _is_cached(text) else _worded_alike.__wrapped__
        answers += find(probe.question, text)
    return replace(probe, answers=tuple(dict.fromkeys(answers)))


def _all_texts(run: Run) -> list[str]:
    """Return everything that requests of ``run`` may hold: its messages, its system prompt and its summaries."""
    texts = [readable(message) for message in run.log]
    texts += [message.content for message in run.space.system_messages]
    texts += [version.text for version in run.space.summaries.versions]
    return texts


def _is_cached(text: str) -> bool:
    """Return whether what is found in ``text`` is kept for the next look: longer texts are few and large."""
    return len(text) <= CACHED_TEXT_CHARS


@lru_cache(maxsize=16_384)
def _worded_alike(statement: str, text: str) -> tuple[str, ...]:
    """Return the sentences of ``text`` with enough words of ``statement`` to say the same, whether or not they do."""
    words = content_words(statement)
    least = _least_shared(words)
    alike = []
    for sentence in split_passage(text).sentences:
        if len(words & content_words(sentence.text)) >= least:
            alike.append(sentence.text)
    return tuple(alike)


def _restate(statements: tuple[str, ...], texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the sentences of ``texts`` that say the same as each of ``statements``, which have no value."""
    sentences: dict[str, list[str]] = {statement: [] for statement in statements}
    if statements:
        for text in texts:
            find = _restated_in if _is_cached(text) else _restated_in.__wrapped__
            for statement, sentence in find(statements, text):
                sentences[statement].append(sentence)
    return sentences


# The texts are those of one conversation again and again, and those of the summaries of each run.
@lru_cache(maxsize=16_384)
def _restated_in(statements: tuple[str, ...], text: str) -> tuple[tuple[str, str], ...]:
    """Return each of ``statements`` that a sentence of ``text`` says, with that sentence."""
    with_word = _statements_by_word(statements)
    pairs = []
    for sentence in split_passage(text).sentences:
        # Most sentences share no word with any statement.
        words = content_words(sentence.text)
        shared = Counter(chain.from_iterable(with_word.get(w, ()) for w in words))
        for statement, count in shared.items():
            if count >= LEAST_WORDS and says_same(statement, sentence.text):
                pairs.append((statement, sentence.text))
    return tuple(pairs)


@lru_cache(maxsize=4)
def _statements_by_word(statements: tuple[str, ...]) -> dict[str, list[str]]:
    with_word: defaultdict[str, list[str]] = defaultdict(list)
    for statement in statements:
        for word in content_words(statement):
            with_word[word].append(statement)
    return dict(with_word)


def restates(text: str, phrase: str) -> bool:
    """Return whether a sentence of ``text`` says a phrase in other words, with each of its names and numbers."""
    if len(content_words(phrase)) < LEAST_WORDS:
        return False
    telling = [word for word in phrase.split()[1:] if word[0].isupper()]
    telling += [word for word in phrase.split() if re.search(r"\d", word)]
    for sentence in split_passage(text).sentences:
        has_all = all(contains(sentence.text, word) for word in telling)
        if has_all and says_same(phrase, sentence.text):
            return True
    return False


def says_same(statement: str, sentence: str) -> bool:
    """Return whether a sentence says a statement that has no value: it has most of its words, is as negative as it is,
    and asks nothing."""
    words = content_words(statement)
    return (
        len(words & content_words(sentence)) >= _least_shared(words)
        and is_negative(sentence) == is_negative(statement)
        and not sentence.endswith(_QUESTION)
    )


def _least_shared(words: frozenset[str]) -> int:
    """Return how many of the ``words`` of a statement without a value a sentence needs to say the same."""
    return max(LEAST_WORDS, ceil(SHARED_PART * len(words)))


def judge(
    run: Run, texts: ProbeTexts, requests: Sequence[int] | None = None
) -> Retention:
    """Return which requests of ``run``, all or those of these numbers, hold what was looked up. Nobody can tell what
    stood in a system prompt whose later copies are not in the log."""
    judged = retention(run, texts.probes, texts, requests)
    strategy = run.strategy
    if isinstance(strategy, Recorded) and strategy.edits_prompt:
        states = judged.states
        states[states == Knowledge.SYSTEM] = Knowledge.UNKNOWN
    return judged


def sentence_with_value(probe: Probe, texts: Iterable[str]) -> str:
    """Return the first sentence that has a statement's value alone; "" where none has, or where its value is all that
    the statement says."""
    if not isinstance(probe, Statement) or probe.answers[0] == probe.question:
        return ""
    for text in texts:
        for sentence in _sentences_with(text, probe):
            return sentence
    return ""


@lru_cache(maxsize=8192)
def _saying(probe: Probe, text: str) -> tuple[str, ...]:
    """Return the sentences of ``text`` that have the value and most of the other words of a statement, and that have a
    negative if, and only if, it has one; where it is a value alone, both with and without."""
    value = probe.answers[0]
    words = content_words(probe.question) - content_words(value)
    least = ceil(SHARED_PART * len(words))
    sign = is_negative(probe.question)
    return tuple(
        sentence
        for sentence in _sentences_with(text, probe)
        if (value == probe.question or is_negative(sentence) == sign)
        and len(words & content_words(sentence)) >= least
    )


def _sentences_with(text: str, probe: Probe) -> tuple[str, ...]:
    """Return the sentences of ``text`` that contain a probe's value; a name among other words as it is written, for
    "things" is no museum."""
    value = probe.answers[0]
    if not contains(text, value):
        return ()
    sentences = [
        sentence.text
        for sentence in split_passage(text).sentences
        if contains(sentence.text, value)
    ]
    if value.lower() != value and not probe.question.startswith(value):
        sentences = [sentence for sentence in sentences if value in sentence]
    return tuple(sentences)
