"""The values on the way of the handle of a setting's main number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.ui.compare.value_handle import MOST_VALUES, spread_values
from memviz.strategies import strategies
from memviz.strategies.parameters import Parameter
from tests.tables import for_each

MAIN = [
    parameter
    for cls in strategies().values()
    for parameter in cls.parameters()
    if parameter.is_number and parameter.name == cls.main_parameter
]


@given(
    now=st.integers(1, 50_000),
    recorded=st.lists(st.integers(1, 5_000), max_size=3),
    needed_tokens=st.integers(0, 200_000),
)
@for_each("parameter", MAIN)
def test_they_rise_over_the_suggested_range_and_hold_what_is_there(
    parameter: Parameter, now: int, recorded: list[int], needed_tokens: int
) -> None:
    values = spread_values(parameter, now, recorded, needed_tokens)
    assert values == sorted(set(values))
    assert {now, *recorded} <= set(values)
    assert len(values) <= MOST_VALUES + 3 + len(recorded)
    assert parameter.suggested is not None
    assert parameter.suggested[0] in values
    assert min(values) >= min(parameter.minimum or 0, now, *recorded)


def test_a_range_of_tokens_ends_where_everything_is_sent() -> None:
    (limit,) = [one for one in MAIN if one.name == "trigger_tokens"][:1]
    assert limit.suggested == (500, 100_000)
    assert max(spread_values(limit, 4_000, [], 13_000)) == 13_000
    assert max(spread_values(limit, 4_000, [], 900_000)) == 100_000
    assert max(spread_values(limit, 40_000, [], 13_000)) == 40_000
