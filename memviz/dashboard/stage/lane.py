"""The pieces of a lane, and the texts of the stage.

Pieces stand in the order in which one request sends them; their tokens add up to the
request's own. Beside them stands what changed since the request before. The texts are in
the language of the reader: what the stage's script says, and what its colours mean.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import TOKENS_PER_MESSAGE
from memviz.core.memory import Memory, MemorySpace
from memviz.core.pieces import Line, Messages, Picked
from memviz.core.translation import _, script_words
from memviz.dashboard.charts.palette import (
    PART_COLORS,
    PART_TITLES,
    STEP_COLORS,
    STEP_TITLES,
)
from memviz.dashboard.stage.files import script
from memviz.dashboard.words import shorten
from memviz.dashboard.words.prices import BROKEN_BY
from memviz.engine.part_tokens import count_message_tokens, find_reduced_positions
from memviz.engine.parts import Parts
from memviz.engine.run import Run

Json = list[Any]
TEXT_CHARS = 160
ALL_TEXT_CHARS = 40_000
"""The characters of one message, and of all together."""
PIECE_KINDS = {
    "s": "system",
    "n": "summary",
    "h": "history",
    "r": "recalled",
    "i": "input",
    "l": "line",
    "f": "facts",
}
"""The kinds of pieces by their letters: parts of a request, lines of the rule's own words, and facts that were looked
up."""
Sizes = NDArray[np.int64]
Codes = NDArray[np.uint8]


def colors() -> dict[str, Any]:
    """Return the colours of parts of a request and of what becomes of a message, with their names, and the names of
    what breaks the cached prefix."""
    return {
        "parts": PART_COLORS,
        "fates": list(STEP_COLORS),
        "titles": [_(title) for title in STEP_TITLES],
        "names": {part: _(title) for part, title in PART_TITLES.items()},
        "broken": {breaker.value: _(name) for breaker, name in BROKEN_BY.items()},
    }


def own_words() -> dict[str, Any]:
    """Return the translations of what the script of the stage says, as a part of its data; nothing in English, which
    it has itself."""
    words = script_words(script())
    return {"words": words} if words else {}


def messages_of(run: Run, base: int, stop: int) -> list[Json]:
    """Return ``[role, tokens, text, turn]`` of the messages from ``base`` to ``stop``, with
    the beginnings of their texts."""
    chars = min(TEXT_CHARS, ALL_TEXT_CHARS // max(1, stop - base))
    sizes = message_sizes(run.space, len(run.log)).tolist()
    messages = []
    for position in range(base, stop):
        message = run.log[position]
        # Of a long message the beginning is enough: spaces in a row become one.
        text = shorten(message.content[: 4 * chars], chars)
        turn = run.log.turn_number(position)
        messages.append([message.role, sizes[position], text, turn])
    return messages


def message_sizes(space: MemorySpace, length: int) -> Sizes:
    """Return the tokens that each of the first ``length`` messages of the log takes of a request when it is sent
    whole: its content, its tool calls, its speaker's name, and what the chat format adds to a message."""
    arrays = space.sums.arrays
    totals = arrays.totals + arrays.call_totals + arrays.name_totals
    return np.diff(totals[: length + 1]) + TOKENS_PER_MESSAGE


def sent_sizes(memory: Memory, parts: Parts, whole: Sizes) -> Sizes:
    """Return the tokens that each message takes of one request: those of ``whole``, or fewer where it sends a message
    in a smaller form."""
    sizes = whole[: memory.length].copy()
    counter = memory.space.sums.counter
    for piece in parts.pieces:
        if isinstance(piece, Messages) and piece.form is not None:
            positions = find_reduced_positions(memory.space, piece)
        elif isinstance(piece, Picked) and piece.form is not None:
            positions = piece.positions
        else:
            continue
        for position in positions:
            message = memory.log.sent(position, piece.form)
            sizes[position] = (
                count_message_tokens(counter, message) + TOKENS_PER_MESSAGE
            )
    return sizes


