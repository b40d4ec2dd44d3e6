"""The meanings of memviz's words: one text for every page, tooltip and document."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from memviz.core.errors import UnknownNameError
from memviz.core.translation import _, pgettext

TERM_CONTEXT = "glossary"
"""The words of the glossary are translated for themselves, not as in sentences."""


class UnknownTermError(UnknownNameError):
    """The glossary has no such word."""

    kind = "term of the glossary"


class Entry(NamedTuple):
    """A ``term`` with its ``meaning``, one or two sentences of plain text. ``also`` are other forms of the word,
    ``code`` is what it is called in the code (Markdown, empty where nothing is), ``on_screen`` is false for a word
    that pages do not use, and ``never`` is what pages do not call it."""

    term: str
    meaning: str
    also: tuple[str, ...] = ()
    code: str = ""
    on_screen: bool = True
    never: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The word in the language of its reader."""
        return pgettext(TERM_CONTEXT, self.term)

    @property
    def other_names(self) -> tuple[str, ...]:
        """The other forms of the word, without those that are one in the language of its reader."""
        # Two forms in English may be one word elsewhere, or the term itself.
        names = dict.fromkeys(pgettext(TERM_CONTEXT, form) for form in self.also)
        names.pop(self.name, None)
        return tuple(names)

    @property
    def explained(self) -> str:
        """The meaning in the language of its reader."""
        return _(self.meaning)

    def matches(self, words: str) -> bool:
        """Return whether the word, one of its forms or its meaning holds what somebody looks for."""
        in_english = (self.term, *self.also, self.meaning)
        in_own_language = (self.name, *self.other_names, self.explained)
        searched_text = " ".join((*in_english, *in_own_language)).casefold()
        return all(word in searched_text for word in words.casefold().split())


@cache
def glossary() -> Mapping[str, Entry]:
    """Return all entries by their term, in the order of the alphabet."""
    file = files("memviz.dashboard.guide") / "glossary.toml"
    fields_by_term = tomllib.loads(file.read_text(encoding="utf-8"))
    return {term: _entry(term, fields_by_term[term]) for term in sorted(fields_by_term)}


def shown_terms() -> dict[str, Entry]:
    """The entries of the words that pages use."""
    return {term: entry for term, entry in glossary().items() if entry.on_screen}


def entry(word: str) -> Entry:
    """Return what a word or one of its forms means. Raises :class:`UnknownTermError`."""
    entries = _entries_by_form().get(word.casefold())
    if entries is None:
        raise UnknownTermError(word, glossary())
    return entries


def tooltip(word: str) -> str:
    """Return the meaning of a word, as plain text. Raises :class:`UnknownTermError`."""
    return entry(word).explained


@cache
def _entries_by_form() -> dict[str, Entry]:
    entries = {}
    for entry in glossary().values():
        for form in (*entry.also, entry.term):
            entries[form] = entry
    return entries


def _entry(term: str, fields: Mapping[str, Any]) -> Entry:
    return Entry(
        term,
        fields["meaning"],
        tuple(fields.get("also", ())),
        fields.get("code", ""),
        fields.get("screen", True),
        tuple(fields.get("never", ())),
    )
