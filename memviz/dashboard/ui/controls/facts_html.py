"""The facts that a version of notes holds, as HTML: each with its source, and how it changed."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from memviz.core import page_titles
from memviz.core.conversation import Log
from memviz.core.text.wording import counted, message_number
from memviz.core.translation import _, noop
from memviz.dashboard.markup import element, in_language, joined
from memviz.dashboard.ui.controls.message_html import message_html
from memviz.dashboard.words.requests import role_name
from memviz.metrics.summaries.facts import FactLine, FactsVersion

SOURCE_CHARS = 600
WHOLE_MESSAGE = noop("the {library} shows the whole message")
_COUNTS = {
    "added": noop("{number:,} added"),
    "replaced": noop("{number:,} replaced"),
    "kept": noop("{number:,} kept"),
    "removed": noop("{number:,} removed"),
}
_SIGNS = {"added": "+", "replaced": "±", "kept": "=", "removed": "-"}


def facts_html(version: FactsVersion, log: Log) -> Markup:
    """Return all facts of a version, each with its source, and those that it removed."""
    lines = [joined([_text(line), _source(line, log)]) for line in version.lines]
    lines += map(_removed, version.removed)
    return counts_html(version) + _list_html(lines)


def changed_facts_html(version: FactsVersion) -> Markup:
    """Return the facts that a version added, replaced and removed, without those that it kept."""
    lines = [_text(line) for line in version.lines if line.change != "kept"]
    lines += map(_removed, version.removed)
    counts = counts_html(version)
    return counts + _list_html(lines) if lines else counts


def _list_html(lines: Iterable[Markup]) -> Markup:
    items = joined(element("li", line) for line in lines)
    return element("ul", items, class_="memviz-fact-lines")


def counts_html(version: FactsVersion) -> Markup:
    """Return ``12 facts: 3 added · 1 replaced · 8 kept · 2 removed``."""
    numbers = {"removed": len(version.removed)}
    for change in ("added", "replaced", "kept"):
        numbers[change] = len(version.of(change))
    counts = []
    for change, template in _COUNTS.items():
        if numbers[change]:
            counts.append(_(template, number=numbers[change]))
    words = _(": {counts}", counts=" · ".join(counts)) if counts else ""
    facts = element("b", counted(len(version.lines), "fact"))
    return element("p", facts, words, class_="memviz-note")


def _text(line: FactLine) -> Markup:
    """Return the fact; what it replaced is struck through before it."""
    text = in_language(line.text)
    if line.change == "added":
        text = element("ins", text)
    elif line.change == "replaced":
        before = element("del", in_language(line.replaces))
        text = joined([before, " ", element("ins", text)])
    return joined([_sign(line.change), text])


def _removed(text: str) -> Markup:
    return joined([_sign("removed"), element("del", in_language(text))])


def _sign(change: str) -> Markup:
    return element("span", _SIGNS[change], aria_hidden="true") + " "


def _source(line: FactLine, log: Log) -> Markup:
    """Return why a fact is remembered, on a click."""
    since = _("since version {since:,}", since=line.since)
    if line.source is None:
        return element(
            "small", _("{since}; no message holds half of its words", since=since)
        )
    message = log[line.source]
    number = message_number(line.source)
    turn = log.turn_number(line.source)
    where = _(
        "message {number:,} ({role}, turn {turn:,})",
        number=number,
        role=role_name(message.role),
        turn=turn,
    )
    share = _("All words of the fact stand in that message.")
    if line.share < 1:
        share = _(
            "{share:.0%} of the fact's words stand in that message, where numbers and names count more than "
            "others.",
            share=line.share,
        )
    whole = _(WHOLE_MESSAGE, library=_(page_titles.LIBRARY))
    return element(
        "details",
        element("summary", _("Why? From {where}, {since}", where=where, since=since)),
        element("small", share),
        message_html(message, "", whole, SOURCE_CHARS),
    )


def of_version(
    versions: Sequence[FactsVersion], number: int | None
) -> FactsVersion | None:
    """Return the facts of the version of this number; ``None`` where it holds none."""
    for facts in versions:
        if facts.version.version == number:
            return facts
    return None
