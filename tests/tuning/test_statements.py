"""Statements are looked up in texts of any length, and only short texts are kept for the next look."""

from __future__ import annotations

import memviz
from memviz import Message
from memviz.core.text.sentences import CACHED_TEXT_CHARS
from memviz.tuning import statements
from memviz.tuning.statements import Statement, loosen_probe

RULE = "Never book a flight with a stop in winter"


def test_a_long_text_is_looked_through_and_not_kept() -> None:
    said = "Please never book any flight with a stop in winter."
    long_text = said + " What a day." * CACHED_TEXT_CHARS
    run = memviz.replay([Message("user", long_text)], memviz.strategy("buffer"))
    probe = Statement(RULE, (RULE,), (0,), category="")
    statements._find_worded_alike.cache_clear()
    assert said in loosen_probe(run, probe).answers
    assert not statements._find_worded_alike.cache_info().currsize
