"""A sweep over a fleet is opened again by its folder alone, with its settings, its numbers and its conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import memviz
from memviz.core.errors import ParameterError, SweepError
from memviz.tuning.fleet.folder import MANIFEST
from memviz.tuning.fleet.opening import open_fleet_sweep
from memviz.tuning.fleet.results import FleetSweep
from tests.transcripts.fleet.chats import TICKETS, chat, lines, message_rows

GRID = {"window": {"window_size": [2, 4]}, "summary": {"buffer_size": [1]}}


def swept(folder: Path) -> FleetSweep:
    """Return a sweep over conversations of 2 to 9 turns and a row that is broken."""
    rows = ["{", *(chat(turns, turns) for turns in range(2, 10))]
    (folder / "x.jsonl").write_bytes(lines(rows))
    return memviz.sweep(folder / "x.jsonl", GRID, write=folder / "out")


def worst_row(sweep: FleetSweep) -> dict[str, Any]:
    """Return the row of the conversation that takes most tokens."""
    return {**sweep.worst("sent_tokens").iloc[0]}


def test_what_was_written_is_opened(tmp_path: Path) -> None:
    written = swept(tmp_path)
    opened = open_fleet_sweep(tmp_path / "out")
    assert opened.settings == written.settings
    assert (opened.runs, opened.failures, opened.is_complete) == (24, 1, True)
    pd.testing.assert_frame_equal(opened.frame(), written.frame())
    worst = worst_row(opened)
    assert len(opened.transcript(worst).messages) == 18


def test_conversations_of_a_mapping_are_read_again(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines(message_rows([1, 2])))
    fleet = memviz.Fleet(tmp_path / "x.jsonl", mapping=TICKETS)
    memviz.sweep(fleet, GRID, write=tmp_path / "out")
    opened = open_fleet_sweep(tmp_path / "out")
    assert len(opened.transcript(worst_row(opened)).messages) == 4


def test_another_conversation_at_the_same_place_is_not_taken_for_it(
    tmp_path: Path,
) -> None:
    sweep = swept(tmp_path)
    worst = worst_row(sweep)
    (tmp_path / "x.jsonl").write_bytes(lines([chat(number) for number in range(12)]))
    with pytest.raises(memviz.TranscriptError, match="not there any more"):
        sweep.transcript(worst)


def test_distributions_are_those_of_the_rows(tmp_path: Path) -> None:
    sweep = swept(tmp_path)
    table = sweep.distributions("sent_tokens").set_index("setting")
    for setting, rows in sweep.frame().groupby("setting"):
        values = rows["sent_tokens"]
        row = table.loc[setting]
        assert row["median"] == values.median()
        assert (row["p10"], row["p90"]) == tuple(values.quantile([0.1, 0.9]))
        assert row["mean"] == values.mean()
        assert row["conversations"] == 8
        assert row["usd"] == pytest.approx(rows["usd"].sum())
    with pytest.raises(ParameterError, match="measure"):
        sweep.distributions("beauty")


def test_what_is_not_known_has_no_distribution(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1)]))
    sweep = memviz.sweep(
        tmp_path / "x.jsonl", GRID, write=tmp_path / "out", retention=False
    )
    table = sweep.distributions("retention")
    assert len(table) == 3
    assert table["median"].isna().all()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 3}'])
def test_a_folder_without_a_sweep_is_refused(tmp_path: Path, text: str) -> None:
    if text:
        (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(SweepError, match="holds no sweep"):
        open_fleet_sweep(tmp_path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    sweep = swept(tmp_path)
    file = sweep.folder / MANIFEST
    manifest = json.loads(file.read_text())
    manifest["schema"][0] += 1
    file.write_text(json.dumps(manifest))
    with pytest.raises(SweepError, match="another version"):
        open_fleet_sweep(sweep.folder)
