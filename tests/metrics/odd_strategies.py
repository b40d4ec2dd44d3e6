"""Strategies that no library has: everything that pieces and effects allow, in an order that a number decides."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import ClassVar

from hypothesis import strategies as st

from memviz import Message
from memviz.core.forms import ClearedResults, Cut, Digest, Form, WithoutArguments
from memviz.core.memory import Memory
from memviz.core.pieces import Line, Messages, Notes, Picked, Piece, Place, notes
from memviz.strategies.base import Effect, Move, Strategy, Trigger, Write

FORMS: tuple[Form | None, ...] = (
    None,
    None,
    ClearedResults(),
    ClearedResults("gone", without_arguments=True),
    Cut(3, 2),
    Digest(4),
    WithoutArguments(),
)
PLACES: tuple[Place, ...] = ("message", "message", "before system", "behind system")
TRACKS = ("facts", "observations", "digest")


class Odd(Strategy):
    """Sends messages in forms, notes of several tracks in any place, lines and picked messages.

    ``seed`` decides what; ``every`` is the number of messages after which it looks different, so that some neighbouring
    requests are alike.
    """

    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    seed: int
    every: int = 3
    tracks: int = 2

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Notes of one track after the other, and messages that are cleared."""
        if memory.pending <= 4:
            return ()
        random = Random(f"{self.seed} {memory.length // self.every}")
        track, keep_from = (
            random.choice(TRACKS[: self.tracks]),
            memory.length - random.choice((1, 2, 3)),
        )
        replaces = memory.head(track) if random.random() < 0.8 else None
        taken = range(memory.cursor, keep_from)
        move = Move(
            "cleared",
            keep_from,
            random.choice(("cleared", "shortened", "evicted")),
            "odd",
            taken,
        )
        write = Write(
            taken,
            keep_from,
            "odd",
            replaces,
            track,
            on_failure=random.choice(("leave", "drop")),
        )
        return random.choice(((write,), (move, write), (write, move)))

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Something else now and then."""
        random = Random(
            f"{self.seed} {memory.length // self.every} {memory.summary_count}"
        )
        said = [*self._messages(memory, random)]
        fixed = [*self._notes(memory, random), *self._lines(random)]
        for piece in fixed:
            said.insert(random.choice((0, 0, random.randint(0, len(said)))), piece)
        if random.random() < 0.3:
            said.append(
                Picked(
                    tuple(
                        sorted(
                            random.sample(range(memory.length), min(2, memory.length))
                        )
                    )
                )
            )
        return tuple(said)

    def _messages(self, memory: Memory, random: Random) -> Iterator[Piece]:
        at = random.choice((0, memory.history_start, memory.cursor))
        while at < memory.length:
            stop = min(memory.length, at + random.choice((1, 2, 5, 99)))
            yield Messages(at, stop, self._form(memory, random, at, stop))
            at = stop + random.choice((0, 0, 0, 1, 3))

    def _form(
        self, memory: Memory, random: Random, start: int, stop: int
    ) -> Form | None:
        form = random.choice(FORMS)
        if (
            stop - start == 1 and random.random() < 0.5
        ):  # one message in a form of its own
            return WithoutArguments(
                tuple(call.id for call in memory.log[start].tool_calls[:1])
            )
        return form

    def _notes(self, memory: Memory, random: Random) -> Iterator[Notes]:
        for track in TRACKS[: self.tracks]:
            place, role = random.choice(PLACES), random.choice(("system", "user"))
            newest = memory.notes_of(track)
            if newest and random.random() < 0.3:
                newest = range(random.randint(0, newest.start), newest.stop)
            if random.random() < 0.8:
                yield from notes(newest, place, role)

    def _lines(self, random: Random) -> Iterator[Line]:
        if random.random() < 0.4:
            message = Message(
                random.choice(("user", "system")),
                f"Skipped {random.choice((1, 2))} messages of the cat.",
            )
            yield Line(message, random.choice(PLACES))


odd_strategies = st.builds(
    Odd,
    seed=st.integers(0, 10_000),
    every=st.sampled_from([1, 3, 4, 99]),
    tracks=st.integers(1, 3),
)
