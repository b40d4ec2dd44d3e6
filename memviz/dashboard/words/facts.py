"""Facts in words: what became of those of a message, and how often their measure errs."""

from collections.abc import Sequence

from memviz.metrics.retention.knowledge import ADVERSARIAL, HARDER, ORDINARY
from memviz.metrics.retention.message_facts import MessageFacts
from memviz.transcripts.base import Probe

MOST_NAMED = 6
"""Facts that a sentence names at most; of the others it gives the number."""


def message_facts_words(facts: MessageFacts) -> str:
    """Return ``The summary still holds: 3,600 euros. Lost: cashews; 9 July 2027.``; empty where there are no facts."""
    sentences = []
    if facts.left:
        sentences.append(f"What is left of it still says: {_named(facts.left)}.")
    if facts.held:
        sentences.append(f"The summary still holds: {_named(facts.held)}.")
    if facts.elsewhere:
        sentences.append(f"Sent in another message: {_named(facts.elsewhere)}.")
    if facts.contradicted:
        sentences.append(f"Contradicted: {_named(facts.contradicted)}.")
    if facts.lost:
        sentences.append(f"Lost: {_named(facts.lost)}.")
    return " ".join(sentences)


def _named(probes: Sequence[Probe]) -> str:
    names = [(*probe.answers, probe.question)[0] for probe in probes[:MOST_NAMED]]
    more = len(probes) - MOST_NAMED
    if more > 0:
        names.append(f"and {more:,} more")
    return "; ".join(names)


def error_in_words() -> str:
    """Return the sentences that say what the measure is and how often it errs."""
    return (
        "Each fact is looked up as a value in the words of the request: how it is written does not matter, and "
        "where it is only denied or outdated it counts as contradicted. No model reads along. Held against "
        f"{ORDINARY.pairs + ADVERSARIAL.pairs:,} pairs of text and fact that a person judged and no rule was made "
        f"with, it is right for {ORDINARY.share:.0%} of ordinary ones and {ADVERSARIAL.share:.0%} of those "
        f"written to mislead; of {HARDER.pairs} in free words, which a language model judged, for {HARDER.share:.0%}: "
        "a short value is looked up best. What is in the request need not be used: this says what a model could know."
    )
