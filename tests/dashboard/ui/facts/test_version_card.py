"""What a version of the summary did to the facts, in a few words."""

from __future__ import annotations

from memviz.dashboard.ui.facts.version_card import counts_words
from memviz.metrics.retention.life_lines import VersionProbes
from tests.tables import for_each


@for_each(
    ("found", "words"),
    [
        (VersionProbes(), "No fact lost, none kept, none new"),
        (VersionProbes(lost=(4,), kept=(1, 2)), "1 fact lost, 2 kept, none new"),
        (VersionProbes(lost=(4, 5), new=(1,)), "2 facts lost, none kept, 1 new"),
    ],
)
def test_facts_are_counted(found: VersionProbes, words: str) -> None:
    assert counts_words(found) == words
