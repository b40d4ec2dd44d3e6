"""Facts in words: what became of those of a message, and how often their measure errs."""

from collections.abc import Sequence

from memviz.core.translation import _
from memviz.metrics.retention.knowledge import ADVERSARIAL, HARDER, ORDINARY
from memviz.metrics.retention.message_facts import MessageFacts
from memviz.transcripts.base import Probe

MOST_NAMED = 6
"""Facts that a sentence names at most; of the others it gives the number."""


def message_facts_words(facts: MessageFacts) -> str:
    """Return ``The summary still holds: 3,600 euros. Lost: cashews; 9 July 2027.``; empty where there are no facts."""
    sentences = []
    if facts.left:
        sentences.append(
            _("What is left of it still says: {facts}.", facts=_named(facts.left))
        )
    if facts.held:
        sentences.append(
            _("The summary still holds: {facts}.", facts=_named(facts.held))
        )
    if facts.elsewhere:
        sentences.append(
            _("Sent in another message: {facts}.", facts=_named(facts.elsewhere))
        )
    if facts.contradicted:
        sentences.append(_("Contradicted: {facts}.", facts=_named(facts.contradicted)))
    if facts.lost:
        sentences.append(_("Lost: {facts}.", facts=_named(facts.lost)))
    return " ".join(sentences)


def _named(probes: Sequence[Probe]) -> str:
    names = [(*probe.answers, probe.question)[0] for probe in probes[:MOST_NAMED]]
    more = len(probes) - MOST_NAMED
    if more > 0:
        names.append(_("and {more:,} more", more=more))
    return "; ".join(names)


def error_in_words() -> str:
    """Return the sentences that say what the measure is and how often it errs."""
    return _(
        "Each fact is looked up as a value in the words of the request: how it is written does not matter, "
        "and where it is only denied or outdated it counts as contradicted. No model reads along. Held "
        "against {judged:,} pairs of text and fact that a person judged and no rule was made with, it is "
        "right for {ordinary:.0%} of ordinary ones and {misleading:.0%} of those written to mislead; of {pairs} "
        "in free words, which a language model judged, for {free:.0%}: a short value is looked up best. "
        "What is in the request need not be used: this says what a model could know.",
        judged=ORDINARY.pairs + ADVERSARIAL.pairs,
        ordinary=ORDINARY.share,
        misleading=ADVERSARIAL.share,
        pairs=HARDER.pairs,
        free=HARDER.share,
    )
