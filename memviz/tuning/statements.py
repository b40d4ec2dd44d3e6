"""The search for whole statements, such as "The meeting is on Monday", where a probe alone would look for "Monday".

A sentence says a statement if it has its value and most of its other words, or, for a rule such as "Never book before
nine" that has no value, most of its words. ``memviz.why``, its remedies and the cells of a sweep look up what a user
typed and the rules of a log in this way: :func:`judge_probes` tells which requests hold them.
"""

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
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.negatives import is_negative
from memviz.metrics.retention.polarity import judge_polarity
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from memviz.tuning.recorded import Recorded

SHARED_PART = 2 / 3
"""The part of a statement's content words, besides its value, that a sentence needs to say the same."""
LEAST_WORDS = 3
"""The fewest content words of a statement without a value, which is recognized by these words alone."""
RULE_OR_DECISION = re.compile(
    r"\b(?:never|always|must|only|don['’]t|do not|from now on|decided?|agreed|instead of|immer|niemals|nie)\b"
    r"|不要|必须|不能|永远|一律|决定|只能",
    re.IGNORECASE,
)
"""Words that make a fact look like a rule or a decision."""
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
"""Words that make a sentence without a value a rule or a decision."""
LONGEST_RULE_CHARS = 300
"""Longer sentences are pasted text, or lists without full stops."""
MOST_RULES = 200
"""The most rules of a log that are looked up; of more, the newest."""
_QUESTION = ("?", "？")


class Statement(Probe):
    """A sentence that somebody typed, or a rule: ``question`` is what was typed, ``answers`` its value."""

    @property
    def has_value(self) -> bool:
        """True if it is looked up by a value, false for a rule such as "Never book before nine"."""
        is_value_alone = len(content_words(self.question)) < LEAST_WORDS
        return self.answers[0] != self.question or is_value_alone


def make_statement_or_value(
    log: Log, phrase: str, value: str, positions: Sequence[int]
) -> Probe:
    """Return the probe for a phrase that a user typed, which the messages at ``positions`` say.

    It is a :class:`Statement` if the phrase says more than ``value``, if it is a rule without a value, or if its own
    sentence seems to deny the value, as rules do ("no flights before nine"). Otherwise the value alone is looked up.
    """
    statement = Statement(phrase, (value,), tuple(positions[:1]), category="")
    if not statement.has_value:
        return statement
    own_sentences = _find_sentences_with_value(
        read_message(log[positions[0]]), statement
    )
    is_denied = any(
        not contains(judge_polarity(sentence).affirmed, value)
        for sentence in own_sentences
    )
    if value != phrase or is_denied:
        return statement
    return Probe(phrase, (value,), tuple(positions[:1]), category="")


def find_rules(log: Log, facts: Iterable[Probe]) -> list[Statement]:
    """Return the sentences of users and of system messages that set a rule or tell a decision, each once.

    A sentence that states a value of ``facts`` is left out, because it is looked up as a fact already.
    """
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
    """Return whether a sentence is a rule with enough words to be recognized later, and no question or pasted text."""
    return (
        len(sentence) <= LONGEST_RULE_CHARS
        and not sentence.endswith(_QUESTION)
        and _SETS_RULE.search(sentence) is not None
        and len(content_words(sentence)) >= LEAST_WORDS
    )


def read_texts(run: Run, probes: Sequence[Probe]) -> ProbeTexts:
    """Return the places of ``probes`` in the conversation of ``run``: of a statement, every sentence that says it."""
    return look_up_probes(run.log, spell_out_probes(run, probes))


def look_up_probes(log: Log, spelled: Sequence[Probe]) -> ProbeTexts:
    """Return the places in ``log`` of probes that :func:`spell_out_probes` has ``spelled`` out."""
    # Sentences that deny a statement are not among those that say it.
    return ProbeTexts(log, spelled, any_mention=_have_statements(spelled))


def _have_statements(probes: Iterable[Probe]) -> bool:
    return any(isinstance(probe, Statement) for probe in probes)


def spell_out_probes(run: Run, probes: Sequence[Probe]) -> Sequence[Probe]:
    """Return ``probes``, each statement with all sentences of ``run`` that say it as its answers.

    The sentences are those of messages, the system prompt and summaries. Other probes stay as they are.
    """
    if not _have_statements(probes):
        return probes
    texts = _list_texts(run)
    without_value = []
    for probe in probes:
        if isinstance(probe, Statement) and not probe.has_value:
            without_value.append(probe.question)
    restated = _find_restatements(tuple(without_value), texts)
    spelled = []
    for probe in probes:
        sentences = restated.get(probe.question)
        if sentences is None:
            sentences = [
                sentence
                for text in texts
                for sentence in _find_sentences_saying(probe, text)
            ]
        answers = tuple(dict.fromkeys((probe.question, *sentences)))
        spelled.append(replace(probe, answers=answers))
    return spelled


def loosen_probe(run: Run, probe: Probe) -> Probe:
    """Return a probe that is found at least wherever the statement ``probe`` is, also in later requests of ``run``.

    Its answers are all sentences with the value of the statement, or with enough of its words where it has none. So a
    request that does not hold the loose probe cannot hold the statement, which :mod:`~memviz.tuning.remedies` uses to
    end replays early. Any other probe stays as it is, for its answers do not depend on a run.
    """
    if not isinstance(probe, Statement):
        return probe
    if probe.has_value:
        return replace(probe, answers=(probe.answers[0], probe.question))
    answers = [probe.question]
    for text in _list_texts(run):
        find = (
            _find_worded_alike if _is_cached(text) else _find_worded_alike.__wrapped__
        )
        answers += find(probe.question, text)
    return replace(probe, answers=tuple(dict.fromkeys(answers)))


