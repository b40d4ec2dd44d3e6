"""What the mark of a compaction says when one points at it, on every chart."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from memviz.charts.text import escaped
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.requests.traffic import broken_cache_tokens
from memviz.metrics.summaries.compaction_words import compaction_words
from memviz.text.wording import counted

FIRST_WORDS_CHARS = 80
CHARS_A_LINE = 70
RULED_KINDS = ("cleared", "shortened", "evicted")
MOST_PRICED = 2_000
"""Compactions of a run: for more it takes seconds to say what each cost the prompt cache."""


def compaction_tooltip(
    label: str, compaction: Compaction, chars: int | None = None, run: Run | None = None
) -> str:
    """The setting, what happened where and why, its result, and the first words of the summary. ``chars``: how many
    stand in a line at most, where there is little room. ``run`` is its run."""
    lines = [
        f"<b>{escaped(label)}</b>",
        *happened(compaction, chars, run),
        *first_words(compaction, chars),
    ]
    return "<br>".join(lines)


def happened(
    compaction: Compaction, chars: int | None = None, run: Run | None = None
) -> Iterator[str]:
    """Lines that say what happened where and why, and with which result."""
    words, width = compaction_words(compaction, run), chars or CHARS_A_LINE
    yield f"<b>{_wrapped(words.what, width)}</b>"
    lines = (words.where, words.why, words.result, cache_words(compaction, run))
    yield from (_wrapped(line, width) for line in lines if line)


def cache_words(compaction: Compaction, run: Run | None) -> str:
    """What clearing, shortening or dropping messages by a rule cost the prompt cache; empty where it cost nothing, and
    of runs so long that nobody waits for it."""
    if (
        run is None
        or compaction.kind not in RULED_KINDS
        or len(run.compactions) > MOST_PRICED
    ):
        return ""
    tokens = broken_cache_tokens(run)[run.number_of(compaction)]
    return f"It broke {counted(tokens, 'token')} of the prompt cache" if tokens else ""


def first_words(compaction: Compaction, chars: int | None = None) -> Iterator[str]:
    """The beginning of the summary, if there is one."""
    text = compaction.summary or ""
    if text:
        more = "…" if len(text) > FIRST_WORDS_CHARS else ""
        yield f"<i>{_wrapped(text[:FIRST_WORDS_CHARS], chars or CHARS_A_LINE)}{more}</i>"


def _wrapped(text: str, width: int) -> str:
    return "<br>".join(map(escaped, wrap(text, width)))
