"""The split of conversations for ``memviz.design``: a part to search over, and a holdout that the search never sees.

The holdout is drawn by a seed, with short and long conversations in the same proportion as in the rest.
"""

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
"""The fewest conversations that are held out: a single one does not show how much conversations vary."""
LEAST_CONVERSATIONS = 4
_GOLDEN = 0.618_033_988_75
T = TypeVar("T")


def split_conversations(
    subjects: Sequence[SweepConversation],
    holdout: float = DEFAULT_HOLDOUT,
    seed: int = 0,
) -> tuple[tuple[SweepConversation, ...], tuple[SweepConversation, ...]]:
    """Return the conversations to search over, and those that are held out.

    ``holdout`` is the share (0 to 1) that is held out, at least two conversations. Each is as likely to be held out as
    any other, and the same seed draws the same. Copies count once, for else the search could have seen a conversation
    of the holdout.

    Raises :class:`memviz.DesignError` for fewer than four different conversations.
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
    """Return ``values`` in an order in which the first n of them always lie evenly over the whole row.

    ``ABCD`` gives ``ACBD``, and with a ``start`` of 1 ``BDCA``. The steps through the row are those of the golden
    ratio. ``start`` rotates the row: over all starts, each value comes equally often to each place.
    """
    rotated = [*values[start:], *values[:start]]
    draws = sorted(range(len(rotated)), key=lambda draw: draw * _GOLDEN % 1)
    by_draw = dict(zip(draws, rotated, strict=True))
    return tuple(by_draw[draw] for draw in range(len(rotated)))


def leave_out_copies(subjects: Sequence[SweepConversation]) -> list[SweepConversation]:
    """Return the conversations without those that are equal to another one, or the beginning of another one.

    A chat exported after 10 turns and again after 12 is kept once, with 12 turns. Conversations are compared by
    the roles and contents of their messages.
    """
    spoken = []
    for subject in subjects:
        messages = subject.log[subject.log.system_stop :]
        words = [(message.role, message.content) for message in messages]
        spoken.append((words, subject.digest, subject))
    # In this order, a conversation is directly followed by one that continues it.
    spoken.sort(key=itemgetter(0, 1))
    different = [subject for _words, _digest, subject in spoken[-1:]]
    for (words, _digest, subject), (following, *_others) in pairwise(spoken):
        if following[: len(words)] != words:
            different.append(subject)
    return different
