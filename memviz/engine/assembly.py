"""From a strategy's pieces to the exact request: what is sent in which order, token parts, blocks.

A recalled message that the strategy sends with less in it is made whole in its own place, and any other one stands
right before the input, so that a prompt cache can reuse what stands before that. A copy before the input of what stands
in the history anyway would say it twice, and part a tool's result from its call: providers reject that.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from memviz.core.context import (
    TOKENS_PER_MESSAGE,
    TOKENS_PER_REQUEST,
    Block,
    Context,
    joined,
)
from memviz.core.counters import Counter, FormSums, TokenSums, call_tokens, name_tokens
from memviz.core.forms import Form, Superseded
from memviz.core.memory import Memory, MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes, Picked, Piece
from memviz.engine.parts import Parts, restored_in, with_recalled, without_recalled
from memviz.engine.schema_counts import offered_tokens, saved_by_system_message


def assemble(
    memory: Memory,
    pieces: Sequence[Piece],
    recalled: Collection[int] = (),
    settled: int = 0,
) -> Parts:
    """The parts of the request for ``memory``. The input is always one of them, and nothing is sent twice.

    Rule 2 of all strategies: the user's message, or the results of the call that is open, is never swallowed. A
    strategy may send it in another form. ``recalled`` are log positions brought back besides those that the strategy
    picks: what stands in the history in a form is made whole there, and the rest stands right before the input.
    The first ``settled`` pieces stood so in an earlier request of the same run, and are not gone through again.
    """
    asked = memory.input
    stop = asked.start if asked else memory.length
    picked = set(Parts(tuple(pieces[settled:])).recalled)
    if picked:
        recalled = picked.union(recalled)
        pieces = without_recalled(pieces)
        settled = 0
    before = [*pieces[:settled]]
    formed: list[Messages] = []
    first = memory.history_start
    for piece in pieces[settled:]:
        if not isinstance(piece, Messages):
            before.append(piece)
            continue
        _add_history(before, piece, first, stop)
        if piece.form is not None and piece.stop > stop:
            formed.append(piece._replace(start=max(piece.start, stop)))
    if recalled:
        fresh = [
            position
            for position in recalled
            if position >= first
            and position not in asked
            and not _is_whole(memory, position, before)
        ]
        before = [*with_recalled(before, fresh)]
    before += input_pieces(asked, formed, recalled)
    return Parts(tuple(before), asked)


def _add_history(pieces: list[Piece], piece: Messages, first: int, stop: int) -> None:
    """Add what ``piece`` has of the history, the messages from ``first`` to ``stop``.

    Messages that follow on the last piece make it longer, so that a request has the
    same pieces whether it is kept as numbers or as it was made.
    """
    # Some strategies send hundreds of pieces, and nearly all stand as they are.
    start, end, form = piece
    last = pieces[-1] if pieces else None
    is_cut = start < first or end > stop
    if is_cut:
        start = max(start, first)
        end = min(end, stop)
    if start >= end:
        return
    if isinstance(last, Messages) and last.stop == start and last.form == form:
        pieces[-1] = last._replace(stop=end)
    elif is_cut:
        pieces.append(Messages(start, end, form))
    else:
        pieces.append(piece)


def _is_whole(memory: Memory, position: int, pieces: Sequence[Piece]) -> bool:
    log = memory.log
    for piece in pieces:
        if isinstance(piece, Messages) and piece.start <= position < piece.stop:
            return piece.form is None or log.sent(position, piece.form) is log[position]
    return False


def input_pieces(
    asked: range, formed: Sequence[Messages], recalled: Collection[int]
) -> Iterator[Messages]:
    """The input: the messages that are ``formed`` in their forms, and whole all others and those that are recalled."""
    at = asked.start
    for piece in _still_in_form(formed, recalled):
        if at < piece.start:
            yield Messages(at, piece.start)
        yield piece
        at = piece.stop
    if at < asked.stop:
        yield Messages(at, asked.stop)


def _still_in_form(
    pieces: Sequence[Messages], recalled: Collection[int]
) -> Iterator[Messages]:
    """The pieces of the input that stay in a form: a message that is recalled is sent whole in its place, as input."""
    for piece in pieces:
        here = {position for position in recalled if position in piece.positions}
        for part in restored_in(piece, here):
            if isinstance(part, Messages):
                yield part


def message_tokens(counter: Counter, message: Message) -> int:
    """Tokens of a message: its content, the name of its speaker, and the names and arguments of its tool calls."""
    calls = call_tokens(counter, message.tool_calls)
    return counter(message.content) + calls + name_tokens(counter, message.name)


def message_count(
    space: MemorySpace, parts: Parts, thoughts: Sequence[Message] = ()
) -> int:
    """Return the number of messages of a request. What stands inside the system prompt makes one of its own only where
    there is no other."""
    system = space.system_count
    sent = len(parts.exchange) + len(thoughts)
    for piece in parts.pieces:
        if isinstance(piece, (Messages, Picked)):
            sent += len(piece.positions)
        elif piece.place == "message":
            sent += 1
        else:
            system = max(system, 1)
    return sent + system


def overhead_tokens(
    space: MemorySpace, parts: Parts, thoughts: Sequence[Message] = ()
) -> int:
    """Return what the chat format adds to the messages of a request, and to the request."""
    messages = message_count(space, parts, thoughts)
    return TOKENS_PER_MESSAGE * messages + TOKENS_PER_REQUEST


def names_tokens(space: MemorySpace, parts: Parts) -> int:
    """Return the tokens of the names of all who speak in a request."""
    totals = space.sums.name_totals
    if not totals[-1]:  # nearly all logs name nobody
        return 0
    names = totals[space.system_stop]
    names += totals[parts.exchange.stop] - totals[parts.exchange.start]
    for piece in parts.messages:
        names += totals[piece.stop] - totals[piece.start]
    for position in parts.recalled:
        names += totals[position + 1] - totals[position]
    return names


def count(
    memory: Memory, parts: Parts, thoughts: Sequence[Message] = ()
) -> dict[str, int]:
    """Tokens of each part of a request: content by block, the chat format's overhead, under ``names`` those of all who
    speak, and under ``tools`` the schemas offered, all tool calls, and what was said behind the input."""
    space = memory.space
    sums = space.sums
    tokens = {
        "system": space.system_tokens,
        "summary": 0,
        "recalled": 0,
        "history": 0,
        "input": 0,
        "overhead": overhead_tokens(space, parts, thoughts),
    }
    calls = space.tool_tokens - saved_by_system_message(
        space, (*parts.pieces, *thoughts), parts.tools
    )
    has_text_inside = False
    for piece in parts.pieces:
        if isinstance(piece, (Notes, Line)) and piece.place != "message":
            has_text_inside = True
            continue
        content, called = _tokens_of(space, piece)
        tokens[parts.kind_of(piece)] += content
        calls += called
    if has_text_inside:
        tokens["system"], written = _tokens_in_system(space, parts)
        tokens["summary"] += written
    if parts.tools:
        calls += offered_tokens(space, parts.tools)
    if parts.exchange:
        calls += sum(_tokens_between(sums, parts.exchange.start, parts.exchange.stop))
    for message in thoughts:
        calls += message_tokens(sums.counter, message)
    if calls:
        tokens["tools"] = calls
    names = names_tokens(space, parts)
    if names:
        tokens["names"] = names
    return tokens


def _tokens_of(space: MemorySpace, piece: Piece) -> tuple[int, int]:
    """Tokens of the contents of a piece's messages, and of their calls."""
    sums = space.sums
    if isinstance(piece, Messages):
        start, stop, form = piece
        if form is None:
            return _tokens_between(sums, start, stop)
        if stop - start != 1:
            return _tokens_between(sums_of(space, form), start, stop)
        message = space.log.sent(start, form)  # of such a form no sums are kept
    elif isinstance(piece, Notes):
        return space.summaries.tokens(piece.start, piece.stop), 0
    elif isinstance(piece, Picked):
        found = [_tokens_between(sums, p, p + 1) for p in piece.positions]
        return sum(content for content, _ in found), sum(calls for _, calls in found)
    else:
        message = piece.message
    calls = call_tokens(sums.counter, message.tool_calls)
    return sums.counter(message.content), calls


