"""One thing has one name on all pages: the glossary is the list."""

from __future__ import annotations

import re
from functools import cache

from babel.messages.pofile import read_po

from memviz.core import translation
from memviz.dashboard.guide.glossary import glossary
from tests.tables import for_each

CATALOGUES = translation.LOCALE / "zh"
OWN_WORDS = {"glossary.po", "strategies.po"}
"""The glossary lists the words themselves, and strategies quote the names that libraries
give to theirs."""


@cache
def texts() -> set[str]:
    """Everything that pages say, in English."""
    found = set()
    for file in CATALOGUES.glob("*.po"):
        if file.name in OWN_WORDS:
            continue
        with file.open("rb") as content:
            for message in read_po(content):
                forms = message.id if isinstance(message.id, tuple) else (message.id,)
                found.update(forms)
    return found


NEVER = {word: term for term, entry in glossary().items() for word in entry.never}


def test_there_are_texts_and_words_to_avoid() -> None:
    assert len(texts()) > 300
    assert len(NEVER) > 15


@for_each("word", NEVER)
def test_pages_call_one_thing_by_one_name(word: str) -> None:
    as_word = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    found = sorted(text for text in texts() if as_word.search(text))
    assert not found, (
        f"pages say {NEVER[word]!r} (memviz/dashboard/guide/glossary.toml)"
    )
