"""The token counts of a request by its parts, and which messages are sent with less in
them than they have.

The parts of a request are ``system``, ``summary``, ``history``, ``recalled``, ``input``,
``tools``, ``names`` and ``overhead``; :func:`count_tokens_by_part` counts each. Counting needs
no texts where the log has running sums, so a request is counted before it is built.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from memviz.core.context import (
    TOKEN_PARTS,
    TOKENS_PER_MESSAGE,
    TOKENS_PER_REQUEST,
)
from memviz.core.counters import Counter
from memviz.core.forms import Form, Superseded
from memviz.core.memory import Memory, MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes, Picked, Piece
from memviz.core.token_sums import (
    FormSums,
    TokenSums,
    count_call_tokens,
    count_name_tokens,
)
from memviz.engine.parts import Parts, leave_out
from memviz.engine.schema_counts import count_offered_tokens, count_saved_tokens


def count_message_tokens(counter: Counter, message: Message) -> int:
    """Return the tokens of a message: its content, its speaker's name and its tool calls."""
    calls = count_call_tokens(counter, message.tool_calls)
    return counter(message.content) + calls + count_name_tokens(counter, message.name)


def count_messages(
    space: MemorySpace, parts: Parts, thoughts: Sequence[Message] = ()
) -> int:
    """Return the number of messages of a request.

    A text inside the system prompt is a message of its own only where there is no other
    system message.
    """
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


def _count_name_tokens(space: MemorySpace, parts: Parts) -> int:
    """Return the tokens of the speakers' names in a request."""
    totals = space.sums.name_totals
    # Nearly all logs name nobody.
    if not totals[-1]:
        return 0
    names = totals[space.system_stop]
    names += totals[parts.exchange.stop] - totals[parts.exchange.start]
    for piece in parts.messages:
        names += totals[piece.stop] - totals[piece.start]
    for position in parts.recalled:
        names += totals[position + 1] - totals[position]
    return names


def count_tokens_by_part(
    memory: Memory, parts: Parts, thoughts: Sequence[Message] = ()
) -> dict[str, int]:
    """Return the tokens of each part of a request.

    - ``system``, ``summary``, ``recalled``, ``history``, ``input``: the contents.
    - ``overhead``: what the chat format adds.
    - ``names``: the speakers' names, where there are any.
    - ``tools``: the schemas offered, all tool calls, and the messages behind the input
      (of the exchange that is open, and ``thoughts``), where there are any.
    """
    space = memory.space
    sums = space.sums
    tokens = dict.fromkeys(TOKEN_PARTS, 0)
    tokens["system"] = space.system_tokens
    messages = count_messages(space, parts, thoughts)
    tokens["overhead"] = TOKENS_PER_MESSAGE * messages + TOKENS_PER_REQUEST
    pieces = (*parts.pieces, *thoughts)
    tool_tokens = space.tool_tokens - count_saved_tokens(space, pieces, parts.tools)
    has_text_inside = False
    for piece in parts.pieces:
        if isinstance(piece, (Notes, Line)) and piece.place != "message":
            has_text_inside = True
            continue
        content_tokens, called_tokens = count_piece_tokens(space, piece)
        tokens[parts.kind_of(piece)] += content_tokens
        tool_tokens += called_tokens
    if has_text_inside:
        tokens["system"], notes_tokens = _count_system_tokens(space, parts)
        tokens["summary"] += notes_tokens
    if parts.tools:
        tool_tokens += count_offered_tokens(space, parts.tools)
    if parts.exchange:
        exchange = _count_tokens_between(
            sums, parts.exchange.start, parts.exchange.stop
        )
        tool_tokens += sum(exchange)
    for message in thoughts:
        tool_tokens += count_message_tokens(sums.counter, message)
    if tool_tokens:
        tokens["tools"] = tool_tokens
    names_tokens = _count_name_tokens(space, parts)
    if names_tokens:
        tokens["names"] = names_tokens
    return tokens


