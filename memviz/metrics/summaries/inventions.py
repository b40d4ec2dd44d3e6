"""What a summary says and its prompt does not: names, numbers and dates that its writer made up or worked out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memviz.engine.run import Run
from memviz.metrics.summaries.authors import summary_author
from memviz.metrics.summaries.prompt_terms import Known, prompt_text, unsupported_terms

FIRST_PERSON = frozenset({"I"})
"""Written with a capital wherever it stands."""


class Invention(NamedTuple):
    """The ``terms`` of a version that its prompt lacks, each once, in their order."""

    version: int
    terms: tuple[str, ...]


def inventions(run: Run) -> tuple[Invention, ...]:
    """The versions of ``run`` that a model worded and that say a name, a number or a word of the calendar that their
    prompts do not. What a later prompt holds because an earlier summary invented it counts once, where it began; a sum
    of numbers of the prompt counts as well, for nobody can tell a right one from a wrong one by looking at its words.
    """
    return run.once(inventions, lambda: tuple(_inventions(run)))


def _inventions(run: Run) -> Iterator[Invention]:
    prompts = {
        number: prompt_text(one.request)
        for number, one in enumerate(run.compactions)
        if one.request
    }
    lines = frozenset(line for text in prompts.values() for line in text.split("\n"))
    known = Known(lines, FIRST_PERSON)
    for number, prompt in prompts.items():
        compaction = run.compactions[number]
        if (
            compaction.version is None
            or not compaction.summary
            or summary_author(compaction) is None
        ):
            continue
        terms = unsupported_terms(prompt, compaction.summary, known)
        if terms:
            yield Invention(compaction.version, terms)
