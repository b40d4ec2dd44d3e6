"""A value that the same text takes back is not told by it."""

from memviz.metrics.retention.polarity import judge_polarity
from tests.tables import for_each


@for_each(
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
    affirmed = judge_polarity(text).affirmed
    assert gone not in affirmed
    assert stays in affirmed


@for_each(
    "text",
    [
        "Table for 4 on Friday.",
        "We visit Lisbon. Actually, Porto is nice as well.",
        "We are 4. Actually, I like the place.",
        "He said it costs $450, but that is fine.",
        "We are 4 adults. Actually 2 of us are vegetarian.",
        "The budget is 500 euros. Actually, 200 euros of it are for food.",
        "我周五去，其实周四也行。",
        "She said dinner is at 7 pm, but we should arrive by 6 pm.",
        "I think the train leaves at 8:15 but check-in opens at 7:30.",
        "他说会议在3点，但我5点才到。",
    ],
)
def test_other_words_take_nothing_back(text: str) -> None:
    assert judge_polarity(text).affirmed == text


def test_only_a_value_of_the_same_kind_is_taken_back() -> None:
    affirmed = judge_polarity(
        "Table for 4 on Friday. Actually, make it Saturday."
    ).affirmed
    assert "4" in affirmed
    assert "Friday" not in affirmed
