"""From a strategy's pieces to the exact request: what is sent in which order, token parts, blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from memviz.core.context import (
    TOKENS_PER_MESSAGE,
    TOKENS_PER_REQUEST,
    Block,
    BlockKind,
    Context,
    joined,
)
from memviz.core.conversation import Message
from memviz.core.counters import Counter, FormSums, TokenSums, name_tokens
from memviz.core.forms import Form
from memviz.core.memory import Memory, MemorySpace
from memviz.core.pieces import Line, Messages, Notes, Picked, Piece
from memviz.core.tool_schemas import schema_tokens
from memviz.engine.recalled_pieces import still_in_form, with_recalled, without_recalled
from memviz.models.tools import TOOLS


class Parts(NamedTuple):
    """One request: its ``pieces`` behind the system prompt in order, those of the input last; the log positions of the
    ``input`` (empty when the log ends with the assistant), the names of the tools offered, and the log positions of the
    recalls that the model made behind the input."""

    pieces: tuple[Piece, ...]
    input: range = range(0)
    tools: tuple[str, ...] = ()
    exchange: range = range(0)

    @property
    def notes(self) -> tuple[Notes, ...]:
        """What is sent of what a model wrote."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Notes))

    @property
    def summaries(self) -> range:
        """The versions (0-based) that are sent; of several tracks those of the first."""
        for piece in self.pieces:
            if isinstance(piece, Notes):
                return range(piece.start, piece.stop)
        return range(0)

    @property
    def messages(self) -> tuple[Messages, ...]:
        """All messages of the log that are sent in their own place, those of the input last."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Messages))

    @property
    def history(self) -> tuple[range, ...]:
        """Log positions of the history, those of restored messages among them."""
        asked = self.input.start if self.input else None
        found: list[range] = []
        for piece in self.pieces:
            if isinstance(piece, Messages) and (asked is None or piece.start < asked):
                found.append(piece.positions)
            elif isinstance(piece, Picked) and piece.instead_of is not None:
                found.append(range(piece.positions[0], piece.positions[-1] + 1))
        return tuple(found)

    @property
    def recalled(self) -> tuple[int, ...]:
        """Log positions of all that is brought back, in order."""
        picked = [piece.positions for piece in self.pieces if isinstance(piece, Picked)]
        return (
            picked[0]
            if len(picked) == 1
            else tuple(sorted(chain.from_iterable(picked)))
        )

    @property
    def restored(self) -> tuple[int, ...]:
        """Those of them that stand in their own place, whole instead of in a form. All others stand before the
        input."""
        picked = (
            piece
            for piece in self.pieces
            if isinstance(piece, Picked) and piece.instead_of is not None
        )
        return tuple(chain.from_iterable(piece.positions for piece in picked))

    @property
    def has_forms(self) -> bool:
        """Whether any message is sent in another form than as a whole."""
        return any(
            isinstance(piece, Messages) and piece.form is not None
            for piece in self.pieces
        )

    @property
    def one_range(self) -> tuple[int, int] | None:
        """Where history and input start and stop, if they are one range of whole messages behind at most one message of
        notes, and nothing else is sent."""
        if self.tools or self.exchange or not self.input:
            return None
        start = stop = -1
        for number, piece in enumerate(self.pieces):
            if (
                isinstance(piece, Messages)
                and piece.form is None
                and stop in (-1, piece.start)
            ):
                start, stop = piece.start if start < 0 else start, piece.stop
            elif number or not isinstance(piece, Notes) or piece.place != "message":
                return None
        return start, stop

    def with_messages(
        self, history: Sequence[Messages], asked: Sequence[Messages]
    ) -> Parts:
        """The request with these messages of the log instead, and nothing brought back. What stands between messages
        keeps its place as far as there is one: before the first message of the log that stood behind it."""
        left, found = [*history], list[Piece]()
        for piece in without_recalled(self.pieces[: self._history_stop]):
            if isinstance(piece, Messages):
                while left and left[0].start < piece.stop:
                    found.append(left.pop(0))
            else:
                found.append(piece)
        positions = range(asked[0].start, asked[-1].stop) if asked else range(0)
        return self._replace(pieces=(*found, *left, *asked), input=positions)

    def with_recalled(self, recalled: Collection[int]) -> Parts:
        """The request with these messages, none of which it sends whole, brought back instead."""
        at = self._history_stop
        history = with_recalled(without_recalled(self.pieces[:at]), recalled)
        return self._replace(pieces=(*history, *self.pieces[at:]))

    @property
    def _history_stop(self) -> int:
        """How many pieces stand before those of the input."""
        at = len(self.pieces)
        while self.input and at and _is_of(self.pieces[at - 1], self.input):
            at -= 1
        return at


def _is_of(piece: Piece, asked: range) -> bool:
    return isinstance(piece, Messages) and piece.start >= asked.start


def assemble(
    memory: Memory, pieces: Sequence[Piece], recalled: Collection[int] = ()
) -> Parts:
    """The parts of the request for ``memory``. The input is always one of them, and nothing is sent twice.

    Rule 2 of all strategies: the user's message, or the results of the call that is open, is never swallowed. A
    strategy may send it in another form. ``recalled`` are log positions brought back besides those that the strategy
    picks: what stands in the history in a form is made whole there, and the rest stands right before the input.
    """
    asked = memory.input
    stop = asked.start if asked else memory.length
    before: list[Piece] = []
    formed: list[Messages] = []
    if any(isinstance(piece, Picked) for piece in pieces):
        recalled = {
            *recalled,
            *(
                p
                for piece in pieces
                if isinstance(piece, Picked)
                for p in piece.positions
            ),
        }
        pieces = without_recalled(pieces)
    for piece in pieces:
        if isinstance(piece, Messages):
            if piece.start < min(stop, piece.stop):
                before.append(
                    piece
                    if piece.stop <= stop
                    else Messages(piece.start, stop, piece.form)
                )
            if piece.form is not None and piece.stop > stop:
                formed.append(Messages(max(piece.start, stop), piece.stop, piece.form))
        else:
            before.append(piece)
    if recalled:
        leading = memory.history_start
        fresh = [
            p
            for p in recalled
            if p >= leading and p not in asked and not _is_whole(memory, p, before)
        ]
        before = [*with_recalled(before, fresh)]
        formed = [*still_in_form(formed, recalled)]
    if asked:
        before += (
            _whole_where_not(asked, formed)
            if formed
            else (Messages(asked.start, asked.stop),)
        )
    return Parts(tuple(before), asked)


def _is_whole(memory: Memory, position: int, pieces: Sequence[Piece]) -> bool:
    """Whether a message is sent whole in its own place."""
    log = memory.log
    for piece in pieces:
        if isinstance(piece, Messages) and piece.start <= position < piece.stop:
            return piece.form is None or log.sent(position, piece.form) is log[position]
    return False


def _whole_where_not(asked: range, formed: Sequence[Messages]) -> Iterator[Messages]:
    """The input: the messages in their forms, and all others whole."""
    at = asked.start
    for piece in formed:
        if at < piece.start:
            yield Messages(at, piece.start)
        yield piece
        at = piece.stop
    if at < asked.stop:
        yield Messages(at, asked.stop)


def offered_tokens(space: MemorySpace, tools: tuple[str, ...]) -> int:
    """Tokens of the schemas of these tools, which memviz offers besides those of the conversation's own program."""
    schemas = tuple(TOOLS[name].text for name in tools)
    return schema_tokens(
        space.sums.counter, schemas, has_system_prompt=space.system_count > 0
    )


