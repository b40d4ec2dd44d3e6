"""The settings that ``memviz.design`` searches, if the user names none.

They are the usual strategies with several values each, the memories of products scaled to the conversations, and
pipelines of two steps.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from memviz.core.counters import Counter
from memviz.strategies import strategy, strategy_class
from memviz.strategies.base import Strategy
from memviz.strategies.presets import presets
from memviz.tuning.grid import (
    expand_grid,
    find_largest_sizes,
    find_refused_strategies,
    list_first_strategies,
    suggest_values,
)
from memviz.tuning.scaling import scale_product
from memviz.tuning.sweep_conversation import SweepConversation

FIRST_STEPS = ("", "shorten messages to 400 characters, keep 6 turns")
FIRST_STEPS_WITH_RESULTS = (
    "",
    "shorten tool results to 500 characters, keep 2 turns",
    "clear tool results at 0.2 of the window, keep 2 results",
    "clear tool results at 0.4 of the window, keep 4 results",
)
"""First steps of pipelines, which take little away, for conversations with results of tools."""
DEEDS = ("drop", "summarize")
TRIGGER_SHARES = (0.2, 0.4, 0.7)
"""The shares of the window (the largest conversation) at which the last step acts."""
KEPT_PARTS = (0.25, 0.5)
"""The parts of that share which the last step keeps."""
BEGINNINGS = ("", ", keep the first user message")


def list_candidates(
    subjects: Sequence[SweepConversation], counter: Counter
) -> tuple[Strategy, ...]:
    """Return the settings that are worth trying over these conversations, each once.

    Limits are sized by the largest conversation. Strategies that look messages up are left out (see
    :func:`~memviz.tuning.grid.list_first_strategies`).
    """
    largest = find_largest_sizes([subject.log for subject in subjects], counter)
    window_tokens = largest["tokens"]
    grid = {id: suggest_values(id, largest=largest) for id in list_first_strategies()}
    all_settings = [*expand_grid(grid), *_list_products(window_tokens)]
    has_results = any(
        message.role == "tool" for subject in subjects for message in subject.log
    )
    for steps in _list_pipelines(has_results=has_results):
        all_settings.append(
            strategy("pipeline", steps=steps, window_tokens=window_tokens)
        )
    return tuple(dict.fromkeys(all_settings))


def _list_products(window_tokens: int) -> Iterator[Strategy]:
    cannot = find_refused_strategies()
    for id, preset in presets().items():
        # Whether a fact is kept in a block that only the provider can read is not measurable.
        is_opaque = bool(preset.parameters.get("opaque_tokens"))
        looks_up = strategy_class(preset.strategy).looks_up
        if not (preset.strategy in cannot or is_opaque or looks_up):
            yield scale_product(id, window_tokens)


def _list_pipelines(*, has_results: bool) -> Iterator[str]:
    """Yield the steps of pipelines: one that takes little away, then one that removes old messages, or either alone."""
    first_steps = FIRST_STEPS_WITH_RESULTS if has_results else FIRST_STEPS
    last_steps = [""]
    for deed, share, part, beginning in product(
        DEEDS, TRIGGER_SHARES, KEPT_PARTS, BEGINNINGS
    ):
        kept_part = f"keep {share * part:g} of the window"
        last_steps.append(f"{deed} at {share:g} of the window, {kept_part}{beginning}")
    for steps in product(first_steps, last_steps):
        lines = "\n".join(filter(None, steps))
        if lines:
            yield lines
