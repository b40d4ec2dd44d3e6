"""Requests of pieces in any order and form: the exact messages, their tokens and fates, held against plain lists."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, Run
from memviz.core.forms import (
    ClearedResults,
    Cut,
    Digest,
    Form,
    WithoutArguments,
    WithoutThinking,
    form_from,
)
from memviz.core.memory import Memory
from memviz.core.pieces import (
    Line,
    Messages,
    Notes,
    Picked,
    Piece,
    from_json,
    notes,
    to_json,
)
from memviz.core.summaries import SummaryVersion
from memviz.engine.parts import Parts
from memviz.engine.records import TurnRecord
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from tests.strategies.conversations import conversations
from tests.tables import for_each

FORMS: list[Form | None] = [
    None,
    ClearedResults(),
    ClearedResults("", ("look_up",)),
    ClearedResults(without_arguments=True),
    WithoutArguments(("call1",)),
    Cut(4, 3),
    Digest(10),
    WithoutThinking(),
]
PLACES = ("message", "before system", "behind system")
SYSTEM_PROMPT = "Be kind."


class Anything(Strategy):
    """Sends the pieces that it was given, as far as they exist yet, and writes a note every four messages."""

    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    pieces: Any = ()
    writes: bool = False

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        if not self.writes or memory.pending < 4:
            return ()
        return (
            Write(
                range(memory.cursor, memory.length - 1),
                memory.length - 1,
                "four",
                memory.summary,
            ),
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return tuple(
            found for piece in self.pieces for found in _existing(piece, memory)
        )

    def summary_entry(self, summary: SummaryVersion) -> str:
        return f"Notes: {summary.text}"


def _existing(piece: Piece, memory: Memory) -> tuple[Piece, ...]:
    if isinstance(piece, Messages):
        start, stop = (
            max(piece.start, memory.history_start),
            min(piece.stop, memory.length),
        )
        return (Messages(start, stop, piece.form),) if start < stop else ()
    if isinstance(piece, Picked):
        return (Picked(tuple(p for p in piece.positions if p < memory.length)),)
    if isinstance(piece, Notes):
        return notes(memory.newest_summary, piece.place, piece.role)
    return (piece,)


@st.composite
def many_pieces(draw: st.DrawFn) -> tuple[Piece, ...]:
    """Messages in order and without overlap, between them lines, notes at most once, and what is picked."""
    edges = sorted(
        draw(st.lists(st.integers(0, 30), min_size=2, max_size=8, unique=True))
    )
    found: list[Piece] = []
    for start, stop in pairwise(edges):
        if draw(st.booleans()):
            found.append(Messages(start, stop, draw(st.sampled_from(FORMS))))
        if draw(st.integers(0, 3)) == 0:
            words = Message(
                draw(st.sampled_from(["user", "system"])), f"Skipped {stop} messages."
            )
            found.append(Line(words, draw(st.sampled_from(PLACES))))  # type: ignore[arg-type]
    if draw(st.booleans()):
        note = Notes(
            0,
            1,
            draw(st.sampled_from(PLACES)),
            draw(st.sampled_from(["system", "user"])),
        )  # type: ignore[arg-type]
        found.insert(draw(st.integers(0, len(found))), note)
    if draw(st.booleans()):
        found.append(
            Picked(tuple(sorted(draw(st.sets(st.integers(0, 20), max_size=4)))))
        )
    return tuple(found)


def replayed(
    messages: list[Message], pieces: tuple[Piece, ...], **options: object
) -> Run:
    strategy = Anything(pieces=pieces, writes=True)
    answers = memviz.ScriptedModel(f"note {number}" for number in range(1, 99))
    return memviz.replay(
        messages,
        strategy,
        model=answers,
        counter=len,
        system_prompt=SYSTEM_PROMPT,
        **options,  # type: ignore[arg-type]
    )


def as_sent(
    message: Message,
    form: Form | None,
    log: memviz.core.conversation.Log,
    position: int,
) -> Message:  # type: ignore[name-defined]
    """The message in its form, with the tool looked up by hand."""
    before = [m for m in log[:position] if m.role == "assistant"]
    calls = before[-1].tool_calls if before and message.role == "tool" else ()
    tool = next((call.name for call in calls if call.id == message.tool_call_id), None)
    return message if form is None else form.sent(message, tool)


def expected(run: Run, record: TurnRecord, pieces: tuple[Piece, ...]) -> list[Message]:
    """The messages of a request, put together as plain lists."""
    log, memory = run.log, record.memory
    asked = [*memory.input]
    stop = asked[0] if asked else memory.length
    forms = dict.fromkeys(asked)
    text = f"Notes: {memory.summary.text}" if memory.summary else None
    inside: dict[str, list[str]] = {"before system": [], "behind system": []}
    sent: list[Message] = []
    picked = {
        p for piece in pieces if isinstance(piece, Picked) for p in piece.positions
    }
    placed: set[int] = set()
    for piece in pieces:
        if isinstance(piece, Messages):
            for p in range(
                max(piece.start, memory.history_start), min(piece.stop, memory.length)
            ):
                message = as_sent(log[p], piece.form, log, p)
                if p < stop:
                    sent.append(log[p] if p in picked else message)
                    placed.add(p)
                elif p not in picked:  # what is picked is sent whole, as input too
                    forms[p] = piece.form  # type: ignore[assignment]
        elif isinstance(piece, Line):
            (
                inside[piece.place].append(piece.message.content)
                if piece.place in inside
                else sent.append(piece.message)
            )
        elif isinstance(piece, Notes) and text is not None:
            (
                inside[piece.place].append(text)
                if piece.place in inside
                else sent.append(Message(piece.role, text))
            )
    sent += [
        log[p]
        for p in sorted(picked)
        if memory.history_start <= p < stop and p not in placed
    ]
    system = "\n".join(
        [*inside["before system"], SYSTEM_PROMPT, *inside["behind system"]]
    )
    leading = [Message("system", system), *log[: memory.history_start]]
    return [*leading, *sent, *(as_sent(log[p], forms[p], log, p) for p in asked)]


@given(messages=conversations(), pieces=many_pieces())
def test_what_is_sent_is_what_the_pieces_say_and_what_is_counted(
    messages: list[Message], pieces: tuple[Piece, ...]
) -> None:
    run = replayed(messages, pieces)
    for record in run.requests:
        sent = record.context.messages
        assert [*sent] == expected(run, record, pieces)
        calls = sum(
            len(call.name) + len(call.arguments)
            for message in sent
            for call in message.tool_calls
        )
        names = sum(len(message.name) + 1 for message in sent if message.name)
        counted = (
            sum(len(message.content) for message in sent)
            + calls
            + names
            + 4 * len(sent)
            + 3
        )
        assert record.total_tokens == counted
        blocks = record.context.blocks
        assert (
            sum(block.tokens for block in blocks if block.kind == "history")
            == record.tokens["history"]
        )
        assert (
            sum(block.tokens for block in blocks if block.kind == "summary")
            == record.tokens["summary"]
        )
        assert (
            sum(block.tokens for block in blocks if block.kind == "recalled")
            == record.tokens["recalled"]
        )


@given(messages=conversations(), pieces=many_pieces())
def test_fates_follow_from_the_pieces(
    messages: list[Message], pieces: tuple[Piece, ...]
) -> None:
    run = replayed(messages, pieces)
    fates = run.fates()
    for number, record in enumerate(run.requests):
        indices = [
            (p, m)
            for b in record.context.blocks
            if b.kind in ("history", "input")
            for p, m in zip(b.indices, b.messages, strict=b.indices != ())
        ]
        sent = dict(indices)
        picked = {
            p
            for block in record.context.blocks
            if block.kind == "recalled"
            for p in block.indices
        }
        for position in range(record.memory.history_start, record.memory.length):
            fate = Fate(fates[number, position])
            if position in picked:
                assert fate is Fate.RECALLED
            elif position in sent and sent[position] == run.log[position]:
                assert fate is Fate.VERBATIM
            elif position in sent:
                assert fate in (Fate.CLEARED, Fate.SHORTENED)
            else:
                assert fate in (Fate.DROPPED, Fate.SUMMARIZED)


@given(messages=conversations(), pieces=many_pieces())
def test_with_tool_pairs_kept_whole_no_half_is_sent_without_the_other(
    messages: list[Message], pieces: tuple[Piece, ...]
) -> None:
    run = replayed(messages, pieces, repair_tool_pairs=True)
    for record in run.requests:
        sent = {p for piece in record.parts.messages for p in piece.positions} | set(
            record.parts.restored
        )
        assert sent >= set(record.memory.input) - set(run.log.tools.uncalled), (
            "the input is never swallowed"
        )
        lines = [piece for piece in record.parts.pieces if isinstance(piece, Line)]
        assert lines == [piece for piece in pieces if isinstance(piece, Line)]


@given(pieces=many_pieces())
def test_pieces_and_forms_survive_a_file(pieces: tuple[Piece, ...]) -> None:
    restored = Picked((1, 2), FORMS[1])
    assert tuple(from_json(to_json(piece)) for piece in (*pieces, restored)) == (
        *pieces,
        restored,
    )
    for form in FORMS:
        assert form is None or form_from(form.to_dict()) == form


@for_each(
    ("form", "message", "tool", "sent"),
    [
        (
            ClearedResults(),
            Message("tool", "42", tool_call_id="a"),
            "look_up",
            "[cleared]",
        ),
        (ClearedResults(), Message("tool", "42", tool_call_id="a"), None, "42"),
        (
            ClearedResults(kept_tools=("look_up",)),
            Message("tool", "42", tool_call_id="a"),
            "look_up",
            "42",
        ),
        (Cut(3, 2), Message("user", "abcdefghij"), None, "abc…ij"),
        (Cut(3, 2), Message("user", "abcdef"), None, "abcdef"),
        (
            Digest(4),
            Message("tool", "a  long\nresult " * 9, tool_call_id="a"),
            "t",
            "[135 characters: a lo]",
        ),
        (
            WithoutThinking(),
            Message("assistant", "<thinking>Hm.</thinking>\nYes."),
            None,
            "Yes.",
        ),
        (WithoutThinking(), Message("assistant", "Yes. <think>Hm"), None, "Yes."),
    ],
)
def test_forms_by_hand(
    form: Form, message: Message, tool: str | None, sent: str
) -> None:
    assert form.sent(message, tool).content == sent


def test_what_a_form_leaves_as_it_is_is_not_counted_again() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    log = memviz.core.conversation.Log(
        [Message("user", "a"), Message("assistant", "long " * 9), Message("user", "b")]
    )  # type: ignore[attr-defined]
    counter = memviz.counter(count)
    log.token_sums(counter)
    asked.clear()
    sums = log.token_sums(counter, Cut(2, 0))
    assert asked == ["lo…"]
    assert sums.totals == [0, 1, 4, 5]


def test_parts_of_an_empty_request() -> None:
    assert Parts(()).summaries == range(0)
    assert Parts(()).one_range is None
