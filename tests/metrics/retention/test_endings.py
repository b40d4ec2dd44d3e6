"""What a text says is over, or is not wanted."""

from memviz.metrics.retention.polarity import judge_polarity
from tests.tables import for_each


@for_each(
    ("text", "gone"),
    [
        ("Dinner at 7 pm won't work after all.", "7 pm"),
        ("Her bicycle was stolen.", "bicycle"),
        ("Dr. Lowe retired, so her new dentist is Dr. Amin.", "Lowe"),
        ("Tomas has handed the project over to Wei.", "Tomas"),
        ("tulip88 is the old password; use tulip99.", "tulip88"),
        ("He returned the Aero 14.", "Aero"),
        ("She and Sam broke up in June.", "Sam"),
        ("They booked Crete but swapped to Malta.", "Crete"),
        ("After six years in Dublin, she is back in Cork.", "Dublin"),
        ("She prefers phone calls over emails.", "emails"),
        ("Everyone except Paul is coming.", "Paul"),
        ("It is not the case that the team won.", "team won"),
        ("He claimed the bridge is open, which turned out to be false.", "open"),
        ("Dairy has to be avoided.", "Dairy"),
        ("自行车被偷了。", "自行车"),
        ("比起邮件，她更喜欢打电话。", "邮件"),
        ("海港大厅订不到。", "海港大厅"),
        ("除了小王，大家都来。", "小王"),
    ],
)
def test_what_is_over_is_not_affirmed(text: str, gone: str) -> None:
    assert gone in text
    assert gone not in judge_polarity(text).affirmed


@for_each(
    "text",
    [
        "My father Tom retired in May.",
        "She prefers to work from Rome.",
        "After 3 years at Vela, she leads a team.",
        "The user always has a Rovers ticket.",
    ],
)
def test_what_goes_on_is_affirmed(text: str) -> None:
    assert judge_polarity(text).affirmed == text


def test_what_does_not_work_is_not_over() -> None:
    assert (
        "building 7" in judge_polarity("The Wi-Fi in building 7 doesn't work.").affirmed
    )
    assert "Rome" in judge_polarity("She returned her call from Rome.").affirmed
    assert "魏敏" in judge_polarity("与魏敏谈退货计算口径。").affirmed
