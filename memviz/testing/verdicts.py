"""The answer to one assertion: true, or false with the reasons in sentences, as ``memviz why`` tells them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from memviz.core.text.visible import put_on_one_line
from memviz.dashboard.words.why import (
    CAREFUL,
    DOLLARS,
    life_sentences,
    remedy_words,
    statement_sentences,
)
from memviz.tuning.forgotten import Remedy, Why

PLUGIN = "memviz_pytest"
"""The module of the pytest plugin."""
SHOWN_CHARS = 160
"""The length of a headline: pytest cuts what is longer out of its own line."""

false_verdicts: list[Verdict] = []
"""The verdicts that a test asked for and that were false, for the plugin to explain; it empties the list after each
test."""


def is_in_test() -> bool:
    """Return whether the plugin runs a test right now. Without it nothing is put aside for it."""
    return PLUGIN in sys.modules and "PYTEST_CURRENT_TEST" in os.environ


@dataclass(frozen=True, slots=True)
class Verdict:
    """True, or false for the reasons that :attr:`text` tells: ``assert run.keeps("never on Sundays")``."""

    holds: bool
    headline: str
    """What holds or does not, in one line."""
    reasons: tuple[str, ...] = ()
    """Lines below it."""

    def __bool__(self) -> bool:
        if not self.holds and is_in_test():
            false_verdicts.append(self)
        return self.holds

    def __repr__(self) -> str:
        headline = put_on_one_line(self.headline)
        if len(headline) > SHOWN_CHARS:
            headline = headline[: SHOWN_CHARS - 1] + "…"
        return f"<{headline}>"

    @property
    def text(self) -> str:
        """The headline and the reasons, a line each."""
        return "\n".join(map(put_on_one_line, [self.headline, *self.reasons]))

    def __str__(self) -> str:
        return self.text


def forgotten_verdict(why: Why, phrase: str, title: str) -> Verdict:
    """Return the verdict on a phrase of the conversation ``title`` that a request was without, in the words of ``memviz
    why``."""
    run = why.run
    end = "denied or outdated at the end"
    if why.lost_at is not None:
        end = f"lost at turn {why.lost_at.turn} of {run.log.turn_count}"
    headline = f"{phrase!r} is {end} under {run.strategy.label} ({title})"
    lines = [*statement_sentences(why), *life_sentences(why)]
    lines += _remedy_lines("What would have kept it:", why.remedies, keeps=True)
    lines += _remedy_lines("What would not have:", why.remedies, keeps=False)
    if why.remedies:
        lines.append(DOLLARS)
    return Verdict(False, headline, (*lines, CAREFUL))


def _remedy_lines(
    heading: str, remedies: Sequence[Remedy], *, keeps: bool
) -> list[str]:
    """Return the remedies that keep it or do not, each with its price behind it:
    ``- A larger limit: LastMessages(keep=12): +1,204 tokens, +$0.0003``."""
    lines = []
    for remedy in remedies:
        if remedy.keeps is keeps:
            words = remedy_words(remedy)
            lines.append(f"- {words.what}: {words.price}")
    return [heading, *lines] if lines else []
