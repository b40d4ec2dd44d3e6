"""What the mark of a compaction says when one points at it, on every chart."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from memviz.charts.text import escaped
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.compaction_words import compaction_words

FIRST_WORDS_CHARS = 80
CHARS_A_LINE = 70


def compaction_tooltip(label: str, compaction: Compaction, chars: int | None = None, run: Run | None = None) -> str:
    """The setting, what happened where and why, its result, and the first words of the summary. ``chars``: how many
    stand in a line at most, where there is little room. ``run`` is its run."""
    lines = [f"<b>{escaped(label)}</b>", *happened(compaction, chars, run), *first_words(compaction, chars)]
    return "<br>".join(lines)


def happened(compaction: Compaction, chars: int | None = None, run: Run | None = None) -> Iterator[str]:
    """Lines that say what happened where and why, and with which result."""
    words, width = compaction_words(compaction, run), chars or CHARS_A_LINE
    yield f"<b>{_wrapped(words.what, width)}</b>"
    yield from (_wrapped(line, width) for line in (words.where, words.why, words.result) if line)


def first_words(compaction: Compaction, chars: int | None = None) -> Iterator[str]:
    """The beginning of the summary, if there is one."""
    text = compaction.summary or ""
    if text:
        more = "…" if len(text) > FIRST_WORDS_CHARS else ""
        yield f"<i>{_wrapped(text[:FIRST_WORDS_CHARS], chars or CHARS_A_LINE)}{more}</i>"


def _wrapped(text: str, width: int) -> str:
    return "<br>".join(map(escaped, wrap(text, width)))