def message_tokens(counter: Counter, message: Message) -> int:
    """Tokens of a message: its content, the name of its speaker, and the names and arguments of its tool calls."""
    calls = sum(
        counter(call.name) + counter(call.arguments) for call in message.tool_calls
    )
    return counter(message.content) + calls + name_tokens(counter, message.name)


def message_count(
    space: MemorySpace, parts: Parts, thoughts: Sequence[Message] = ()
) -> int:
    """Return the number of messages of a request. What stands inside the system prompt makes one of its own only where
    there is no other."""
    inside = lines = 0
    for piece in parts.pieces:
        if isinstance(piece, Messages | Picked):
            lines += len(piece.positions)
        elif piece.place != "message":
            inside += 1
        else:
            lines += 1
    return (
        lines
        + len(parts.exchange)
        + len(thoughts)
        + max(space.system_count, inside > 0)
    )


def overhead_tokens(
    space: MemorySpace, parts: Parts, thoughts: Sequence[Message] = ()
) -> int:
    """Return what the chat format adds to the messages of a request, and to the request."""
    return (
        TOKENS_PER_MESSAGE * message_count(space, parts, thoughts) + TOKENS_PER_REQUEST
    )


def names_tokens(space: MemorySpace, parts: Parts) -> int:
    """Return the tokens of the names of all who speak in a request."""
    totals = space.sums.name_totals
    if not totals[-1]:  # nearly all logs name nobody
        return 0
    sent = (
        range(space.system_stop),
        *(one.positions for one in parts.messages),
        parts.exchange,
    )
    names = sum(totals[part.stop] - totals[part.start] for part in sent)
    return names + sum(
        totals[position + 1] - totals[position] for position in parts.recalled
    )


