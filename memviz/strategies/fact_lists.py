"""The common part of strategies that keep lists of facts: the prompt for new facts, and the checks for condensing.

A list that became too long is condensed by a second call of the summarizer, right after the facts were added.
"""

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


def build_facts_request(
    instruction: str, known: str, form: str, messages: Sequence[Message]
) -> tuple[Message, ...]:
    """Return one user message: the instruction, the facts that are known, the form of the answer, and the messages."""
    existing = f"<existing_facts>\n{known}\n</existing_facts>"
    lines = "\n".join(map(transcript_line, messages))
    return (Message("user", "\n\n".join([instruction, existing, form, lines])),)


def is_condensing(effect: Write) -> bool:
    """Return whether ``effect`` condenses the list that it replaces: it has no messages of its own."""
    return effect.replaces is not None and effect.replaces.added == effect.summarize


def is_condensed(facts: SummaryVersion, memory: Memory) -> bool:
    """Return whether a list was made by condensing the one before it."""
    if facts.replaces is None:
        return False
    return memory.space.summaries.versions[facts.replaces - 1].added == facts.added
