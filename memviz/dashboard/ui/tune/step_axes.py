"""The numbers in a pipeline's steps as axes of a sweep, beside the parameters."""

from collections.abc import Sequence

from pandas import DataFrame

from memviz.core.errors import MemvizError, ParameterError
from memviz.dashboard.ui.shell.elements import show_error
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter, range_in_words
from memviz.strategies.step_numbers import StepNumber, find_step_numbers, match_numbers
from memviz.tuning.grid import expand_grid


def step_axes(cls: type[Strategy]) -> list[StepNumber]:
    """The numbers in the steps of a pipeline; none of other strategies."""
    return list(find_step_numbers(None).values()) if "steps" in cls.model_fields else []


def read_number(cls: type[Strategy], axis: Parameter, text: str) -> int | None:
    """The number that was typed, or ``None`` after saying what was wrong with it."""
    try:
        value = int(text.replace(",", "").replace(" ", "").replace("_", ""))
    except ValueError:
        show_error(ParameterError(axis.name, text, range_in_words(axis), cls.id))
        return None
    try:
        expand_grid({cls.id: {axis.name: value}})
    except MemvizError as error:
        show_error(error)
        return None
    return value


def with_step_columns(
    table: DataFrame, tried: Sequence[Strategy], setting: Strategy
) -> tuple[DataFrame, list[StepNumber]]:
    """The rows of a pipeline's settings whose steps differ from those of ``setting`` in numbers alone, with a column
    for each number that was varied; and these numbers. The table of another strategy as it is."""
    if "steps" not in type(setting).model_fields:
        return table, []
    own = setting.model_dump()["steps"]
    is_alike = []
    rows = []
    for number in table["setting"]:
        numbers = match_numbers(own, tried[number].model_dump()["steps"])
        is_alike.append(numbers is not None)
        if numbers is not None:
            rows.append(numbers)
    alike = table[is_alike].assign(steps=own)
    values = DataFrame(rows, index=alike.index)
    varied = [
        number
        for name, number in find_step_numbers(own).items()
        if values[name].nunique() > 1
    ]
    return alike.join(values[[number.name for number in varied]]), varied