def _tokens_between(sums: TokenSums, start: int, stop: int) -> tuple[int, int]:
    """Tokens of the contents of the log's messages at ``[start, stop)``, and of their calls."""
    calls = sums.call_totals
    return sums.totals[stop] - sums.totals[start], calls[stop] - calls[start]


def sums_of(space: MemorySpace, form: Form | None) -> TokenSums:
    """The running sums of the log's messages in ``form``."""
    if form is None:
        return space.sums
    return space.log.token_sums(space.sums.counter, form)


def reduced(space: MemorySpace, piece: Messages) -> Sequence[int]:
    """The log positions of those messages that are sent with less in them than they have."""
    start, stop, form = piece
    if form is None:
        return ()
    if stop - start == 1:
        return () if space.log.sent(start, form) is space.log[start] else (start,)
    sums = sums_of(space, form)
    return sums.changed_in(start, stop) if isinstance(sums, FormSums) else ()


def reduced_forms(space: MemorySpace, piece: Messages) -> dict[int, Form]:
    """The forms of these messages, by their log positions. In one piece reads that were read again have another."""
    positions = reduced(space, piece)
    if piece.form is None:
        return {}
    if not isinstance(piece.form, Superseded):
        return dict.fromkeys(positions, piece.form)
    forms = ((at, space.log.form_at(at, piece.form)) for at in positions)
    return {position: form for position, form in forms if form is not None}


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


