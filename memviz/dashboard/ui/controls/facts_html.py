"""Facts that a memory keeps, as HTML: which lines a version added, replaced and removed, and why each is remembered:
the message that it most likely came from. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from memviz.core.conversation import Log
from memviz.core.text.language import in_language
from memviz.core.text.wording import counted, message_number
from memviz.dashboard.ui.controls.message_html import message_html
from memviz.metrics.summaries.facts import FactLine, FactsVersion

SOURCE_CHARS = 600
MARKS = {"added": "+", "replaced": "±", "kept": "=", "removed": "-"}


def facts_html(found: FactsVersion, log: Log) -> str:
    """All facts of a version, each with its source, and those that it removed."""
    lines = "".join(_line(line, log) for line in found.lines)
    return f'{counts_html(found)}<ul class="memviz-fact-lines">{lines}{"".join(map(_removed, found.removed))}</ul>'


def changed_facts_html(found: FactsVersion) -> str:
    """What a version added, replaced and removed, without what it kept."""
    lines = [_text(line) for line in found.lines if line.change != "kept"]
    body = "".join(f"<li>{line}</li>" for line in lines) + "".join(
        map(_removed, found.removed)
    )
    return (
        f'{counts_html(found)}<ul class="memviz-fact-lines">{body}</ul>'
        if body
        else counts_html(found)
    )


def counts_html(found: FactsVersion) -> str:
    """``12 facts: 3 added · 1 replaced · 8 kept · 2 removed``."""
    counts = {change: len(found.of(change)) for change in ("added", "replaced", "kept")}
    counts["removed"] = len(found.removed)
    said = " · ".join(
        f"{number:,} {change}" for change, number in counts.items() if number
    )
    whole = counted(len(found.lines), "fact")
    return f'<p class="memviz-note"><b>{whole}</b>{": " + said if said else ""}</p>'


def _text(line: FactLine) -> str:
    """The fact; what it replaced is struck through before it."""
    mark = f'<span aria-hidden="true">{MARKS[line.change]}</span> '
    said = in_language(line.text)
    if line.change == "added":
        return f"{mark}<ins>{said}</ins>"
    if line.change == "replaced":
        return f"{mark}<del>{in_language(line.replaces)}</del> <ins>{said}</ins>"
    return f"{mark}{said}"


def _removed(text: str) -> str:
    return f'<li><span aria-hidden="true">{MARKS["removed"]}</span> <del>{in_language(text)}</del></li>'


def _line(line: FactLine, log: Log) -> str:
    return f"<li>{_text(line)}{''.join(_source(line, log))}</li>"


def _source(line: FactLine, log: Log) -> Iterator[str]:
    """Why it is remembered, on a click."""
    since = f"since version {line.since:,}"
    if line.source is None:
        yield f"<small>{since}; no message holds half of its words</small>"
        return
    message = log[line.source]
    where = f"message {message_number(line.source):,} ({message.role}, turn {log.turn_number(line.source):,})"
    shown = message_html(
        message, "", "the Library shows the whole message", SOURCE_CHARS
    )
    yield (
        f"<details><summary>Why? From {escape(where)}, {since}</summary>"
        f"<small>{_share_words(line.share)}</small>{shown}</details>"
    )


def _share_words(share: float) -> str:
    """How much of a fact its source says."""
    if share >= 1:
        return "All words of the fact stand in that message."
    return f"{share:.0%} of the fact's words stand in that message, where numbers and names count more than others."


def of_version(
    versions: Sequence[FactsVersion], number: int | None
) -> FactsVersion | None:
    """The one of this version, if it holds facts."""
    return next((one for one in versions if one.version.version == number), None)
