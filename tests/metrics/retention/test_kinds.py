"""Every kind of value finds those of its examples, in sentences that announce it."""

from __future__ import annotations

import re

from memviz.metrics.retention.announced_kinds import AnnouncedKinds
from memviz.metrics.retention.code_kinds import (
    CODES,
    EMAILS,
    PEOPLE,
    PHONES,
    SOFTWARE_NAMES,
)
from memviz.metrics.retention.count_kinds import CLOCK, COUNTS, PLAIN_NUMBERS
from memviz.metrics.retention.label_words import Kind, find_values, make_alternatives
from memviz.metrics.retention.label_words import kind as make_kind
from memviz.metrics.retention.option_kinds import OPTIONS, TITLES
from memviz.metrics.retention.taste_kinds import TASTES
from memviz.metrics.retention.time_and_place_kinds import (
    DAYS,
    GROUPS,
    TIMES_AND_PLACES,
)
from tests.tables import for_each

KINDS = (
    *PHONES,
    *EMAILS,
    *CODES,
    *SOFTWARE_NAMES,
    *PEOPLE,
    *TASTES,
    *TIMES_AND_PLACES,
    *DAYS,
    *GROUPS,
    *COUNTS,
    *CLOCK,
    *OPTIONS,
    *TITLES,
    *PLAIN_NUMBERS,
)
EXAMPLES = [(kind, example) for kind in KINDS for example in kind.examples]


def test_every_kind_has_an_example() -> None:
    assert all(kind.examples for kind in KINDS)


@for_each(("kind", "example"), EXAMPLES)
def test_a_kind_finds_the_value_of_its_example(kind: Kind, example: str) -> None:
    sentence, expected = example.split(" -> ")
    own = [sentence[one.start : one.stop] for one in find_values([kind], sentence)]
    assert own == [expected], "its pattern"
    announced = AnnouncedKinds(kind).values_in(sentence, of_user=True)
    assert announced, "its triggers"


def test_alternatives_that_begin_with_one_letter_share_it() -> None:
    pattern = make_alternatives("cat cow big_dog (?:a_)?rash")
    assert pattern == "(?:c(?:at|ow)|b(?:ig dog)|(?:a )?rash(?:))"
    for text in ("cat", "cow", "big dog", "rash", "a rash"):
        assert re.fullmatch(pattern, text)


def test_the_full_stop_of_a_sentence_announces_no_file() -> None:
    # A pattern that every sentence has, to see which are searched.
    file_kind = make_kind(".", r"(?P<value>Edit)", 1.0)
    files = AnnouncedKinds(file_kind)
    assert files.values_in("Edit app.py first", of_user=True)
    assert not files.values_in("Edit nothing.", of_user=True)