def _texts_in_system(
    space: MemorySpace, parts: Parts
) -> list[tuple[Piece | None, str]]:
    """The texts that make the first message of the system prompt, each with its piece: its own words have none."""
    texts: dict[str, list[tuple[Piece | None, str]]] = {
        "before system": [],
        "behind system": [],
    }
    for piece in parts.pieces:
        if isinstance(piece, Notes) and piece.place != "message":
            text = space.summaries.text(piece.start, piece.stop)
            texts[piece.place].append((piece, text))
        elif isinstance(piece, Line) and piece.place != "message":
            texts[piece.place].append((piece, piece.message.content))
    own = [(None, message.content) for message in space.system_messages[:1]]
    return [*texts["before system"], *own, *texts["behind system"]]


def _tokens_in_system(space: MemorySpace, parts: Parts) -> tuple[int, int]:
    """Tokens of the system prompt with what stands in it: its own and fixed words, and notes."""
    counter = space.sums.counter
    texts = _texts_in_system(space, parts)
    # Joined by line breaks, where token counts add up exactly, so nothing is counted as a whole.
    units = written = 0
    for number, (piece, text) in enumerate(texts, 1):
        line = text + "\n" if number < len(texts) else text
        line_units = counter.units(line)
        units += line_units
        if isinstance(piece, Notes):
            written += line_units
    fixed = 0
    if not all(isinstance(piece, Notes) for piece, _ in texts):
        fixed = counter.tokens(units - written)
    others = space.system_tokens
    for message in space.system_messages[:1]:
        others -= counter(message.content)
    return others + fixed, counter.tokens(units) - fixed


def build_context(
    memory: Memory,
    parts: Parts,
    tokens: dict[str, int],
    thoughts: tuple[Message, ...] = (),
) -> Context:
    """Materialize a request: its blocks with their messages, in the order in which they are sent. ``thoughts`` stand
    behind the input."""
    space = memory.space
    blocks = [*_system_blocks(space, parts, tokens)]
    for piece in parts.pieces:
        if isinstance(piece, Notes):
            blocks.append(_notes_block(space, parts, piece, tokens))
            continue
        said, positions = _said(space, piece)
        if isinstance(piece, Line) and piece.quotes:
            positions = _quoted_positions(space, piece)
        if said:
            content, _ = _tokens_of(space, piece)
            blocks.append(Block(parts.kind_of(piece), said, positions, content))
    if parts.tools or parts.exchange or thoughts:
        exchange = tuple(parts.exchange)
        said = thoughts + tuple(space.log[p] for p in exchange)
        blocks.append(Block("tools", said, exchange, tokens.get("tools", 0)))
    return Context(tuple(joined(blocks)))


def _system_blocks(
    space: MemorySpace, parts: Parts, tokens: dict[str, int]
) -> Iterator[Block]:
    texts = [text for _, text in _texts_in_system(space, parts)]
    if texts:
        own = space.system_messages
        first = own[0] if own else Message("system", "")
        said = (replace(first, content="\n".join(texts)), *own[1:])
        yield Block("system", said, tuple(range(space.system_stop)), tokens["system"])


def _said(
    space: MemorySpace, piece: Messages | Picked | Line
) -> tuple[tuple[Message, ...], tuple[int, ...]]:
    """The messages of a piece and their log positions; nothing of a line inside the system prompt."""
    log = space.log
    if isinstance(piece, Line):
        return ((piece.message,) if piece.place == "message" else ()), ()
    positions = tuple(piece.positions)
    if isinstance(piece, Picked):
        return tuple(log[p] for p in positions), positions
    return tuple(log.sent(p, piece.form) for p in positions), positions


def _quoted_positions(space: MemorySpace, piece: Line) -> tuple[int, ...]:
    """The log positions of the messages whose facts a line tells."""
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
        said = (Message(piece.role, text),)
        content = space.summaries.tokens(*versions)
        return Block("summary", said, tuple(covered), content)
    inside = sum(notes.place != "message" for notes in parts.notes)
    # Line breaks that join it to the system prompt count with it where it is the only one.
    content = tokens["summary"] if inside == 1 else space.sums.counter(text)
    return Block("summary", (), tuple(covered), content, text)
