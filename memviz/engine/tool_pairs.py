"""Keeps tool calls and their results together in a request.

A provider rejects a tool result whose call is not in the request, and a call whose result is not. With
``repair_tool_pairs`` each request goes through :func:`complete_tool_pairs`, and a record is flagged where
:func:`find_orphaned_results` finds any.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence, Set

from memviz.core.conversation import Log
from memviz.core.forms import Form, WithCalls
from memviz.core.pieces import Messages, Picked, Piece, joined
from memviz.core.summaries import SummaryLog
from memviz.engine.parts import Parts, leave_out


def find_orphaned_results(log: Log, parts: Parts, summaries: SummaryLog) -> list[int]:
    """Return the positions of sent tool results whose calling message is not sent before them.

    A call inside a block that the provider wrote counts as sent: the provider compacted call and result, and accepts
    both.
    """
    call_of = log.tools.call_of
    history = (*parts.history, *find_provider_blocks(parts, summaries))
    # The block that stands right before the input.
    recalled = [p for p in parts.recalled if p not in parts.restored]
    orphaned = []
    # A tool's results are the input of the request that follows them.
    positions_sent = joined((*parts.history, parts.input))
    for position in _find_possible_orphans(log, positions_sent):
        caller = call_of[position]
        is_recalled = position in parts.input and caller in recalled
        if not is_recalled and not _is_in_history(caller, history):
            orphaned.append(position)
    # In the history the call of a recalled result has another answer, or none.
    for position in recalled:
        if position in call_of and call_of[position] not in recalled:
            orphaned.append(position)
    return orphaned


def find_provider_blocks(parts: Parts, summaries: SummaryLog) -> tuple[range, ...]:
    """Return the log positions that are sent as blocks which only the provider can read."""
    blocks: list[range] = []
    for notes in parts.notes:
        blocks += summaries.opaque(notes.start, notes.stop)
    return tuple(blocks)


def _find_possible_orphans(log: Log, history: Sequence[range]) -> Iterator[int]:
    for positions in history:
        # Nothing lies before the start of the log, so there only results without any call are orphans.
        candidates = log.tools.results if positions.start else log.tools.uncalled
        yield from _slice_positions(candidates, positions)


def _find_possibly_unanswered(
    log: Log, history: Sequence[range], asked: range
) -> Iterator[int]:
    for positions in history:
        if positions.stop == asked.start:
            # The results of its calls stand in it or in the input, but for these few.
            for caller in log.tools.unanswered:
                if caller in positions:
                    yield caller
            yield from _slice_positions(log.tools.late, positions)
        else:
            yield from _slice_positions(log.tools.callers, positions)


def complete_tool_pairs(
    log: Log, parts: Parts, asked_for: Collection[int] = ()
) -> Parts:
    """Return ``parts`` with only those calls and results whose other half is sent as well.

    - Of a message whose calls have no result its text stays, and so do the calls that have one; also of a recalled one.
    - The input is always sent, so the call that it answers is pulled in where it would be missing; of the input only
      results without a call are left out.
    - ``asked_for`` is what was recalled, also of what the history holds anyway. Where that cannot stay in its own
      place, it stands before the input: of a call in the history whose result is not there, call and result both, if
      both were recalled.
    - In a tool loop recalled messages stand before the turn's question: between a call and its result a provider
      refuses them, and there a prompt cache keeps them for the rest of the loop.
    """
    asked_for = set(asked_for)
    pieces = _add_calls_of_input(log, parts)
    dropped, answered = _find_incomplete(log, pieces, parts.input, asked_for)
    history: list[Messages] = []
    for piece in pieces:
        for part in leave_out(
            piece, _slice_positions(sorted(dropped), piece.positions)
        ):
            history += _keep_answered_calls(part, answered)
    before_input, asked = _leave_out_uncalled_results(log, parts.asked)

    # What was recalled and has no place in the history stands before the input.
    in_place = [piece.positions for piece in history]
    recalled = {*parts.recalled, *dropped.intersection(asked_for)}
    moved = {p for p in recalled if not _is_in_history(p, in_place)}
    forms = _choose_recalled_forms(log, moved)
    restored = [p for p in parts.restored if p not in dropped and p not in answered]
    mended = parts.with_messages([*history, *before_input], asked)
    with_moved = mended.with_recalled([*restored, *forms], forms)
    return _move_recalled_before_turn(log, with_moved)


def _find_incomplete(
    log: Log, pieces: Sequence[Messages], asked: range, asked_for: Set[int]
) -> tuple[set[int], dict[int, WithCalls]]:
    """Return the messages of the history to leave out, and the calling messages to send with their answered calls
    alone.

    ``pieces`` are the history, and ``asked`` is the input. Both results go by log positions.
    """
    tools = log.tools
    history = joined([piece.positions for piece in pieces])
    ranges_sent = (*history, asked)
    dropped = set[int]()
    for position in _find_possible_orphans(log, history):
        if not _is_in_history(tools.call_of[position], history):
            dropped.add(position)
    answered: dict[int, WithCalls] = {}
    for caller in _find_possibly_unanswered(log, history, asked):
        results = [
            p for p in tools.results_of[caller] if _is_in_history(p, ranges_sent)
        ]
        if len(results) == len(log[caller].tool_calls):
            continue
        exchange = {caller, *tools.results_of[caller]}
        is_cut = len(results) < len(tools.results_of[caller])
        if is_cut and exchange <= asked_for and exchange.isdisjoint(asked):
            # In the history a part of it would lack its other half.
            dropped |= exchange
            continue
        numbers = _find_answered_calls(log, caller, results)
        if numbers or log[caller].content.strip():
            answered[caller] = WithCalls(numbers)
        else:
            dropped.add(caller)
    return dropped, answered


def has_split_pair(log: Log, parts: Parts) -> bool:
    """Return whether recalled messages stand between a call and its result in the input."""
    return bool(_find_splitting_block(log, parts))


def _move_recalled_before_turn(log: Log, parts: Parts) -> Parts:
    """Return the request with its recalled messages before the open turn, if they would split a call from its
    result."""
    block = _find_splitting_block(log, parts)
    if not block:
        return parts
    start = log.turn_start(log.turn_number(parts.input.start))
    before_turn: list[Piece] = []
    of_turn: list[Piece] = []
    for piece in parts.pieces:
        if piece in block:
            continue
        if isinstance(piece, Messages) and piece.start < start < piece.stop:
            before_turn.append(piece._replace(stop=start))
            piece = piece._replace(start=start)
        if (
            isinstance(piece, Messages | Picked) and piece.positions[0] >= start
        ) or of_turn:
            of_turn.append(piece)
        else:
            before_turn.append(piece)
    return parts._replace(pieces=(*before_turn, *block, *of_turn))


def _find_splitting_block(log: Log, parts: Parts) -> list[Picked]:
    """Return the recalled messages that stand between a call and its result, outside of their own places; else none."""
    block: list[Picked] = []
    for piece in parts.pieces:
        if isinstance(piece, Picked) and piece.instead_of is None:
            block.append(piece)
    if not block:
        return []
    before = Parts(parts.pieces[: parts.pieces.index(block[0])]).history
    results = _slice_positions(log.tools.results, parts.input)
    splits_pair = any(
        _is_in_history(log.tools.call_of[position], before) for position in results
    )
    return block if splits_pair else []


def _find_answered_calls(
    log: Log, caller: int, results: Sequence[int]
) -> tuple[int, ...]:
    """Return the numbers of the calls of a message that ``results`` answer. A result without an id answers the last
    open call."""
    calls = log[caller].tool_calls
    open_calls = [*range(len(calls))]
    for position in results:
        id = log[position].tool_call_id
        fitting = [number for number in open_calls if not id or calls[number].id == id]
        if fitting:
            open_calls.remove(fitting[-1])
    return tuple(number for number in range(len(calls)) if number not in open_calls)


def _keep_answered_calls(
    piece: Messages, answered: Mapping[int, WithCalls]
) -> list[Messages]:
    """The messages of ``piece`` in order, each with calls without a result in its form of ``answered``."""
    callers = sorted(p for p in answered if p in piece.positions)
    formed = [Messages(caller, caller + 1, answered[caller]) for caller in callers]
    parts = [*leave_out(piece, callers), *formed]
    return sorted(parts, key=lambda part: part.start)


def _leave_out_uncalled_results(
    log: Log, asked: Sequence[Messages]
) -> tuple[list[Messages], list[Messages]]:
    """The input without results that answer no call: those before its last messages in a row, and these. One that is
    nothing else stays as it is."""
    pieces: list[Messages] = []
    for piece in asked:
        pieces += leave_out(
            piece, _slice_positions(log.tools.uncalled, piece.positions)
        )
    if not pieces:
        return [], [*asked]
    first = len(pieces) - 1
    while first and pieces[first - 1].stop == pieces[first].start:
        first -= 1
    return pieces[:first], pieces[first:]


def _add_calls_of_input(log: Log, parts: Parts) -> list[Messages]:
    """Return the history, with the calling message of each tool result in the input added where it is missing."""
    bare = parts.with_recalled(())
    pieces = [piece for piece in bare.messages if bare.kind_of(piece) == "history"]
    for position in _slice_positions(log.tools.results, parts.input):
        caller = log.tools.call_of[position]
        if caller is None or any(caller in piece.positions for piece in pieces):
            continue
        pieces.append(Messages(caller, caller + 1))
        pieces.sort(key=lambda piece: piece.start)
    return pieces


def _choose_recalled_forms(
    log: Log, recalled: Collection[int]
) -> dict[int, Form | None]:
    """Return the form of each recalled message that can be sent, by log position; ``None`` for one that is sent whole.

    Results without their call are left out, and so are messages without text whose calls have no result.
    """
    tools = log.tools
    forms: dict[int, Form | None] = {}
    for position in sorted(recalled):
        calls = log[position].tool_calls
        if not calls:
            # A call stands before its results.
            if position not in tools.call_of or tools.call_of[position] in forms:
                forms[position] = None
            continue
        results = [p for p in tools.results_of[position] if p in recalled]
        numbers = _find_answered_calls(log, position, results)
        if len(numbers) == len(calls):
            forms[position] = None
        elif numbers or log[position].content.strip():
            forms[position] = WithCalls(numbers)
    return forms


def _slice_positions(
    sorted_positions: Sequence[int], positions: range
) -> Sequence[int]:
    low = bisect_left(sorted_positions, positions.start)
    return sorted_positions[low : bisect_left(sorted_positions, positions.stop, low)]


def _is_in_history(position: int | None, history: Sequence[range]) -> bool:
    return position is not None and any(position in part for part in history)
