"""The prompt that asks for facts."""

from collections.abc import Sequence

from memviz.core.messages import Message
from memviz.strategies.base import transcript_line

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
