"""How long a sweep takes, and what of it fits into a time."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any

import memviz
from memviz.core.counters import counter
from memviz.dashboard.words.estimates import left_out_words, time_words
from memviz.models.registry import model
from memviz.strategies.families import FAMILIES
from memviz.transcripts.samples import sample
from memviz.tuning.grid import expand_grid
from memviz.tuning.pace import (
    TRIALS,
    DueWork,
    Pace,
    PaceKey,
    order_middle_first,
    order_most_telling_first,
)
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping
from tests.tables import for_each

SIZES = [2, 4, 8, 16, 32]
GRID = {
    "window": {"window_size": SIZES},
    "token_buffer": {"max_tokens": [500, 1000]},
    "summary": {"buffer_size": SIZES},
}


class KeptCells(dict[str, dict[str, Any]]):
    """Cells that a sweep finds again."""

    def find_cells(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {key: self[key] for key in keys if key in self}

    def keep_cell(self, key: str, cell: dict[str, Any]) -> None:
        self[key] = cell

    def try_claim(self, name: str) -> bool:
        return True

    def release_claim(self, name: str) -> None:
        """Nobody else sweeps."""


def key(id: str, writer: str = "") -> PaceKey:
    return PaceKey.of(memviz.strategy(id), writer)


def test_who_summarizes_matters_where_summaries_are_written() -> None:
    assert key("window", "a") == key("window", "b")
    assert key("summary", "a") != key("summary", "b")


def test_a_pace_is_that_of_what_was_measured_without_the_first() -> None:
    pace = Pace()
    assert pace.predict_seconds(key("window"), 100) is None
    pace.note(key("window"), 100, 50.0)  # its library was loaded
    assert pace.predict_seconds(key("window"), 10) == 5
    pace.note(key("window"), 100, 1.0)
    pace.note(key("window"), 100, 3.0)
    assert pace.predict_seconds(key("window"), 100) == 2
    windows = expand_grid({"window": {"window_size": SIZES}})
    assert pace.predict_total_seconds(windows, "", 100) == 10
    assert (
        pace.predict_total_seconds([*windows, memviz.strategy("buffer")], "", 1) is None
    )


def test_a_trial_measures_what_was_never_measured_and_pays_for_nothing() -> None:
    pace = Pace()
    transcript = sample("trip")
    pace.note(key("window"), 1, 0.7)
    tried = expand_grid(GRID)
    pace.try_out(tried, transcript, "o200k_base", model("offline"))
    assert pace.predict_seconds(key("window"), 1) == 0.7
    assert 0 < pace.predict_total_seconds(tried[5:], "offline", 92) < 60
    assert pace._cells[key("summary", "offline")] == TRIALS
    pace.try_out(tried, transcript, "o200k_base", memviz.ScriptedModel([]))
    assert pace.predict_total_seconds(tried, "scripted", 92) is None


def test_nothing_is_said_of_the_rest_before_anything_is_known() -> None:
    assert DueWork(Pace()).seconds_left(0) is None


def test_the_rest_takes_as_long_as_its_strategies_did_shared_by_the_workers() -> None:
    pace = Pace()
    work = DueWork(pace)
    work.add(key("window"), 100)
    work.add(key("buffer"), 100)
    work.add(key("buffer"), 100)
    assert work.seconds_left(0) is None
    work.take(key("buffer"), 100, 4.0)
    # The window is unknown and taken to be like the buffer; two workers did four seconds' work in two.
    assert work.seconds_left(4.0) == 8
    assert work.seconds_left(2.0) == 4
    work.take(key("window"), 100, 1.0)
    work.take(key("buffer"), 100, 4.0)
    assert work.seconds_left(9.0) == 0


def test_the_middle_and_the_ends_come_first() -> None:
    assert order_middle_first(SIZES)[:3] == [8, 2, 32]
    assert sorted(order_middle_first(SIZES)) == SIZES
    assert order_middle_first([1]) == [1]


def test_each_family_comes_before_the_second_value_of_any() -> None:
    tried = expand_grid(GRID)
    order = [tried[number] for number in order_most_telling_first(tried)]
    assert sorted(map(repr, order)) == sorted(map(repr, tried))
    first = [one.family for one in order[:2]]
    assert first == [family for family in FAMILIES if family in first]
    assert {one.id for one in order[:3]} == {*GRID}
    assert order[0].window_size == 8
    assert order[1].buffer_size == 8


@for_each("executor", ["inline", "threads"])
def test_what_fits_is_measured_and_the_rest_is_said(executor: str) -> None:
    tried = expand_grid(GRID)
    subject = SweepConversation.of(sample("trip"), counter("o200k_base"))
    options = {"executor": executor, "workers": 1, "stop": Event()}
    sweeping = Sweeping(
        (subject,),
        tried,
        summarizer=model("offline"),
        seconds=1e-9,
        **options,  # type: ignore[arg-type]
    )
    assert len(list(sweeping)) == 1
    sweep = sweeping.sweep
    assert sweeping.is_out_of_time
    assert not sweep.is_complete
    assert len(sweep.left_out) == len(tried) - 1
    unmeasured, others = left_out_words(sweep)
    assert "Token buffer and Running summary" in unmeasured
    assert others.startswith("4 ")
    assert "fits into" in sweep.stopped


def test_going_on_measures_one_more_however_little_time_there_is() -> None:
    kept = KeptCells()
    subject = SweepConversation.of(sample("trip"), counter("o200k_base"))
    measured = []
    for _ in range(3):
        sweeping = Sweeping(
            (subject,),
            expand_grid(GRID)[:3],
            summarizer=model("offline"),
            executor="inline",
            seconds=1e-9,
            kept=kept,
        )
        list(sweeping)
        measured.append(sweeping.measured)
    assert measured == [1, 1, 1]


def test_a_sweep_in_time_is_complete() -> None:
    found = memviz.sweep(sample("trip"), GRID, seconds=600)
    assert found.is_complete
    assert not found.stopped
    assert not found.left_out
    assert not list(left_out_words(found))


def test_times_are_rounded_up() -> None:
    assert time_words(0.01) == "1 s"
    assert time_words(41.2) == "42 s"
    assert time_words(101) == "2 min"
    assert time_words(3500) == "59 min"


def test_nothing_is_said_of_a_rest_of_which_nothing_was_ever_measured() -> None:
    work = DueWork(Pace())
    work.add(key("buffer"), 100)
    work.add(key("summary"), 100)
    work.take(key("buffer"), 100, 4.0)
    # "About 0 s left" stood here, with all settings of the summary still to come.
    assert work.seconds_left(4.0) is None