def count(
    memory: Memory, parts: Parts, thoughts: Sequence[Message] = ()
) -> dict[str, int]:
    """Tokens of each part of a request: content by block, the chat format's overhead, under ``names`` those of all who
    speak, and under ``tools`` the schemas offered, all tool calls, and what was said behind the input."""
    space = memory.space
    sums = space.sums
    history = recalled = question = summary = 0
    is_inside = False
    calls, asked = (
        space.tool_tokens,
        parts.input.start if parts.input else memory.length,
    )
    for piece in parts.pieces:
        if isinstance(piece, Messages):
            content, called = _tokens_of(space, piece)
            calls += called
            if piece.start >= asked:
                question += content
            else:
                history += content
        elif isinstance(piece, Picked):
            for position in piece.positions:
                recalled += sums.totals[position + 1] - sums.totals[position]
                calls += sums.call_totals[position + 1] - sums.call_totals[position]
        elif piece.place != "message":
            is_inside = True
        elif isinstance(piece, Notes):
            summary += space.summaries.tokens(piece.start, piece.stop)
        elif isinstance(piece, Line):
            history += sums.counter(piece.message.content)
            calls += _call_tokens(sums.counter, piece.message)
    if parts.tools or parts.exchange or thoughts:
        behind = parts.exchange
        calls += offered_tokens(space, parts.tools)
        calls += sum(message_tokens(sums.counter, message) for message in thoughts)
        if behind:
            calls += sums.totals[behind.stop] - sums.totals[behind.start]
            calls += sums.call_totals[behind.stop] - sums.call_totals[behind.start]
    system = space.system_tokens
    if is_inside:
        system, within = _in_system(space, parts)
        summary += within
    tokens = {
        "system": system,
        "summary": summary,
        "recalled": recalled,
        "history": history,
        "input": question,
        "overhead": overhead_tokens(space, parts, thoughts),
    }
    if calls:
        tokens["tools"] = calls
    if names := names_tokens(space, parts):
        tokens["names"] = names
    return tokens


def _tokens_of(space: MemorySpace, piece: Messages) -> tuple[int, int]:
    """Tokens of the contents of messages, and of their calls."""
    start, stop, form = piece
    if (
        form is not None and stop - start == 1
    ):  # of a form for one message no sums are kept
        message = space.log.sent(start, form)
        return space.sums.counter(message.content), _call_tokens(
            space.sums.counter, message
        )
    sums = sums_of(space, form)
    return sums.totals[stop] - sums.totals[start], sums.call_totals[
        stop
    ] - sums.call_totals[start]


def sums_of(space: MemorySpace, form: Form | None) -> TokenSums:
    """The running sums of the log's messages in ``form``."""
    return (
        space.sums if form is None else space.log.token_sums(space.sums.counter, form)
    )


def reduced(space: MemorySpace, piece: Messages) -> Sequence[int]:
    """The log positions of those messages that are sent with less in them than they have."""
    start, stop, form = piece
    if form is None:
        return ()
    if stop - start == 1:
        return () if space.log.sent(start, form) is space.log[start] else (start,)
    sums = sums_of(space, form)
    return sums.changed_in(start, stop) if isinstance(sums, FormSums) else ()


def whole(space: MemorySpace, parts: Parts) -> Iterator[range]:
    """The log positions of the messages that are sent whole in their own place."""
    for piece in parts.messages:
        at = piece.start
        for position in reduced(space, piece):
            if at < position:
                yield range(at, position)
            at = position + 1
        if at < piece.stop:
            yield range(at, piece.stop)


def _call_tokens(counter: Counter, message: Message) -> int:
    return sum(
        counter(call.name) + counter(call.arguments) for call in message.tool_calls
    )


