"""Pauses and lifetimes in words."""

from __future__ import annotations

from memviz.core.text.wording import duration_words
from memviz.dashboard.ui.controls.pricing import PAUSES_SECONDS
from memviz.dashboard.words.prices import pause_words
from memviz.metrics.cost.pricing import DEFAULT_PAUSE_SECONDS
from memviz.models.cache_rules import CacheRules
from tests.tables import for_each

RULES = CacheRules(min_tokens=1024, lifetime_seconds=300)


@for_each(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (5, "5 s"),
        (60, "1 min"),
        (90, "1.5 min"),
        (300, "5 min"),
        (3600, "1 hour"),
        (7200, "2 hours"),
        (86400, "1 day"),
        (172800, "2 days"),
    ],
)
def test_a_duration_in_its_largest_unit(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


def test_a_pause_is_told_against_the_lifetime_of_the_cache() -> None:
    assert pause_words(RULES, 299) == (
        "The pause is shorter than the 5 min that the prompt cache lives, so the next turn reads from it."
    )
    assert pause_words(RULES, 300) == (
        "The prompt cache lives 5 min. After this pause it is empty, so all that is sent is paid in full."
    )
    assert "does not say how long" in pause_words(CacheRules(min_tokens=1024), 5)
    assert "changes nothing" in pause_words(None, 5)


def test_pauses_rise_and_hold_the_default() -> None:
    assert list(PAUSES_SECONDS) == sorted(set(PAUSES_SECONDS))
    assert DEFAULT_PAUSE_SECONDS in PAUSES_SECONDS
    assert len({duration_words(seconds) for seconds in PAUSES_SECONDS}) == len(
        PAUSES_SECONDS
    )
