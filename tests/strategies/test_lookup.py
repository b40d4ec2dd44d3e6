"""The best of many scores, held against sorting them all."""

from __future__ import annotations

import numpy as np

from memviz.strategies.lookup import best_first, best_in_steps
from tests.tables import for_each


@for_each("most", [1, 3, 20, None])
@for_each("kinds", [1, 4, 1000])
def test_the_best_are_those_of_a_sorted_list(most: int | None, kinds: int) -> None:
    random = np.random.default_rng(kinds)
    for length in (0, 1, 5, 16, 47, 400):
        # Few kinds of scores: many are equal, and the newer one is to come first.
        scores = random.integers(0, kinds + 1, length) / kinds
        ranked = sorted(
            (place for place in range(length) if scores[place] > 0),
            key=lambda place: (scores[place], place),
            reverse=True,
        )
        assert best_first(scores, most) == ranked[:most]
        assert [*best_in_steps(scores, most)][:most] == ranked[:most]
