"""What opens a statement, and is no part of it."""

import pytest

from memviz.core.text.openers import remove_openers


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Hi! I live in Turin.", "I live in Turin."),
        ("Hi Ben, I live in Turin.", "I live in Turin."),
        ("By the way, the door code is 7742.", "The door code is 7742."),
        ("Please remember that I'm allergic to wool.", "I'm allergic to wool."),
        ("Oh and wool makes me itch.", "Wool makes me itch."),
        ("It also turned out that the key is lost.", "The key is lost."),
        ("One thing I should have said first: my father is 81.", "My father is 81."),
        ("Ben's request: never phone him.", "Ben's request: never phone him."),
        ("Pattern: mostly at night.", "Pattern: mostly at night."),
        ("No car, please.", "No car, please."),
        ("So far 3 came.", "So far 3 came."),
        ("Übrigens, der Zug fährt um 9 Uhr.", "Der Zug fährt um 9 Uhr."),
        ("对了，我们店不卖酒。", "我们店不卖酒。"),
        ("蒋伯提了两个条件：店里不能用明火。", "蒋伯提了两个条件：店里不能用明火。"),
    ],
)
def test_what_only_opens_a_statement_is_left_out(text: str, rest: str) -> None:
    assert remove_openers(text) == rest