def count_piece_tokens(space: MemorySpace, piece: Piece) -> tuple[int, int]:
    """Return the tokens of the contents of a piece's messages, and of their tool calls."""
    sums = space.sums
    if isinstance(piece, Notes):
        return space.summaries.tokens(piece.start, piece.stop), 0
    if isinstance(piece, Picked):
        single = [
            Messages(position, position + 1, piece.form) for position in piece.positions
        ]
        counts = [count_piece_tokens(space, message) for message in single]
        return sum(content for content, _ in counts), sum(calls for _, calls in counts)
    if isinstance(piece, Line):
        message = piece.message
    else:
        start, stop, form = piece
        if form is None or stop - start != 1:
            return _count_tokens_between(sums_of(space, form), start, stop)
        # One message is counted by itself: sums of its form may not be kept.
        message = space.log.sent(start, form)
    tool_tokens = count_call_tokens(sums.counter, message.tool_calls)
    return sums.counter(message.content), tool_tokens


def _count_tokens_between(sums: TokenSums, start: int, stop: int) -> tuple[int, int]:
    """Return the tokens of the log's messages ``[start, stop)``: contents, and tool calls."""
    calls = sums.call_totals
    return sums.totals[stop] - sums.totals[start], calls[stop] - calls[start]


def sums_of(space: MemorySpace, form: Form | None) -> TokenSums:
    """Return the running sums of the tokens of the log's messages, sent in ``form``."""
    if form is None:
        return space.sums
    return space.log.token_sums(space.sums.counter, form)


def find_reduced_positions(space: MemorySpace, piece: Messages) -> Sequence[int]:
    """Return the log positions of the messages that ``piece`` sends with less in them."""
    start, stop, form = piece
    if form is None:
        return ()
    if stop - start == 1:
        return () if space.log.sent(start, form) is space.log[start] else (start,)
    sums = sums_of(space, form)
    return sums.changed_in(start, stop) if isinstance(sums, FormSums) else ()


def find_reduced_forms(space: MemorySpace, piece: Messages) -> dict[int, Form]:
    """Return the forms of the messages that ``piece`` reduces, by their log positions.

    A piece has one form, except where it is ``Superseded``: files that were read again
    later have another form than the rest.
    """
    positions = find_reduced_positions(space, piece)
    if piece.form is None:
        return {}
    if not isinstance(piece.form, Superseded):
        return dict.fromkeys(positions, piece.form)
    forms = ((at, space.log.form_at(at, piece.form)) for at in positions)
    return {position: form for position, form in forms if form is not None}


def find_whole_ranges(space: MemorySpace, parts: Parts) -> Iterator[range]:
    """Yield the ranges of log positions that are sent whole in their own place.

    With the message at 3 cleared, a piece of 0 to 5 gives ``range(0, 3)``, ``range(4, 6)``.
    """
    for piece in parts.messages:
        for whole in leave_out(piece, find_reduced_positions(space, piece)):
            yield whole.positions


def list_system_texts(
    space: MemorySpace, parts: Parts
) -> list[tuple[Piece | None, str]]:
    """Return the texts that make the first system message, each with its piece.

    The system prompt's own words have no piece:
    ``before system | own words | behind system``.
    """
    texts: dict[str, list[tuple[Piece | None, str]]] = defaultdict(list)
    for piece in parts.pieces:
        if isinstance(piece, Notes):
            text = space.summaries.text(piece.start, piece.stop)
            texts[piece.place].append((piece, text))
        elif isinstance(piece, Line):
            texts[piece.place].append((piece, piece.message.content))
    system_texts = [(None, message.content) for message in space.system_messages[:1]]
    return [*texts["before system"], *system_texts, *texts["behind system"]]


def _count_system_tokens(space: MemorySpace, parts: Parts) -> tuple[int, int]:
    """Return the tokens of the system prompt: of its own and fixed words, and of notes."""
    counter = space.sums.counter
    texts = list_system_texts(space, parts)
    # The texts are joined by line breaks, where token counts add up exactly: each line
    # can be counted by itself.
    all_units = 0
    notes_units = 0
    for number, (piece, text) in enumerate(texts, 1):
        line = text + "\n" if number < len(texts) else text
        line_units = counter.units(line)
        all_units += line_units
        if isinstance(piece, Notes):
            notes_units += line_units
    fixed_tokens = 0
    if not all(isinstance(piece, Notes) for piece, _ in texts):
        fixed_tokens = counter.tokens(all_units - notes_units)
    # The first system message is counted above, with the texts inside it.
    other_tokens = space.system_tokens
    for message in space.system_messages[:1]:
        other_tokens -= counter(message.content)
    return other_tokens + fixed_tokens, counter.tokens(all_units) - fixed_tokens
