"""A token counter that does not fit the language of the conversation."""

from __future__ import annotations

from functools import lru_cache

from memviz.core.conversation import Log
from memviz.core.counters import counter
from memviz.core.errors import CounterUnavailableError
from memviz.engine.run import Run
from memviz.metrics.health.warning import HealthWarning

REFERENCE = "o200k_base"
FACTOR = 1.5
"""A count this many times too high or too low is worth a word. For English the estimates are within 1.3."""
BAD_FACTOR = 2.0
"""A count this many times too low makes every limit at least twice as large as it says."""
SAMPLED_MESSAGES, SAMPLED_CHARS = 20, 5_000
LEAST_TOKENS = 50
"""In a smaller sample it is the rounding that one would see."""


def odd_counter(run: Run) -> HealthWarning | None:
    """Whether the run's counter is far off, against ``o200k_base`` on a sample of the messages.

    The sample is the same every time: up to 20 messages with a text, evenly spaced, and the first
    characters of each, 5,000 in all.
    """
    own = run.counter
    texts = () if own.name == REFERENCE else sample(run.log)
    try:
        expected = _reference_tokens(texts)
    except CounterUnavailableError:
        return None
    found = sum(own(text) for text in texts)
    if expected < LEAST_TOKENS or found < 1 or 1 / FACTOR < found / expected < FACTOR:
        return None
    too_low = found < expected
    factor = expected / found if too_low else found / expected
    return HealthWarning(
        "odd_counter",
        "The token counter is far off",
        f"In a sample of {len(texts)} messages {own.name} counts {found:,} tokens and {REFERENCE} {expected:,}: "
        f"{factor:.1f} times too {'few' if too_low else 'many'}.",
        "Limits, sizes and costs are off by as much: "
        + (
            "requests are larger than they look, and may not fit the model."
            if too_low
            else "requests are smaller than they look, and details are given up too early."
        ),
        f"Count with {REFERENCE}, or with the counter of the model that will be used.",
        severity="bad" if too_low and factor >= BAD_FACTOR else "caution",
    )


def sample(log: Log) -> tuple[str, ...]:
    """The beginnings of up to 20 messages, evenly spaced over those with a text."""
    texts = [message.content for message in log if message.content]
    size = min(SAMPLED_MESSAGES, len(texts))
    return tuple(
        texts[at * len(texts) // size][: SAMPLED_CHARS // SAMPLED_MESSAGES]
        for at in range(size)
    )


@lru_cache(maxsize=64)
def _reference_tokens(texts: tuple[str, ...]) -> int:
    count = counter(REFERENCE)
    return sum(count(text) for text in texts)
