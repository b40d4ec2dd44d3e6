"""A setting of a sweep on its way to an export."""

from __future__ import annotations

from memviz.tuning.found_setting import setting_to_export
from tests.tuning.random_sweeps import SETTINGS, UNPRICED, cell, sweep_of


def test_it_says_where_it_was_found_and_what_it_showed() -> None:
    sweep = sweep_of([cell(0, [100, 300], [4, 3])], [cell(0, [200], [4])])
    found = setting_to_export(sweep, 0, "worst", "chars4", "offline")
    assert found is not None
    assert found.strategy == SETTINGS[0]
    assert (found.counter, found.summarizer, found.model) == ("chars4", "offline", "made-up")
    assert found.found == (
        "88% of the facts kept, at most 300 tokens a request, $0.0063 in all at the prices entered by hand for "
        "made-up; measured over 2 conversations on 8 known facts."
    )


def test_what_is_not_known_is_not_said() -> None:
    found = setting_to_export(sweep_of([cell(1, [100])], assumptions=UNPRICED), 0, "median", "chars4", "offline")
    assert found is not None
    assert found.model == "openai/gpt-5-mini"
    assert found.found == "at most 100 tokens a request, 100 tokens; measured over 1 conversation."


def test_a_setting_that_was_not_measured_cannot_be_taken() -> None:
    assert setting_to_export(sweep_of([cell(0, [100]), None]), 1, "median", "chars4", "offline") is None
