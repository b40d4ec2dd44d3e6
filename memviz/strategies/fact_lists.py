"""The common part of strategies that list what was said: the prompt that asks for facts, and lists that are
condensed."""

from collections.abc import Sequence

from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.summaries import SummaryVersion
from memviz.strategies.base import Write
from memviz.strategies.prompts import transcript_line

EXTRACT = (
    "Extract facts from the conversation below: what the user told and what was found out, such as preferences, "
    "personal details, requirements, constraints, names, numbers, dates and decisions. Only what was said, no "
    "opinions and no summaries, and nothing that the known facts hold already."
)
FORMAT = (
    "Answer with the facts alone, each in a <fact>, in this form; with <facts></facts> where there are none:\n"
    "<facts>\n  <fact>first fact</fact>\n  <fact>second fact</fact>\n</facts>"
)


def facts_request(
    instruction: str, known: str, form: str, messages: Sequence[Message]
) -> tuple[Message, ...]:
    """Return one user message: the instruction, the facts that are known, the form of the answer, and the messages."""
    existing = f"<existing_facts>\n{known}\n</existing_facts>"
    lines = "\n".join(map(transcript_line, messages))
    return (Message("user", "\n\n".join([instruction, existing, form, lines])),)


def is_condensing(effect: Write) -> bool:
    """True if a shorter list is to be made of the facts that were just found in the same messages."""
    return effect.replaces is not None and effect.replaces.added == effect.summarize


def is_condensed(facts: SummaryVersion, memory: Memory) -> bool:
    """True if a list was made of the one before alone, and of no messages."""
    if facts.replaces is None:
        return False
    return memory.space.summaries.versions[facts.replaces - 1].added == facts.added
