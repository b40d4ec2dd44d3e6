"""The reason of a compaction in the language of its reader. A run keeps it in English, as the strategy gave it."""

import re

from memviz.core.text.wording import SEMICOLON, counted
from memviz.core.translation import ENGLISH, _, language_now, noop

_COUNT = re.compile(r"(?P<held>[\d,]+) (?P<unit>[a-z]+?)s? (?P<sign>[>≥]) (?P<rest>.+)")
_PHRASES = (
    (re.compile(r"turn (?P<turn>[\d,]+) is complete: (?P<count>[\d,]+) messages?"),
     noop("turn {turn} is complete: {count} messages")),
    (re.compile(r"(?P<count>[\d,]+) messages before the first one kept, which has to be the user's"),
     noop("{count} messages before the first one kept, which has to be the user's")),
    (re.compile(r"only (?P<saved>[\d,]+) tokens would go < (?P<least>[\d,]+)"),
     noop("only {saved} tokens would go < {least}")),
    (re.compile("no user message in what the summarizer may read"),
     noop("no user message in what the summarizer may read")),
    (re.compile("written by the user"), noop("written by the user")),
    (re.compile("before every request"), noop("before every request")),
    (re.compile("the summarizer failed"), noop("the summarizer failed")),
    (re.compile("the library left them out"), noop("the library left them out")),
    (re.compile("the library cleared them"), noop("the library cleared them")),
    (
        re.compile("the library put words of its own in their place"),
        noop("the library put words of its own in their place"),
    ),
    (re.compile("recorded in the log"), noop("recorded in the log")),
    (
        re.compile("a request with less of the history"),
        noop("a request with less of the history"),
    ),
)  # fmt: skip
"""All that a strategy or the engine gives for a reason, besides counts over a limit."""


def reason_in_words(reason: str) -> str:
    """Return the reason; a sentence that is not known, of a strategy of another package, stays as it is."""
    if language_now() == ENGLISH:
        return reason
    parts = [_part_in_words(part) for part in reason.split("; ")]
    return _(SEMICOLON).join(parts)


def _part_in_words(part: str) -> str:
    for pattern, words in _PHRASES:
        found = pattern.fullmatch(part)
        if found:
            return _(words, **found.groupdict())
    any_of = part.split(" or ")
    if len(any_of) > 1:
        return _(" or ").join(map(_count_in_words, any_of))
    return _(" and ").join(map(_count_in_words, part.split(" and ")))


def _count_in_words(count: str) -> str:
    found = _COUNT.fullmatch(count)
    if found is None:
        return count
    held = counted(int(found["held"].replace(",", "")), found["unit"])
    return f"{held} {found['sign']} {found['rest']}"
