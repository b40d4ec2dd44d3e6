"""Every word has one meaning, short enough for a tooltip."""

from __future__ import annotations

import re

import pytest

from memviz.core.context import BLOCK_ORDER
from memviz.dashboard.charts.palette import PART_TITLES, STEP_TITLES
from memviz.dashboard.guide.glossary import (
    UnknownTermError,
    entry,
    glossary,
    shown_terms,
    tooltip,
)
from tests.tables import for_each

NEWCOMERS_WORDS = (
    "token", "turn", "request", "context window", "compaction", "summary", "running summary", "buffer", "trigger",
    "limit", "recall", "pin", "fate", "word for word", "cleared", "placeholder", "fact", "probe", "retention",
    "prompt cache", "shared prefix", "pause", "bound", "recorded", "built-in model", "live", "sweep", "knee", "front",
    "headroom", "strategy", "setting", "message", "history",
)  # fmt: skip


@for_each("word", NEWCOMERS_WORDS)
def test_the_words_that_a_newcomer_meets_are_explained(word: str) -> None:
    assert entry(word).on_screen
    assert tooltip(word)


@for_each("term", glossary())
def test_a_meaning_is_one_or_two_plain_sentences(term: str) -> None:
    meaning = glossary()[term].meaning
    assert meaning[0].isupper()
    assert meaning.endswith(".")
    assert len(meaning) <= 240
    assert len(re.findall(r"[.:;] [A-Z]", meaning)) <= 2
    assert not re.search(r"[`*_<>\[\]]", meaning.replace("[cleared]", "")), (
        "tooltips show it as it is"
    )


def test_no_form_of_a_word_means_two_things() -> None:
    forms = [form for one in glossary().values() for form in (one.term, *one.also)]
    assert len(forms) == len(set(forms))
    assert all(form == form.casefold() for form in forms)


def test_parts_and_fates_on_charts_are_words_of_the_glossary() -> None:
    named = [
        title
        for kind, title in PART_TITLES.items()
        if kind in BLOCK_ORDER and kind != "tools"
    ]
    for title in (
        *named,
        "Format overhead",
        *(title for title in STEP_TITLES if not re.search(r"\d|Not yet", title)),
    ):
        assert entry(title).on_screen, title


def test_a_word_is_found_by_its_forms_and_by_what_it_means() -> None:
    assert entry("Recalled").term == "recall"
    found = [
        term for term, one in shown_terms().items() if one.matches("providers BILL")
    ]
    assert found == ["token"]


def test_words_of_the_code_alone_are_not_for_pages() -> None:
    assert glossary()["cursor"].code == "`Memory.cursor`"
    assert "cursor" not in shown_terms()


def test_an_unknown_word_is_an_error_that_names_it() -> None:
    with pytest.raises(UnknownTermError, match="'frobnicate'"):
        tooltip("frobnicate")
