"""Successive halving: many candidates over a few conversations, the better half over twice as many, until few are left
over all of them."""

from math import ceil
from typing import NamedTuple

FIRST_CONVERSATIONS = 3
"""So many conversations decide at least which half of the candidates goes on."""
LEAST_CANDIDATES = 12
"""So many candidates come to the end: the last rounds are decided over the conversations that tell most."""


class Round(NamedTuple):
    """A round of a search: so many candidates over so many conversations, those of the rounds before among them."""

    candidates: int
    conversations: int


def plan_rounds(candidates: int, conversations: int) -> tuple[Round, ...]:
    """Return the rounds of a search: of 100 candidates and 12 conversations 100 over 3, 50 over 6 and 25 over 12."""
    sizes = [conversations]
    while ceil(sizes[-1] / 2) >= FIRST_CONVERSATIONS:
        sizes.append(ceil(sizes[-1] / 2))
    rounds = []
    for size in reversed(sizes):
        rounds.append(Round(candidates, size))
        candidates = min(candidates, max(LEAST_CANDIDATES, ceil(candidates / 2)))
    return tuple(rounds)
