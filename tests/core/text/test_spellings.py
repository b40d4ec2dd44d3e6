"""One value in two spellings, and look-alikes that are another value."""

from memviz.core.text.containment import PhraseIndex, asks_for_a_count, contains
from tests.tables import for_each


@for_each(
    ("text", "answer"),
    [
        ("It runs out in Nov '27.", "November 2027"),
        ("It leaves at ten to seven in the evening.", "6:50 pm"),
        ("It took three quarters of an hour.", "45 minutes"),
        ("We need two dozen chairs.", "24"),
        ("Members get fifteen per cent off.", "15%"),
        ("Bake at 180 degrees Celsius.", "180 °C"),
        ("Write to R. Hughes.", "Robert Hughes"),
        ("The flat is on the 3rd floor.", "third floor"),
        ("He takes 20 milligrams.", "20 mg"),
        ("It is 1,450 dollars a month.", "$1,450 per month"),
        ("The lease runs for a year.", "12 months"),
        ("早上九点一刻开会。", "上午9点15分"),
        ("合同签了24个月。", "两年"),
        ("她在北大读的本科。", "北京大学"),
        ("预算五千左右。", "5千元"),
    ],
)
def test_spellings_of_one_value(text: str, answer: str) -> None:
    assert contains(text, answer)


@for_each(
    ("text", "answer"),
    [
        ("Room for ten to seven people.", "6:50"),
        ("You can go ahead and run it.", "Go"),
        ("The limit is 50 mph.", "50 km/h"),
        ("180 ml of milk", "180 °C"),
    ],
)
def test_look_alikes(text: str, answer: str) -> None:
    assert not contains(text, answer)


def test_a_number_of_things_is_no_measure() -> None:
    assert asks_for_a_count("How many cats does the user have?")
    assert not asks_for_a_count("How many kilometers did she run?")
    found = PhraseIndex(["2"], counts={0}).find(
        ["He is 2 meters tall.", "He has 2 cats."]
    )
    assert found.texts.tolist() == [1]
