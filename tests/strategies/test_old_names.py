"""Names of the version before, as strategies of other packages still write them."""

from __future__ import annotations

from typing import ClassVar

import pytest

import memviz
from memviz.strategies import base
from memviz.strategies.base import Trigger
from memviz.strategies.window import Window
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.engine.probes import talk


def test_moment_is_trigger_with_a_notice() -> None:
    with pytest.warns(DeprecationWarning, match="is called Trigger now"):
        assert base.Moment is Trigger
    with pytest.warns(DeprecationWarning, match=r"Strategy\.trigger"):

        class Older(Window):
            moment: ClassVar[Trigger | None] = Trigger.TURN

    assert Older.trigger is Trigger.TURN


def test_terms_of_a_sweep_are_assumptions_with_a_notice() -> None:
    free = PricingAssumptions(None, None)
    with pytest.warns(DeprecationWarning, match="assumptions"):
        found = memviz.sweep(talk(3), {"buffer": None}, terms=free, retention=False)
    assert found.assumptions is free
