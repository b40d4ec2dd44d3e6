from __future__ import annotations

from memviz.models.tools import RecallResult
from tests.tables import for_each

STANDING = "They stand right before the user's last message."


@for_each(
    ("result", "text"),
    [
        (RecallResult(0), "Recalled 0 messages."),
        (RecallResult(2), f"Recalled 2 messages. {STANDING}"),
        (
            RecallResult(0, held=1_200),
            "Recalled 1,200 messages. 1200 of them you were sent anyway.",
        ),
        (
            RecallResult(0, missing=("turn 9", "message 77"), turns=1),
            "Recalled 0 messages. There is no turn 9, no message 77: this conversation has 1 turn so far.",
        ),
        (
            RecallResult(0, in_place=1),
            "Recalled 1 message. 1 of them stands in full where it was said.",
        ),
        (
            RecallResult(2, among=True),
            "Recalled 2 messages. They stand right before the user's last message, among others that were recalled.",
        ),
    ],
)
def test_a_result_says_how_many_messages_came_back_and_where_they_stand(
    result: RecallResult, text: str
) -> None:
    assert result.text == text
