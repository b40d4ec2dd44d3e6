"""Messages at log positions as pieces."""

from __future__ import annotations

from memviz.core.pieces import Messages, messages_at
from tests.tables import for_each


@for_each(
    ("positions", "pieces"),
    [
        ([], []),
        ([0], [Messages(0, 1)]),
        ([3, 1, 2, 7], [Messages(1, 4), Messages(7, 8)]),
        ([0, 2, 4], [Messages(0, 1), Messages(2, 3), Messages(4, 5)]),
    ],
)
def test_messages_that_follow_each_other_are_one_piece(
    positions: list[int], pieces: list[Messages]
) -> None:
    assert messages_at(positions) == pieces
