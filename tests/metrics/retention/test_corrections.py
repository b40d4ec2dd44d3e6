"""A value that the same text takes back is not told by it."""

import pytest

from memviz.metrics.retention.polarity import polarity


@pytest.mark.parametrize(
    ("text", "gone", "stays"),
    [
        ("Table for 4, please. Actually, make it 6.", "4", "6"),
        (
            "Haircut on Thursday... scratch that, Saturday is better.",
            "Thursday",
            "Saturday",
        ),
        ("周四理发……算了，还是周六吧。", "周四", "周六"),
        ("My friend thinks it costs $450, but the shop charges $520.", "$450", "$520"),
        ("Is he allergic to nuts? No, his cousin is.", "nuts", "cousin"),
    ],
)
def test_what_is_taken_back_is_not_affirmed(text: str, gone: str, stays: str) -> None:
    affirmed = polarity(text).affirmed
    assert gone not in affirmed
    assert stays in affirmed


@pytest.mark.parametrize(
    "text",
    [
        "Table for 4 on Friday.",
        "We visit Lisbon. Actually, Porto is nice as well.",
        "We are 4. Actually, I like the place.",
        "He said it costs $450, but that is fine.",
    ],
)
def test_other_words_take_nothing_back(text: str) -> None:
    assert polarity(text).affirmed == text


def test_only_a_value_of_the_same_kind_is_taken_back() -> None:
    affirmed = polarity("Table for 4 on Friday. Actually, make it Saturday.").affirmed
    assert "4" in affirmed
    assert "Friday" not in affirmed
