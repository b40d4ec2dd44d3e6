"""Benchmarks of memory and of agents. Their questions about a conversation come from untrusted JSON."""

from collections.abc import Iterable
from typing import Any

from memviz.transcripts.base import MAX_CATEGORY_CHARS, Probe

NO_CATEGORY = "uncategorised"


def answer_texts(value: object) -> tuple[str, ...]:
    """The accepted answers: a text, a number as text, or a list of such; empty where none is stated."""
    values = value if isinstance(value, list) else [value]
    texts = (str(item) if _is_number(item) else item for item in values)
    return tuple(
        dict.fromkeys(text for text in texts if isinstance(text, str) and text.strip())
    )


def category_name(value: object) -> str:
    """The name of a benchmark's category as a probe can hold it."""
    return (
        value.strip()[:MAX_CATEGORY_CHARS] if isinstance(value, str) else ""
    ) or NO_CATEGORY


def probe_of(
    question: Any, answers: tuple[str, ...], evidence: Iterable[int], category: object
) -> Probe | None:
    """The probe, its evidence in the order of the conversation; ``None`` without a question or an answer."""
    if not isinstance(question, str) or not question.strip() or not answers:
        return None
    return Probe(
        question, answers, tuple(sorted(set(evidence))), category_name(category)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
