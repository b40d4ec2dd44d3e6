"""Instructions for a summarizer, to choose from and to try against each other, and how it reads a conversation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memviz.core.messages import Message
from memviz.core.translation import noop

RUNNING_INSTRUCTION = (
    "Write one concise summary of the conversation below. Keep names, numbers, dates, decisions and "
    "open questions; where something changed, keep what holds now. Answer with the summary alone."
)

CHECKING_INSTRUCTION = (
    "Above is a conversation and your summary of it. Check the summary against the conversation: does it leave out "
    "details, paths, results of tools, or limits that the user set? If it does, write the whole summary again with "
    "them. If nothing is missing, repeat it word for word. Answer with the summary alone."
)


class SummarizerPrompt(NamedTuple):
    """An instruction, with its name and what it is good for in a line."""

    title: str
    purpose: str
    instruction: str


PROMPTS = (
    SummarizerPrompt(
        noop("Short"),
        noop("Cheap to send with every request; keeps only what matters most."),
        "Summarize the conversation below in at most 60 words. Keep the facts that a later answer may depend on: "
        "names, numbers, dates and decisions. Answer with the summary alone.",
    ),
    SummarizerPrompt(
        noop("Detailed"),
        noop("Loses less, and costs more with every request."),
        "Summarize the conversation below in at most 300 words. Leave out no name, number, date, place, code, "
        "preference or decision; leave out greetings and advice that was not taken. Answer with the summary alone.",
    ),
    SummarizerPrompt(
        noop("List of facts"),
        noop("One fact a line: easy to check and to edit."),
        "List every fact of the conversation below that a later answer may need, one to a line, each a full "
        "sentence with its exact numbers, names and dates. Where a fact was changed, keep only what holds now. "
        "Use at most 200 words. Answer with the list alone.",
    ),
    SummarizerPrompt(
        noop("State of the work"),
        noop("For assistants with a task: the goal, what was decided, what is open."),
        "Summarize the conversation below for somebody who takes over. Say in this order: what the user wants, what "
        "was decided and done, the facts and values in use, and what is still open. Use at most 200 words. Answer "
        "with the summary alone.",
    ),
    SummarizerPrompt(
        noop("What changed"),
        noop("Guards against outdated values."),
        "Summarize the conversation below in at most 120 words. Wherever a value, a date or a plan was changed, give "
        "the new one and say that it replaces the old one. Answer with the summary alone.",
    ),
)
"""They name a length, which the offline model obeys as well."""


def checking_request(request: Sequence[Message], summary: str) -> tuple[Message, ...]:
    """Return the request that asks the summarizer once more, beside the ``summary`` that it wrote on ``request``."""
    *others, last = request
    parts = [last.content, f"Your summary: {summary}", CHECKING_INSTRUCTION]
    return (*others, replace(last, content="\n\n".join(parts)))


def transcript_line(message: Message) -> str:
    """A message as the summarizer reads it: ``role: content``, and the tools it called."""
    return f"{message.role}: {transcript_text(message)}"


def transcript_text(message: Message) -> str:
    """The words of a message and the tools it called, without its role: ``Looking. [calls search {"word": "tea"}]``."""
    calls = [f" [calls {call.name} {call.arguments}]" for call in message.tool_calls]
    return message.content + "".join(calls)
