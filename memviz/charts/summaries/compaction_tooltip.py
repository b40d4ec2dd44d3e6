"""What the mark of a compaction says when one points at it, on every chart."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from memviz.charts.text import escaped
from memviz.engine.compaction import Compaction
from memviz.metrics.summaries.compaction_words import compaction_words

FIRST_WORDS_CHARS = 140
CHARS_A_LINE = 70


def compaction_tooltip(label: str, compaction: Compaction, chars: int | None = None) -> str:
    """The setting, what happened where and why, its result, and the first words of the summary. ``chars``: how many
    stand in a line at most, where there is little room."""
    lines = [f"<b>{escaped(label)}</b>", *happened(compaction, chars), *first_words(compaction, chars)]
    return "<br>".join(lines)


def happened(compaction: Compaction, chars: int | None = None) -> Iterator[str]:
    """Lines that say what happened where and why, and with which result."""
    words = compaction_words(compaction)
    told = escaped(words.happened) if chars is None else _wrapped(words.happened, chars)
    what = escaped(words.what) if chars is None else _wrapped(words.what, chars)
    yield f"<b>{what}</b>{told.removeprefix(what)}"
    yield _wrapped(words.result, chars or CHARS_A_LINE)


def first_words(compaction: Compaction, chars: int | None = None) -> Iterator[str]:
    """The beginning of the summary, if there is one."""
    text = compaction.summary or ""
    if text:
        more = "…" if len(text) > FIRST_WORDS_CHARS else ""
        yield f"<i>{_wrapped(text[:FIRST_WORDS_CHARS], chars or CHARS_A_LINE)}{more}</i>"


def _wrapped(text: str, width: int) -> str:
    return "<br>".join(map(escaped, wrap(text, width)))
