"""From the items of a file to the messages of one conversation, with what is odd about them noted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from memviz.conversation import Log, Message
from memviz.errors import MessageError, TranscriptError
from memviz.transcripts.chat_messages import read_message
from memviz.transcripts.findings import Findings

MAX_REASONS = 3


def read_items(
    items: Sequence[object], places: Sequence[str], findings: Findings
) -> tuple[tuple[Message, ...], dict[int, int]]:
    """The messages that ``items`` describe, and for each item that is one its position among them.

    ``places`` says for every item where it stands in the file ("index 3", "line 4"). An item that
    is no message is left out and counted in a warning. Raises :class:`TranscriptError` if none is.
    """
    messages: list[Message] = []
    positions: dict[int, int] = {}
    left_out: list[str] = []
    for index, (item, place) in enumerate(zip(items, places, strict=True)):
        try:
            message = read_message(item, partial(findings.note, place=place))
        except MessageError as error:
            left_out.append(f"{place} {error}")
            continue
        positions[index] = len(messages)
        messages.append(message)
    _note_left_out(left_out, len(items), findings)
    _note_oddities(messages, [places[index] for index in positions], findings)
    return tuple(messages), positions


def _note_left_out(left_out: list[str], total: int, findings: Findings) -> None:
    if not total:
        raise TranscriptError("the list of messages is empty.", remedy="Choose a file with at least one message.")
    more = f", and {len(left_out) - MAX_REASONS} more" if len(left_out) > MAX_REASONS else ""
    reasons = ", ".join(left_out[:MAX_REASONS]) + more
    if len(left_out) == total:
        remedy = "Every message needs a role (system, user, assistant or tool) and a content."
        raise TranscriptError(f"none of the {total} messages can be read: {reasons}.", remedy=remedy)
    if left_out:
        findings.note(f"imported {total - len(left_out)} of {total} messages: {reasons}")


def _note_oddities(messages: list[Message], places: list[str], findings: Findings) -> None:
    if not any(message.role == "user" for message in messages):
        findings.note("there is no user message, so no turn to replay")
    tools = Log(messages).tools
    for position in tools.uncalled:
        findings.note("a tool result answers no call before it", places[position])
    last_word = max((i for i, message in enumerate(messages) if message.role != "tool"), default=0)
    for caller, results in tools.results_of.items():
        if caller != last_word and len(results) < len(messages[caller].tool_calls):
            findings.note("a tool call has no result", places[caller])
