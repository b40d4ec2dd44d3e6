"""Each word of change is found in its example."""

from __future__ import annotations

import re

from memviz.metrics.retention import change_words
from memviz.metrics.retention.change_words import CHANGE, GONE, STRONG, read_table
from tests.tables import for_each

SEARCHED = (
    (change_words.CHANGE_ALONE, CHANGE),
    (change_words.CHANGE_ALONE, STRONG),
    (change_words.MAY_BE_CHANGE, CHANGE),
    (change_words.MAY_BE_CHANGE_CHINESE, CHANGE),
    (change_words.STRONG_CHANGE, STRONG),
    (change_words.STRONG_CHANGE_CHINESE, STRONG),
    (change_words.VALUE_IS_GONE, GONE),
    (change_words.VALUE_IS_GONE_CHINESE, GONE),
)
ROWS = [
    (alternative, example, pattern)
    for table, pattern in SEARCHED
    for alternative, example in read_table(table)
]


@for_each(("alternative", "example", "pattern"), ROWS)
def test_a_word_of_change_is_found_in_its_example(
    alternative: str, example: str, pattern: re.Pattern[str]
) -> None:
    assert re.search(alternative, example, re.IGNORECASE)
    assert pattern.search(example)