def _inside(
    space: MemorySpace, parts: Parts
) -> tuple[list[tuple[Piece, str]], list[tuple[Piece, str]]]:
    """What stands inside the system prompt before its words, and behind them, with the texts."""
    texts: dict[str, list[tuple[Piece, str]]] = {
        "before system": [],
        "behind system": [],
    }
    for piece in parts.pieces:
        if isinstance(piece, Notes) and piece.place != "message":
            texts[piece.place].append(
                (piece, space.summaries.text(piece.start, piece.stop))
            )
        elif isinstance(piece, Line) and piece.place != "message":
            texts[piece.place].append((piece, piece.message.content))
    return texts["before system"], texts["behind system"]


def _in_system(space: MemorySpace, parts: Parts) -> tuple[int, int]:
    """Tokens of the system prompt with what stands in it: its own and fixed words, and notes."""
    before, behind = _inside(space, parts)
    counter, own = space.sums.counter, space.system_messages[:1]
    prompt: list[tuple[Piece | None, str]] = [
        (None, message.content) for message in own
    ]
    texts = [*before, *prompt, *behind]
    # Joined by line breaks, where token counts add up exactly, so nothing is counted as a whole.
    units = [
        counter.units(text + "\n" * (number + 1 < len(texts)))
        for number, (_, text) in enumerate(texts)
    ]
    others = space.system_tokens - sum(counter(message.content) for message in own)
    written = sum(
        one
        for one, (piece, _) in zip(units, texts, strict=True)
        if isinstance(piece, Notes)
    )
    is_written = all(isinstance(piece, Notes) for piece, _ in texts)
    fixed = 0 if is_written else counter.tokens(sum(units) - written)
    return others + fixed, counter.tokens(sum(units)) - fixed


def build_context(
    memory: Memory,
    parts: Parts,
    tokens: dict[str, int],
    thoughts: tuple[Message, ...] = (),
) -> Context:
    """Materialize a request: its blocks with their messages, in the order in which they are sent. ``thoughts`` stand
    behind the input."""
    return Context(tuple(joined(_blocks(memory, parts, tokens, thoughts))))


def _blocks(
    memory: Memory, parts: Parts, tokens: dict[str, int], thoughts: tuple[Message, ...]
) -> Iterator[Block]:
    space = memory.space
    before, behind = _inside(space, parts)
    own = space.system_messages
    if own or before or behind:
        words = (
            [text for _, text in before]
            + [own[0].content for _ in own[:1]]
            + [text for _, text in behind]
        )
        whole = (
            replace(own[0], content="\n".join(words))
            if own
            else Message("system", "\n".join(words))
        )
        yield Block(
            "system",
            (whole, *own[1:]),
            tuple(range(space.system_stop)),
            tokens["system"],
        )
    inside = sum(
        isinstance(piece, Notes) and piece.place != "message" for piece in parts.pieces
    )
    for piece in parts.pieces:
        if isinstance(piece, Messages):
            kind: BlockKind = (
                "input"
                if parts.input and piece.start >= parts.input.start
                else "history"
            )
            said = tuple(space.log.sent(p, piece.form) for p in piece.positions)
            if said:
                yield Block(
                    kind, said, tuple(piece.positions), _tokens_of(space, piece)[0]
                )
        elif isinstance(piece, Picked):
            said = tuple(space.log[p] for p in piece.positions)
            yield Block(
                "recalled",
                said,
                piece.positions,
                sum(space.sums.between(p, p + 1) for p in piece.positions),
            )
        elif isinstance(piece, Notes):
            yield _notes_block(space, piece, tokens["summary"], inside)
        elif isinstance(piece, Line) and piece.place == "message":
            yield Block(
                "history",
                (piece.message,),
                (),
                space.sums.counter(piece.message.content),
            )
    if parts.tools or parts.exchange or thoughts:
        said = thoughts + tuple(space.log[p] for p in parts.exchange)
        yield Block("tools", said, tuple(parts.exchange), tokens.get("tools", 0))


def _notes_block(
    space: MemorySpace, piece: Notes, all_tokens: int, inside: int
) -> Block:
    covered = tuple(
        p
        for positions in space.summaries.covered(piece.start, piece.stop)
        for p in positions
    )
    text = space.summaries.text(piece.start, piece.stop)
    if piece.place == "message":
        return Block(
            "summary",
            (Message(piece.role, text),),
            covered,
            space.summaries.tokens(piece.start, piece.stop),
        )
    return Block(
        "summary",
        (),
        covered,
        all_tokens if inside == 1 else space.sums.counter(text),
        text,
    )
