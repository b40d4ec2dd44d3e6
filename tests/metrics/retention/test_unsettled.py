"""What a text only asks, supposes, or says of somebody else."""

from memviz.metrics.retention.unsettled import drop_others, drop_unsettled
from tests.tables import for_each


@for_each(
    "text",
    [
        "Should I buy a Volvo or a Saab?",
        "Do you know whether Ghent is nice?",
        "Is Ghent a good place to live?",
        "If I ever get a dog, it would be a small one.",
        "If they had paid more, he would have moved to Lyon.",
        "我该买沃尔沃还是萨博？",
        "你知道根特适合居住吗？",
        "如果我以后养狗，也只养小型犬。",
    ],
)
def test_what_is_only_asked_or_supposed_is_left_out(text: str) -> None:
    assert drop_unsettled(f"Hello. {text}").strip() == "Hello."


@for_each(
    "text",
    [
        "Is my flight at 9:40 on time?",
        "Is he allergic to nuts? Yes.",
        "Can you book a table for 4 at Luca?",
        "If it rains, we meet in Hall 3.",
        "我的航班是9点吗？",
        "Should I bring my EpiPen for the nut allergy to Luigi's?",
        "What if it rains on our wedding on 12 June?",
        "Do I need a visa for Japan or is my Swiss passport enough?",
    ],
)
def test_what_is_told_by_the_way_stays(text: str) -> None:
    assert drop_unsettled(text) is text


def test_what_is_said_of_others_is_left_out() -> None:
    text = "My neighbour is a pilot and tells stories; I work in an office."
    assert "pilot" not in drop_others(text)
    assert "office" in drop_others(text)
    ours = "My wife has booked Hotel Alma for us."
    assert drop_others(ours) is ours