def lane(
    memory: Memory, parts: Parts, tokens: dict[str, int], sizes: Sizes, base: int
) -> list[Json]:
    """Return pieces, each ``[kind, start, stop, tokens]``: of messages the log positions, of a summary the versions
    (0-based). Messages before ``base`` are one piece with their tokens; the tokens of all others, which are drawn one
    by one, stand in ``sizes`` and are left out here. What is missing to the tokens of the request belongs to no
    message: the tools that were offered, and what the chat format adds."""
    space = memory.space
    pieces: list[Json] = []
    notes_in_prompt = []
    # The tokens of all notes together, from which those that are messages of their own are taken away.
    tokens_in_prompt = tokens["summary"]
    input_start = parts.input.start if parts.input else memory.length
    for piece in parts.pieces:
        if isinstance(piece, Messages):
            kind = "i" if piece.start >= input_start else "h"
            # The system prompt stands in a piece of its own.
            start = max(piece.start, space.system_stop)
            pieces += _messages(kind, start, piece.stop, base, sizes)
        elif isinstance(piece, Picked):
            for position in piece.positions:
                pieces += _messages("r", position, position + 1, base, sizes)
        elif isinstance(piece, Line):
            text_tokens = space.sums.counter(piece.message.content)
            if piece.quotes:
                tokens_in_prompt -= text_tokens
            if piece.place == "message":
                letter = "f" if piece.quotes else "l"
                pieces.append([letter, 0, 0, text_tokens + TOKENS_PER_MESSAGE])
        elif piece.place == "message":
            text_tokens = space.summaries.tokens(piece.start, piece.stop)
            tokens_in_prompt -= text_tokens
            notes = ["n", piece.start, piece.stop, text_tokens + TOKENS_PER_MESSAGE]
            pieces.append(notes)
        else:
            notes = ["n", piece.start, piece.stop, 0]
            notes_in_prompt.append(notes)
            pieces.append(notes)
    if notes_in_prompt:
        # What is written into the system prompt is counted together, at the first of it.
        notes_in_prompt[0][3] = tokens_in_prompt
    if tokens["system"]:
        # Notes stand in a system message, even where the conversation has none.
        messages = max(space.system_count, bool(notes_in_prompt))
        system_tokens = tokens["system"] + TOKENS_PER_MESSAGE * messages
        pieces.insert(0, ["s", 0, space.system_stop, system_tokens])
    return pieces


def _messages(
    kind: str, start: int, stop: int, base: int, sizes: Sizes
) -> Iterator[Json]:
    """Yield the piece of the messages before ``base``, with their tokens, and that of the others."""
    if start < base:
        end = min(stop, base)
        yield [kind, start, end, int(sizes[start:end].sum())]
    if max(start, base) < stop:
        yield [kind, max(start, base), stop]


def changes(codes: Codes, before: Codes, base: int) -> list[list[int]]:
    """Return ``[start, stop, code]`` of the messages from ``base`` on whose code is another one than ``before``; what
    was not there before had none (0)."""
    codes_before = np.zeros(len(codes), np.int64)
    codes_before[: len(before)] = before[: len(codes)]
    # -1 where nothing is to be said; -2 at both ends, which is neither that nor a code, begins and ends a stretch.
    changed = np.where(codes != codes_before, codes.astype(np.int64), -1)
    changed[:base] = -1
    edges = np.flatnonzero(np.diff(np.r_[-2, changed, -2])).tolist()
    stretches = []
    for start, stop in pairwise(edges):
        if changed[start] >= 0:
            stretches.append([start, stop, int(changed[start])])
    return stretches


def resized_messages(
    sizes: Sizes, before: Sizes, whole: Sizes, base: int
) -> list[list[int]]:
    """Return ``[position, tokens]`` of the messages from ``base`` on that take other
    tokens than ``before``; what was not there before took those of ``whole``."""
    sizes_before = whole[: len(sizes)].copy()
    sizes_before[: len(before)] = before[: len(sizes)]
    resized = []
    for position in np.flatnonzero(sizes != sizes_before).tolist():
        if position >= base:
            resized.append([position, int(sizes[position])])
    return resized
