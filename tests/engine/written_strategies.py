"""Strategies as somebody may write them: in steps, with several tracks, and a library's that folds its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import memviz
from memviz import Message
from memviz.core.counters import Counter
from memviz.core.forms import ClearedResults, Cut
from memviz.core.memory import Memory
from memviz.core.model_errors import UnreadableAnswerError
from memviz.core.pieces import Messages, Piece, messages, notes
from memviz.core.summaries import SummaryVersion
from memviz.strategies.base import Effect, FailurePolicy, Move, Strategy, Trigger, Write
from memviz.strategies.library import Ask, FromLibrary, LibraryStrategy


class Pipeline(Strategy):
    """Past ``most`` messages that are sent whole: clears results, then cuts long messages, then summarizes, all but the
    newest four."""

    trigger: ClassVar[Trigger] = Trigger.REQUEST
    most: int = 8
    on_failure: FailurePolicy = "leave"

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        if memory.length - memory.mark("cleared") <= self.most:
            return ()
        to = memory.length - 4
        about = range(memory.cursor, to)
        return (
            Move("cleared", to, "cleared", "too many", about),
            Move(
                "cut",
                to - 2,
                "shortened",
                "still too many",
                range(memory.cursor, to - 2),
            ),
            Write(
                range(memory.cursor, to - 4),
                to - 4,
                "far too many",
                memory.summary,
                on_failure=self.on_failure,
            ),
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        cut, cleared = (
            max(memory.cursor, memory.mark(name)) for name in ("cut", "cleared")
        )
        return (
            Messages(memory.cursor, cut, Cut(3, 0)),
            Messages(cut, cleared, ClearedResults()),
            Messages(cleared, memory.length),
            *notes(memory.newest_summary),
        )


class Tracks(Strategy):
    """Keeps facts and a working-memory text, each in its own words, and begins with a fixed text."""

    trigger: ClassVar[Trigger] = Trigger.TURN

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        if not memory.pending:
            return ()
        said = range(memory.cursor, memory.length)
        opening = "Nothing is known." if memory.head("work") is None else None
        return (
            Write(said, memory.cursor, "a turn is over", memory.head("facts"), "facts"),
            Write(
                said,
                memory.length,
                "a turn is over",
                memory.head("work"),
                "work",
                text=opening,
            ),
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        facts, work = memory.notes_of("facts"), memory.notes_of("work")
        said = messages(range(memory.cursor, memory.length))
        return (*notes(facts, "behind system"), *notes(work, role="user"), said)

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        return (Message("user", f"{effect.track}: {len(effect.summarize)}"),)

    def read_answer(self, effect: Write, answer: str) -> str:
        if answer == "?":
            raise UnreadableAnswerError("The answer is no list of facts.")
        kept = [effect.replaces.text] if effect.replaces else []
        return "\n".join([*kept, answer]) if effect.track == "facts" else answer

    def summary_entry(self, summary: memviz.core.memory.SummaryVersion) -> str:  # type: ignore[name-defined]
        return summary.text


def talk(turns: int) -> list[Message]:
    return [
        Message(role, f"{role} {n}")
        for n in range(turns)
        for role in ("user", "assistant")
    ]


class FoldingSix:
    """Folds all but the newest two messages into a summary when it holds more than six; shouts one of them."""

    def __init__(self, ask: Ask, knows_positions: bool) -> None:
        self.ask, self.knows_positions = ask, knows_positions
        self.held: list[FromLibrary] = []

    def take(self, position: int, message: Message) -> None:
        self.held.append(
            FromLibrary(message, position if self.knows_positions else None)
        )

    def request(self) -> Sequence[FromLibrary]:
        if len(self.held) > 6:
            answer = self.ask(
                [
                    Message(
                        "user",
                        " / ".join(one.message.content for one in self.held[:-2]),
                    )
                ]
            )
            summary = FromLibrary(Message("user", f"So far: {answer}"))
            self.held = [summary, *self.held[-2:]]
        return self.held


class Folding(LibraryStrategy):
    """Runs the small library."""

    knows_positions: bool = True

    def open(self, ask: Ask, counter: Counter) -> Any:
        return FoldingSix(ask, self.knows_positions)

    def summary_entry(self, summary: SummaryVersion) -> str:
        return summary.text


class ClearingAndFolding:
    """Clears all but the newest two results, says a call and its result in one line where it is told to, and folds all
    but the newest six into a summary when it holds more than ``most``."""

    def __init__(self, ask: Ask, most: int, rewords: bool) -> None:
        self.ask = ask
        self.most = most
        self.rewords = rewords
        self.held: list[FromLibrary] = []

    def take(self, position: int, message: Message) -> None:
        self.held.append(FromLibrary(message, position))

    def request(self) -> Sequence[FromLibrary]:
        results = [one for one in self.held if one.message.role == "tool"]
        for one in results[:-2]:
            at = self.held.index(one)
            self.held[at] = self._without_words(one)
            if self.rewords:
                line = Message("assistant", f"It looked up {one.message.content}")
                self.held[at - 1 : at + 1] = [FromLibrary(line)]
        if len(self.held) > self.most:
            answer = self.ask([Message("user", "What was said?")])
            self.held = [FromLibrary(Message("user", answer)), *self.held[-6:]]
        return self.held

    def _without_words(self, result: FromLibrary) -> FromLibrary:
        return result._replace(message=replace(result.message, content="[gone]"))


class Clearing(LibraryStrategy):
    """Runs the small library that clears results."""

    most: int = 9
    rewords: bool = False

    def open(self, ask: Ask, counter: Counter) -> Any:
        return ClearingAndFolding(ask, self.most, self.rewords)
