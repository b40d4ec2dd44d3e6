"""``memviz sweep --write``: the rows of the API, gone on with, and what is not for it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from memviz.tuning.fleet.folder import FleetFolder
from tests.cli.terminal import MEMVIZ, ROOT, SECONDS, memviz
from tests.transcripts.fleet.chats import (
    TICKETS,
    chat,
    lines,
    message_rows,
    packed_chats,
)

WINDOW = ("-s", "window:window_size=2,4", "--counter", "chars4")


def test_rows_are_written_and_summed_up_by_setting(tmp_path: Path) -> None:
    packed_chats(tmp_path / "logs" / "a.jsonl.gz", 3)
    (tmp_path / "logs" / "b.jsonl").write_bytes(lines([chat(7), chat(8), "{"]))
    out = tmp_path / "out"
    shown = memviz("sweep", tmp_path / "logs", "--write", out, *WINDOW)
    table = FleetFolder(out).read("conversations")
    assert table.num_rows == 10
    assert table["file"].to_pylist() == [0] * 6 + [1] * 4
    assert [line.split()[-5] for line in shown.out.splitlines()[1:]] == ["5", "5"]
    assert "Warning: 1 failure of reading a conversation" in shown.err
    assert f"Written: {out}, 10 runs." in shown.err
    again = memviz("sweep", tmp_path / "logs", "--write", out, *WINDOW)
    assert again.out == shown.out


def test_a_mapping_a_sample_and_requests(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(lines(message_rows(range(40))))
    mapping = tmp_path / "map.yaml"
    mapping.write_text(TICKETS)
    options = ("--map", mapping, "--sample", "0.5", "--seed", "3", "--requests")
    source = tmp_path / "log.jsonl"
    memviz(
        "sweep", source, "--write", tmp_path / "out", *WINDOW, *options, "--no-facts"
    )
    folder = FleetFolder(tmp_path / "out")
    table = folder.read("conversations")
    assert 20 < table.num_rows < 60
    assert set(table["facts"].to_pylist()) == {0}
    assert folder.read("requests").num_rows == 2 * table.num_rows


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--write", "out"), ("-s window",)),
        (
            ("--write", "out", *WINDOW, "--csv", "x.csv"),
            ("--csv", "recommends nothing"),
        ),
        (
            ("--write", "out", *WINDOW, "--keep", "0.5"),
            ("--keep", "recommends nothing"),
        ),
        ((*WINDOW, "--sample", "0.5"), ("--sample", "--write FOLDER")),
        ((*WINDOW, "--requests"), ("--requests", "--write FOLDER")),
        (("--write", "out", *WINDOW, "--sample", "0"), ("sample", "above 0")),
        (
            ("--write", "out", *WINDOW, "--summarizer", "openai/gpt-5-mini"),
            ("built-in model", "--write"),
        ),
    ],
    ids=str,
)
def test_what_is_not_for_it_is_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 1)
    extra = ("--budget", "1", "--yes") if "--summarizer" in arguments else ()
    shown = memviz("sweep", source, *arguments, *extra, code=2)
    for word in words:
        assert word in shown.err
    assert not Path("out").exists()


def test_another_sweep_in_the_folder_is_a_sentence(tmp_path: Path) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 1)
    memviz("sweep", source, "--write", "out", *WINDOW)
    shown = memviz("sweep", source, "--write", "out", "-s", "buffer", code=None)
    shown.refused(1, "other settings", "Choose another folder")


def test_no_such_address_is_a_sentence() -> None:
    shown = memviz("sweep", "nowhere/*.gz", "--write", "out", *WINDOW, code=None)
    shown.refused(1, "nowhere/*.gz", "no file")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_it_well_and_the_same_command_goes_on(tmp_path: Path) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 3_000)
    options = ("--write", tmp_path / "out", *WINDOW, "--no-facts")
    command = [*MEMVIZ, "sweep", str(source), *map(str, options)]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=ROOT, stdout=subprocess.DEVNULL
    )
    parts = tmp_path / "out" / "conversations"
    begun = time.monotonic()
    while not list(parts.glob("*.parquet")) and time.monotonic() < begun + SECONDS:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "The same command goes on from here." in told
    assert 0 < FleetFolder(tmp_path / "out").row_count("conversations") < 6_000
    memviz("sweep", source, *options)
    assert FleetFolder(tmp_path / "out").row_count("conversations") == 6_000
