"""Statements that somebody typed, looked up as they were said: a value that stands in another statement is not them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil

from memviz.core.conversation import Log
from memviz.core.text.containment import contains
from memviz.core.text.sentences import passage
from memviz.core.text.words import content_words
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import readable
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.polarity import is_negative, polarity
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.transcripts.base import Probe
from memviz.tuning.recorded import Recorded

SHARED_PART = 2 / 3
"""The part of a statement's content words, beside its value, that a sentence needs to say the same."""


class Statement(Probe):
    """A sentence that somebody typed, or a rule: ``question`` is what was typed, ``answers`` its value."""


def statement_or_value(log: Log, phrase: str, value: str, said: Sequence[int]) -> Probe:
    """Return what is looked up for a typed phrase: the statement where it says more than its value, or where its own
    sentence would seem to deny it, as rules do; else the value."""
    statement = Statement(phrase, (value,), tuple(said[:1]), category="")
    own = _sentences_with(readable(log[said[0]]), statement)
    is_denied = any(not contains(polarity(one).affirmed, value) for one in own)
    if value != phrase or is_denied:
        return statement
    return Probe(phrase, (value,), tuple(said[:1]), category="")


def texts_of(run: Run, probes: Sequence[Probe]) -> ProbeTexts:
    """Return where ``probes`` stand in the conversation of ``run``: of a statement every sentence that says it."""
    if not any(isinstance(probe, Statement) for probe in probes):
        return ProbeTexts(run.log, probes)
    texts = [readable(message) for message in run.log]
    texts += [message.content for message in run.space.system_messages]
    texts += [version.text for version in run.space.summaries.versions]
    spelled = []
    for probe in probes:
        said = [one for text in texts for one in _saying(probe, text)]
        answers = tuple(dict.fromkeys((probe.question, *said)))
        spelled.append(replace(probe, answers=answers))
    # Sentences that deny it are not among them.
    return ProbeTexts(run.log, spelled, any_mention=True)


def judge(run: Run, texts: ProbeTexts) -> Retention:
    """Return which requests of ``run`` hold what was looked up. Nobody can tell what stood in a system prompt whose
    later copies are not in the log."""
    judged = retention(run, texts.probes, texts)
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
    found = [one.text for one in passage(text).sentences if contains(one.text, value)]
    if value.lower() != value and not probe.question.startswith(value):
        found = [one for one in found if value in one]
    return tuple(found)
