"""The words for the model around its rounds of thinking, and the arguments that it wrote for a memory tool, read
with care: models write anything."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.core.bounds import quoted, read_json
from memviz.core.errors import RecallError
from memviz.core.messages import Message
from memviz.engine.recall import MAX_NUMBERS, Recall

THINKING_INSTRUCTION = Message(
    "system",
    "Before you answer, think. Nobody reads these thoughts, and they are not your answer. What does the user want, "
    "what of it do you know from what you were sent, what is missing? Recall it if you can. End every round with "
    "continue_thinking; when you stop, give the summary of this turn that you want to remember it by.",
)
THINKING_ENDED = Message("system", "Your time to think is over. Answer the user now.")


RECALL_ARGUMENTS = {
    "turn_numbers": "turns",
    "message_indices": "messages",
    "last_n": "last_n",
}
"""The tool's arguments by the names that :class:`memviz.Recall` has for them."""
LISTS = ("turn_numbers", "message_indices")
GO_ON_NAMES = ("continue_thinking", "continueThinking", "should_continue", "continue")
"""The spellings of the thinking tool's flag that are understood."""


class Decision(NamedTuple):
    """The end of a round of thinking: whether another one is wanted, and the turn's summary if there is one."""

    go_on: bool
    summary: str = ""


def read_recall(arguments: str) -> Recall:
    """The recall that the tool's JSON arguments ask for.

    Raises :class:`RecallError` with a sentence that tells the model what to write instead.
    """
    values = _read_object(arguments)
    names = ", ".join(RECALL_ARGUMENTS)
    unknown = sorted(set(values) - set(RECALL_ARGUMENTS))
    if unknown:
        raise RecallError(
            f"There is no argument {quoted(unknown[0])}; there are {names}."
        )
    fields: dict[str, Any] = {}
    for name, field in RECALL_ARGUMENTS.items():
        value = values.get(name)
        if not _is_left_out(name, value):
            fields[field] = _read_numbers(name, value) if name in LISTS else value
    if not any(fields.values()):
        raise RecallError(f"Nothing was asked for: give at least one of {names}.")
    return Recall(**fields)


def read_decision(arguments: str) -> Decision:
    """The decision in the thinking tool's JSON arguments. Raises :class:`RecallError` like :func:`read_recall`."""
    values = _read_object(arguments)
    go_on = next((values[name] for name in GO_ON_NAMES if name in values), None)
    if not isinstance(go_on, bool):
        raise RecallError("continue_thinking has to be true or false.")
    summary = values.get("summary") or ""
    if not isinstance(summary, str):
        raise RecallError("summary has to be text.")
    return Decision(go_on, summary.strip())


def _is_left_out(name: str, value: Any) -> bool:
    """Many models fill in every argument: with null, an empty list, or 0 for ``last_n``."""
    if name == "last_n" and value == 0:
        return value is not False
    return value is None or value == []


def _read_object(arguments: str) -> Mapping[str, Any]:
    try:
        value = read_json(arguments or "{}")
    except ValueError as error:
        raise RecallError(
            f"The arguments are not a JSON object ({str(error).rstrip('.')})."
        ) from None
    if not isinstance(value, dict):
        raise RecallError("The arguments are not a JSON object.")
    return value


def _read_numbers(name: str, value: Any) -> list[int]:
    # Some models write 3 for [3].
    values = value if isinstance(value, list) else [value]
    for number in values:
        if not isinstance(number, int) or isinstance(number, bool):
            raise RecallError(f"{name} has to be a list of whole numbers.")
    if len(values) > MAX_NUMBERS:
        raise RecallError(f"{name} may name at most {MAX_NUMBERS:,} numbers.")
    return values
