"""The blocks of a request with their messages, built from its parts in the order in
which they are sent."""

from collections.abc import Iterator
from dataclasses import replace

from memviz.core.context import Block, Context, joined
from memviz.core.memory import Memory, MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes, Picked
from memviz.engine.part_tokens import count_piece_tokens, list_system_texts
from memviz.engine.parts import Parts


def build_context(
    memory: Memory,
    parts: Parts,
    tokens: dict[str, int],
    thoughts: tuple[Message, ...] = (),
) -> Context:
    """Return a request with its messages, block by block in the order of sending.

    ``tokens`` are its counts by part; ``thoughts`` stand behind the input.
    """
    space = memory.space
    blocks = [*_system_blocks(space, parts, tokens)]
    for piece in parts.pieces:
        if isinstance(piece, Notes):
            blocks.append(_notes_block(space, parts, piece, tokens))
            continue
        messages, positions = _messages_of(space, piece)
        if isinstance(piece, Line) and piece.quotes:
            positions = _quoted_positions(space, piece)
        if messages:
            content, _ = count_piece_tokens(space, piece)
            blocks.append(Block(parts.kind_of(piece), messages, positions, content))
    if parts.tools or parts.exchange or thoughts:
        exchange = tuple(parts.exchange)
        behind_input = thoughts + tuple(space.log[p] for p in exchange)
        blocks.append(Block("tools", behind_input, exchange, tokens.get("tools", 0)))
    return Context(tuple(joined(blocks)))


def _system_blocks(
    space: MemorySpace, parts: Parts, tokens: dict[str, int]
) -> Iterator[Block]:
    texts = [text for _, text in list_system_texts(space, parts)]
    if texts:
        system_messages = space.system_messages
        first = system_messages[0] if system_messages else Message("system", "")
        messages = (replace(first, content="\n".join(texts)), *system_messages[1:])
        positions = tuple(range(space.system_stop))
        yield Block("system", messages, positions, tokens["system"])


def _messages_of(
    space: MemorySpace, piece: Messages | Picked | Line
) -> tuple[tuple[Message, ...], tuple[int, ...]]:
    """Return the messages of a piece and their log positions.

    A line has no log position; one inside the system prompt has no message either.
    """
    log = space.log
    if isinstance(piece, Line):
        is_message = piece.place == "message"
        return ((piece.message,) if is_message else ()), ()
    positions = tuple(piece.positions)
    return tuple(log.sent(p, piece.form) for p in positions), positions


def _quoted_positions(space: MemorySpace, piece: Line) -> tuple[int, ...]:
    """Return the log positions of the messages whose facts a line tells."""
    versions = {quote.version for quote in piece.quotes}
    covered = (space.summaries.versions[version].covers for version in versions)
    return tuple(sorted({position for part in covered for position in part}))


def _notes_block(
    space: MemorySpace, parts: Parts, piece: Notes, tokens: dict[str, int]
) -> Block:
    versions = piece.start, piece.stop
    covered: list[int] = []
    for positions in space.summaries.covered(*versions):
        covered += positions
    text = space.summaries.text(*versions)
    if piece.place == "message":
        message = Message(piece.role, text)
        content = space.summaries.tokens(*versions)
        return Block("summary", (message,), tuple(covered), content)
    count_inside = sum(notes.place != "message" for notes in parts.notes)
    # The only summary inside the system prompt is counted with the line breaks that join
    # it to the prompt.
    content = tokens["summary"] if count_inside == 1 else space.sums.counter(text)
    return Block("summary", (), tuple(covered), content, text)