def _list_texts(run: Run) -> list[str]:
    """Return all texts that requests of ``run`` may hold: messages, the system prompt and summaries."""
    texts = [read_message(message) for message in run.log]
    texts += [message.content for message in run.space.system_messages]
    texts += [version.text for version in run.space.summaries.versions]
    return texts


def _is_cached(text: str) -> bool:
    """Return whether the sentences found in ``text`` are cached: longer texts are few and would fill the cache."""
    return len(text) <= CACHED_TEXT_CHARS


@lru_cache(maxsize=16_384)
def _find_worded_alike(statement: str, text: str) -> tuple[str, ...]:
    """Return the sentences of ``text`` that share enough words with ``statement`` to possibly say the same."""
    words = content_words(statement)
    least = _count_least_shared(words)
    alike = []
    for sentence in split_passage(text).sentences:
        if len(words & content_words(sentence.text)) >= least:
            alike.append(sentence.text)
    return tuple(alike)


def _find_restatements(
    statements: tuple[str, ...], texts: Iterable[str]
) -> dict[str, list[str]]:
    """Return the sentences of ``texts`` that say the same as each of ``statements``, which have no value."""
    sentences: dict[str, list[str]] = {statement: [] for statement in statements}
    if statements:
        for text in texts:
            find = (
                _find_restated_in if _is_cached(text) else _find_restated_in.__wrapped__
            )
            for statement, sentence in find(statements, text):
                sentences[statement].append(sentence)
    return sentences


# The same conversation is searched for each setting; only the summaries differ.
@lru_cache(maxsize=16_384)
def _find_restated_in(
    statements: tuple[str, ...], text: str
) -> tuple[tuple[str, str], ...]:
    """Return each of ``statements`` that a sentence of ``text`` says, with that sentence."""
    with_word = _index_statements(statements)
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
def _index_statements(statements: tuple[str, ...]) -> dict[str, list[str]]:
    with_word: defaultdict[str, list[str]] = defaultdict(list)
    for statement in statements:
        for word in content_words(statement):
            with_word[word].append(statement)
    return dict(with_word)


def restates(text: str, phrase: str) -> bool:
    """Return whether a sentence of ``text`` says ``phrase`` in other words, but with each of its names and numbers."""
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
    """Return whether ``sentence`` says a ``statement`` that has no value.

    It has to share most words with it, to be no question, and to have a negative only if the statement has one.
    """
    words = content_words(statement)
    return (
        len(words & content_words(sentence)) >= _count_least_shared(words)
        and is_negative(sentence) == is_negative(statement)
        and not sentence.endswith(_QUESTION)
    )


def _count_least_shared(words: frozenset[str]) -> int:
    """Return how many ``words`` of a statement without a value a sentence needs to say the same."""
    return max(LEAST_WORDS, ceil(SHARED_PART * len(words)))


def judge_probes(
    run: Run, texts: ProbeTexts, requests: Sequence[int] | None = None
) -> Retention:
    """Return which requests of ``run`` (all, or those of these numbers) hold the probes of ``texts``.

    Where a program edited its system prompt and the log lacks the later versions, a fact that stood only in the prompt
    is unknown instead of known.
    """
    judged = retention(run, texts.probes, texts, requests)
    strategy = run.strategy
    if isinstance(strategy, Recorded) and strategy.edits_prompt:
        states = judged.states
        states[states == Knowledge.SYSTEM] = Knowledge.UNKNOWN
    return judged


def find_sentence_with_value(probe: Probe, texts: Iterable[str]) -> str:
    """Return the first sentence of ``texts`` that has the value of a statement, whatever else it says.

    It is "" where no sentence has it, and for a probe that is only looked up by its value.
    """
    if not isinstance(probe, Statement) or probe.answers[0] == probe.question:
        return ""
    for text in texts:
        for sentence in _find_sentences_with_value(text, probe):
            return sentence
    return ""


@lru_cache(maxsize=8192)
def _find_sentences_saying(probe: Probe, text: str) -> tuple[str, ...]:
    """Return the sentences of ``text`` that say a statement with a value.

    They have the value and most other words of the statement, and a negative only if the statement has one. Where the
    statement is nothing but its value, a negative does not matter.
    """
    value = probe.answers[0]
    words = content_words(probe.question) - content_words(value)
    least_shared = ceil(SHARED_PART * len(words))
    is_value_alone = value == probe.question
    statement_is_negative = is_negative(probe.question)
    sentences = []
    for sentence in _find_sentences_with_value(text, probe):
        has_same_sign = is_negative(sentence) == statement_is_negative
        shared = words & content_words(sentence)
        if len(shared) >= least_shared and (is_value_alone or has_same_sign):
            sentences.append(sentence)
    return tuple(sentences)


def _find_sentences_with_value(text: str, probe: Probe) -> tuple[str, ...]:
    """Return the sentences of ``text`` that contain the value of ``probe``.

    A value with capitals has to be written in the same way, unless the statement begins with it: the museum "Things" is
    not meant by "things".
    """
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
