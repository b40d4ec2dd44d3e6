"""How often the state of a fact is the one that a person gives it, measured on pairs that no rule was made with."""

from __future__ import annotations

from typing import NamedTuple


class Judged(NamedTuple):
    """Pairs of a text and a fact that a person judged."""

    pairs: int
    right: int
    """So many of them memviz judges as the person does."""

    @property
    def share(self) -> float:
        """The share that is right, 0 to 1."""
        return self.right / self.pairs


ORDINARY = Judged(110, 97)
"""What occurs in ordinary messages and summaries. ``python -m benchmarks.fact_states untouched`` measures both."""
ADVERSARIAL = Judged(70, 42)
"""What was written to mislead: look-alikes, negations in another clause, old and new value in one sentence."""

HARDER = Judged(120, 51)
"""Written and judged by a language model, with answers in free words: reasons, rules, abbreviations, sums."""


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
