"""The tables behind the charts hold the run's own numbers, and no more rows than a chart has points."""

from __future__ import annotations

import memviz
from memviz.core.context import Fate
from memviz.dashboard.charts.memory_map.fate_words import fates_table
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tables import (
    parts_finding,
    parts_table,
    thin_rows,
    tokens_table,
)
from memviz.dashboard.charts.thinning import MAX_POINTS
from tests.dashboard.charts.runs import run_of


def settings() -> list[SettingRun]:
    return [
        SettingRun(run, run.label, n)
        for n, run in enumerate((run_of(), run_of("window", window_size=2)))
    ]


def test_tokens_of_every_request_and_what_happened_before_it() -> None:
    first, second = settings()
    table = tokens_table([first, second])
    assert table["Turn"].tolist() == [record.turn for record in first.run.turns]
    for one in (first, second):
        for record, told in zip(one.run.turns, table[one.label], strict=True):
            assert told == f"{record.total_tokens:,}" + (
                " (summarized)" if record.compactions else ""
            )


def test_the_request_from_which_on_a_chat_was_held_under_another_setting_says_so() -> (
    None
):
    chat = memviz.Chat(memviz.strategy("summary", buffer_size=1), counter="chars4")
    for number in range(3):
        chat.send(f"My code number {number} is QX{number}R.")
    chat.change_strategy(window := memviz.strategy("window"))
    chat.send("And now?")
    cells = tokens_table([SettingRun(chat.run, "the chat", 0)])["the chat"].tolist()
    assert (
        cells[-1]
        == f"{chat.run.turns[-1].total_tokens:,} (from here on {window.label})"
    )
    assert [cell for cell in cells if "from here on" in cell] == cells[-1:]


def test_parts_of_every_request_add_up() -> None:
    run = run_of()
    table = parts_table(run)
    assert table["All"].tolist() == [record.total_tokens for record in run.turns]
    assert (table.drop(columns=["Turn", "All"]).sum(axis=1) == table["All"]).all()
    assert "Recalled" not in table, "nothing was recalled"


def test_messages_of_every_fate() -> None:
    shown = settings()
    table = fates_table(shown)
    for one in shown:
        fates = [list(row) for row in one.run.fates()]
        for fate, words in (
            (Fate.VERBATIM, "word for word"),
            (Fate.SUMMARIZED, "replaced by a summary"),
        ):
            name = f"{one.label}: {words}"
            counts = [row.count(fate) for row in fates]
            assert table[name].tolist() == counts if any(counts) else name not in table


def test_rows_are_bounded_as_points_are() -> None:
    assert thin_rows([]) == []
    assert thin_rows([(1, 1), (1, 2), (2, 1)]) == [(1, 1), (1, 2), (2, 1)]
    shown = thin_rows([(turn, 1) for turn in range(1, 40_001)])
    assert len(shown) <= MAX_POINTS + 1
    assert (shown[0], shown[-1]) == ((1, 1), (40_000, 1))


def test_two_settings_of_one_name_have_a_column_each() -> None:
    twice = [SettingRun(run_of(), "the same", 0), SettingRun(run_of(), "the same", 1)]
    assert tokens_table(twice).columns.tolist() == ["Turn", "the same", "the same (2)"]


def test_the_finding_of_the_parts_names_shares_and_the_largest_request() -> None:
    run = run_of()
    said = parts_finding(run)
    largest = max(record.total_tokens for record in run.turns)
    assert said.startswith(f"Of all tokens sent under {run.label}: ")
    assert said.endswith(f"has {largest:,} tokens.")
    assert parts_finding(
        memviz.Chat(memviz.strategy("buffer"), counter="chars4").run
    ).endswith("no request yet.")
