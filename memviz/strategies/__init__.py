"""Memory strategies, one a file, found by scanning this folder and the entry points of
other packages.

Begin with ``Strategy``, ``Write`` and ``Move`` (``base``), ``whole_number``
(``parameters``), ``Fill`` (``clauses``), and ``window`` and ``summary_buffer`` as
examples. A strategy is pure: it imports ``core`` and no other strategy, no model,
engine, database or page.

Open to other rooms: ``base``, ``clauses``, ``families``, ``hand_off``, ``library``,
``langchain_messages``, ``lookup``, ``parameters``, ``pipeline``, ``presets``, ``prompts``, ``retrieval``,
``step_numbers``, ``steps``, ``thresholds``.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import isabstract
from pkgutil import iter_modules
from typing import Any

from memviz.core.errors import ParameterError, UnknownStrategyError
from memviz.strategies.base import Strategy
from memviz.strategies.presets import presets

COMPARED_AT_FIRST: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("buffer", {}),
    ("window", {"window_size": 10}),
    ("summary_buffer", {"max_token_limit": 1500, "summary_words": 120}),
)
"""What a newcomer sees side by side: everything, the newest, and a summary of the
rest."""
ENTRY_POINT_GROUP = "memviz.strategies"


@cache
def strategies() -> dict[str, type[Strategy]]:
    """All strategies by id, from the simplest to the most elaborate."""
    classes: dict[str, type[Strategy]] = {}
    for module_info in iter_modules(__path__):
        module = import_module(f"{__name__}.{module_info.name}")
        for value in vars(module).values():
            if _is_strategy(value) and value.__module__ == module.__name__:
                classes[value.id] = value
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        cls = entry.load()
        if _is_strategy(cls):
            cls.id = entry.name
            classes.setdefault(entry.name, cls)
    return dict(sorted(classes.items(), key=lambda item: (item[1].order, item[0])))


def _is_strategy(value: Any) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Strategy)
        and not isabstract(value)
    )


def strategy(id: str, **parameters: Any) -> Strategy:
    """The strategy of this id with these parameters; of a preset's id the strategy that
    does the same as that product, with its parameters but for those given.

    Raises :class:`UnknownStrategyError`, which lists the known ids, and
    :class:`ParameterError`.
    """
    preset = presets().get(id)
    if preset is not None:
        parameters = {**preset.parameters, **parameters}
    return strategy_class(id)(**parameters)


def strategy_class(id: str) -> type[Strategy]:
    """The class of the strategy of this id, or of the one that the preset of this id uses.

    Raises :class:`UnknownStrategyError`, which lists the known ids.
    """
    known = strategies()
    preset = presets().get(id)
    cls = known.get(id if preset is None else preset.strategy)
    if cls is None:
        raise UnknownStrategyError(id, [*known, *presets()])
    return cls


def as_strategy(value: Strategy) -> Strategy:
    """The strategy itself. Raises :class:`ParameterError` for anything else, before it
    is put to work."""
    if isinstance(value, Strategy):
        return value
    example = value if isinstance(value, str) and value in strategies() else "summary"
    raise ParameterError(
        "strategy", value, f"a strategy, such as memviz.strategy({example!r})"
    )
