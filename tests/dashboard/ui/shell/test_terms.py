"""Words that explain themselves."""

from __future__ import annotations

import pytest

from memviz.dashboard.guide.glossary import UnknownTermError
from memviz.dashboard.ui.shell.terms import FirstMentions, address, term, term_html


def test_a_word_leads_to_its_entry_in_whatever_form_it_stands() -> None:
    assert term("recall") == "[recall](guide?term=recall)"
    assert term("Recalled") == "[Recalled](guide?term=recall)"
    assert term("replay", "replayed") == "[replayed](guide?term=replay)"
    assert address("context window") == "guide?term=context%20window"


def test_a_word_that_nobody_explains_is_a_mistake_of_the_page() -> None:
    with pytest.raises(UnknownTermError, match="frobnicate"):
        term("frobnicate")


def test_words_in_html_are_escaped_whether_they_are_known_or_not() -> None:
    assert term_html("<b>fat</b>") == "&lt;b&gt;fat&lt;/b&gt;"
    assert (
        term_html("Dropped")
        == '<a href="guide?term=dropped" target="_blank">Dropped</a>'
    )
    assert (
        term_html("A summarization")
        == '<a href="guide?term=summarization" target="_blank">A summarization</a>'
    )


def test_a_text_explains_a_word_where_it_first_has_it() -> None:
    mentions = FirstMentions()
    assert mentions.html("A <b>Request</b> of 3 tokens.") == (
        'A &lt;b&gt;<a href="guide?term=request" target="_blank">Request</a>&lt;/b&gt; of 3 '
        '<a href="guide?term=token" target="_blank">tokens</a>.'
    )
    assert mentions.html("Two requests, 9 tokens.") == "Two requests, 9 tokens."
    assert "guide" not in FirstMentions().html(
        "The answer is lost on the edge of a known front, requested twice for the budget."
    )
