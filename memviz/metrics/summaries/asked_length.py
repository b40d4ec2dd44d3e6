"""Whether a summary keeps the length that was asked for. One that does not is kept as it was written, and said so."""

from __future__ import annotations

from collections.abc import Iterable

from memviz.core.text.length import count_words, counted_unit, length_unit
from memviz.engine.compaction import Compaction


def broken_length(compaction: Compaction) -> tuple[int, int] | None:
    """Return how many words a summary was asked for and how many it has, where those are more; ``None`` where it keeps
    its length, none was asked for, or a person worded it."""
    asked = getattr(compaction.strategy, "summary_words", 0)
    if not asked or not compaction.asked or compaction.summary is None:
        return None
    got = count_words(compaction.summary)
    return (asked, got) if got > asked else None


def broken_length_words(compaction: Compaction) -> str:
    """Return ``asked for 120 words, got 148``, or an empty text where the summary keeps its length."""
    found = broken_length(compaction)
    if found is None:
        return ""
    asked, got = found
    unit, written_in = (
        length_unit(compaction.prompt or "", asked),
        counted_unit(compaction.summary or ""),
    )
    of_another_kind = f" {written_in}" if written_in != unit else ""
    return f"asked for {asked:,} {unit}, got {got:,}{of_another_kind}"


def broken_lengths_of(
    compactions: Iterable[Compaction], versions: Iterable[int]
) -> list[str]:
    """Return the words for those of these versions of the summary (from 1) that break their length."""
    wanted = set(versions)
    found = (broken_length_words(one) for one in compactions if one.version in wanted)
    return [words for words in found if words]
