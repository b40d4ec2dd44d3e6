"""Benchmarks of memory and of agents. Their questions about a conversation come from untrusted JSON."""

from collections.abc import Iterable
from typing import Any

from memviz.transcripts.base import MAX_CATEGORY_CHARS, Probe
from memviz.transcripts.readers.json_access import as_list

NO_CATEGORY = "uncategorised"


def read_answers(value: object) -> tuple[str, ...]:
    """The accepted answers: a text, a number as text, or a list of such; empty where none is stated."""
    texts = [str(item) for item in as_list(value) if type(item) in (str, int, float)]
    return tuple(dict.fromkeys(text for text in texts if text.strip()))


def read_category(value: object) -> str:
    """The name of a benchmark's category as a probe can hold it."""
    name = value.strip() if isinstance(value, str) else ""
    return name[:MAX_CATEGORY_CHARS] or NO_CATEGORY


def make_probe(
    question: Any, answers: tuple[str, ...], evidence: Iterable[int], category: object
) -> Probe | None:
    """The probe, its evidence in the order of the conversation; ``None`` without a question or an answer."""
    if not isinstance(question, str) or not question.strip() or not answers:
        return None
    positions = tuple(sorted(set(evidence)))
    return Probe(question, answers, positions, read_category(category))
