"""The conversations that a search never sees: drawn by a seed, as evenly over short and long ones as they lie."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from random import Random
from typing import TypeVar

from memviz.core.errors import DesignError
from memviz.core.translation import _
from memviz.tuning.sweep_conversation import SweepConversation

DEFAULT_HOLDOUT = 0.25
LEAST_HELD_OUT = 2
"""One conversation alone says nothing of how much conversations vary."""
LEAST_CONVERSATIONS = 4
_GOLDEN = 0.618_033_988_75
T = TypeVar("T")


def split_conversations(
    subjects: Sequence[SweepConversation],
    holdout: float = DEFAULT_HOLDOUT,
    seed: int = 0,
) -> tuple[tuple[SweepConversation, ...], tuple[SweepConversation, ...]]:
    """Return the conversations to search over, and those that are held out: a share of them, at least two. Each is as
    likely to be held out as any other, and the same seed draws the same. Copies of a conversation count once, or the
    holdout would have been seen.

    Raises :class:`memviz.DesignError` for fewer than four conversations.
    """
    different = leave_out_copies(subjects)
    if len(different) < LEAST_CONVERSATIONS:
        raise DesignError(
            _(
                "A design needs at least {least} different conversations, some to search over and some to hold out. "
                "Found: {number:,}.",
                least=LEAST_CONVERSATIONS,
                number=len(different),
            )
        )
    by_length = sorted(
        different, key=lambda conversation: (len(conversation.log), conversation.digest)
    )
    start = Random(seed).randrange(len(by_length))  # noqa: S311 - can be repeated
    in_drawn_order = draw_evenly(by_length, start)
    held_out = max(LEAST_HELD_OUT, round(holdout * len(in_drawn_order)))
    held_out = min(held_out, len(in_drawn_order) - LEAST_HELD_OUT)
    return in_drawn_order[held_out:], in_drawn_order[:held_out]


def draw_evenly(values: Sequence[T], start: int) -> tuple[T, ...]:
    """Return the values of a row in an order of which each beginning, and each rest, lies evenly over the row:
    ``ABCD`` as ``ACBD``, from a start of 1 as ``BDCA``.

    The steps are those of the golden ratio, and ``start`` turns the row: over all starts (0 to the number of values)
    each value comes as often to each place.
    """
    turned = [*values[start:], *values[:start]]
    draws = sorted(range(len(turned)), key=lambda draw: draw * _GOLDEN % 1)
    by_draw = dict(zip(draws, turned, strict=True))
    return tuple(by_draw[draw] for draw in range(len(turned)))


def leave_out_copies(subjects: Sequence[SweepConversation]) -> list[SweepConversation]:
    """Return the conversations of which none says what another does, or the beginning of it: a chat that was exported
    at its turn 10 and again at its turn 12 is there once, with 12 turns. What counts are the roles and the words."""

    spoken = []
    for subject in subjects:
        messages = subject.log[subject.log.system_stop :]
        words = [(message.role, message.content) for message in messages]
        spoken.append((words, subject.digest, subject))
    # In this order what goes on with a conversation stands right behind it.
    spoken.sort(key=itemgetter(0, 1))
    different = [subject for _words, _digest, subject in spoken[-1:]]
    for (words, _digest, subject), (following, *_others) in pairwise(spoken):
        if following[: len(words)] != words:
            different.append(subject)
    return different
