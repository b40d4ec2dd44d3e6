"""The length of a summary that is longer than was asked for, in words."""

from collections.abc import Iterable

from memviz.core.text.words import count_words, counted_unit, length_unit
from memviz.core.translation import _, noop
from memviz.engine.compaction import Compaction


def broken_length_words(compaction: Compaction) -> str:
    """Return ``asked for 120 words, got 148``; empty where the summary keeps its length, none was asked for, or a
    person worded it."""
    asked_words = getattr(compaction.strategy, "summary_words", 0)
    summary = compaction.summary
    if not asked_words or not compaction.asked or summary is None:
        return ""
    written_words = count_words(summary)
    if written_words <= asked_words:
        return ""
    unit = _(length_unit(compaction.prompt or "", asked_words))
    written_in = _(counted_unit(summary))
    template = noop("asked for {asked:,} {unit}, got {got:,}")
    if written_in != unit:
        template = noop("asked for {asked:,} {unit}, got {got:,} {written_in}")
    return _(
        template,
        asked=asked_words,
        unit=unit,
        got=written_words,
        written_in=written_in,
    )


def broken_lengths_of(
    compactions: Iterable[Compaction], versions: Iterable[int]
) -> list[str]:
    """Return the words for those of these versions of the summary (from 1) that break their length."""
    numbers = set(versions)
    sentences = (
        broken_length_words(compaction)
        for compaction in compactions
        if compaction.version in numbers
    )
    return [words for words in sentences if words]
