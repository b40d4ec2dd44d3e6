"""A sweep over a fleet: the numbers of an ordinary sweep, as Parquet, whatever kills it and wherever it is done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from threading import Event
from typing import Any
from weakref import ref

import pandas as pd
import pytest
from fsspec.exceptions import FSTimeoutError
from fsspec.implementations.local import LocalFileSystem

import memviz
from memviz.core.errors import ParameterError, SweepError
from memviz.core.process_memory import uncollected
from memviz.metrics.requests import traffic
from memviz.transcripts.fleet.addresses import SourceFile
from memviz.transcripts.fleet.reading import read_item
from memviz.transcripts.loading import load_transcripts
from memviz.tuning.cell import replay_subject
from memviz.tuning.fleet.folder import FleetFolder
from memviz.tuning.fleet.results import FleetSweep
from memviz.tuning.fleet.tables import CONVERSATIONS, FAILURES, REQUESTS
from memviz.tuning.measures import list_measures
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.tables import for_each
from tests.transcripts.fleet.chats import chat, lines, packed_chats

ROOT = Path(__file__).resolve().parents[3]
GRID: dict[str, Any] = {
    "window": {"window_size": [2, 4]},
    "summary": {"buffer_size": [1]},
}
SOON = 120.0


def swept(source: Path, folder: Path, **options: Any) -> FleetSweep:
    return memviz.sweep(source, GRID, write=folder, counter="chars4", **options)


def rows(folder: Path) -> pd.DataFrame:
    """All rows, in their order: those of equal sweeps are equal."""
    return FleetFolder(folder).read("conversations").to_pandas()


def test_the_numbers_are_those_of_a_sweep_over_the_same_conversations(
    tmp_path: Path,
) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 4)
    fleet = swept(source, tmp_path / "out").frame()
    transcripts = load_transcripts(source)
    frame = memviz.sweep(transcripts, GRID, counter="chars4").frame()
    frame = frame.sort_values(["conversation", "setting"], ignore_index=True)
    shared = [
        "requests", "sent_tokens", "peak_tokens", "reply_tokens", "cached_tokens", "summarizer_tokens", "usd",
        "main_usd", "summarizer_usd", "facts", "retention", "final_retention", "summarizations",
    ]  # fmt: skip
    assert len(fleet) == 12
    assert fleet["facts"].min() > 0
    pd.testing.assert_frame_equal(fleet[shared], frame[shared], check_dtype=False)
    last = ["known_facts", "contradicted_facts", "lost_facts"]
    assert (fleet[last].sum(axis=1) == fleet["facts"]).all()


def test_the_tables_hold_numbers_and_hashes_and_no_text(tmp_path: Path) -> None:
    packed_chats(tmp_path / "logs" / "anna.jsonl.gz", 3)
    out = swept(tmp_path / "logs", tmp_path / "out", requests=True)
    assert list(rows(out.folder)) == list(CONVERSATIONS)
    assert list(out.requests_frame()) == list(REQUESTS)
    assert list(out.failures_frame()) == list(FAILURES)
    assert len(out.requests_frame()) == 2 * len(out.frame())
    for file in (tmp_path / "out").rglob("*.*"):
        for told in (b"anna", b"QX0001", b"booking"):
            assert told not in file.read_bytes()


def test_equal_conversations_have_one_hash(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1), chat(2), chat(1)]))
    frame = swept(tmp_path / "x.jsonl", tmp_path / "out").frame()
    first, second, third = frame["conversation"][::3]
    assert first == third != second


def test_the_worst_are_found_and_read_again(tmp_path: Path) -> None:
    rows = [chat(1), chat(2, turns=9), "{", chat(3, turns=5)]
    (tmp_path / "x.jsonl").write_bytes(lines(rows))
    out = swept(tmp_path / "x.jsonl", tmp_path / "out")
    worst = out.worst("sent_tokens", setting=1)
    assert worst["row"].tolist() == [2, 4, 1]
    assert len(out.worst("sent_tokens", number=1)) == 1
    assert out.worst("retention")["retention"].is_monotonic_increasing
    assert len(out.transcript(worst.iloc[0]).messages) == 18
    with pytest.raises(ParameterError, match="measure"):
        out.worst("beauty")
    for others in ([chat(1)], [chat(1), chat(5, turns=9)]):
        (tmp_path / "x.jsonl").write_bytes(lines(others))
        with pytest.raises(memviz.TranscriptError, match="not there any more"):
            out.transcript(worst.iloc[0])


def test_bad_ones_are_a_table_and_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1), chat(2), "{", chat(3)]))
    out = swept(tmp_path / "x.jsonl", tmp_path / "out")
    assert (out.runs, out.failures, out.is_complete) == (9, 1, True)
    (failure,) = out.failures_frame().to_dict("records")
    assert (failure["file"], failure["row"]) == (0, 3)
    assert failure["error"].partition(": ")[0].endswith("x.jsonl, line 3, column 2")


def test_a_setting_that_cannot_be_run_is_a_failure_with_its_number(
    tmp_path: Path,
) -> None:
    long_prompt = {"role": "system", "content": "word " * 500}
    row = {"messages": [long_prompt, *chat(1)["messages"]]}
    (tmp_path / "x.jsonl").write_bytes(lines([row, chat(2)]))
    grid = {
        "window": {"window_size": [2]},
        "chat_summary_buffer": {"token_limit": [50], "count_initial_tokens": [True]},
    }
    out = memviz.sweep(tmp_path / "x.jsonl", grid, write=tmp_path / "out")
    assert out.frame()["setting"].tolist() == [0, 0, 1]
    assert out.failures_frame()["setting"].tolist() == [1]


def test_a_conversation_that_memviz_fails_on_is_a_failure_and_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1), chat(2, turns=3), chat(3)]))

    def broken(log: memviz.Log) -> tuple[memviz.Probe, ...]:
        if len(log) == 6:
            raise TypeError("my booking code is QX0002")
        return ()

    monkeypatch.setattr("memviz.tuning.sweep_conversation.propose_probes", broken)
    out = swept(tmp_path / "x.jsonl", tmp_path / "out")
    assert (out.runs, out.failures) == (6, 1)
    (failure,) = out.failures_frame().to_dict("records")
    assert failure["row"] == 2
    assert failure["error"] == "memviz cannot measure it (TypeError)."


def test_an_error_at_one_setting_leaves_the_rows_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 2)

    def broken(subject: Any, setting: Any, *rest: Any) -> Any:
        if setting.id == "window" and setting.window_size == 4:
            raise KeyError("QX0001")
        return replay_subject(subject, setting, *rest)

    monkeypatch.setattr("memviz.tuning.fleet.batches.replay_subject", broken)
    out = swept(source, tmp_path / "out")
    assert out.frame()["setting"].tolist() == [0, 2, 0, 2]
    assert out.failures_frame()["setting"].tolist() == [1, 1]
    assert out.failures_frame()["error"][0] == "memviz cannot measure it (KeyError)."


def test_one_that_cannot_be_priced_is_a_failure_and_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1), chat(2, turns=3)]))
    price_alone = PricingAssumptions.cost

    def fail_together(*_traffics: Any) -> Any:
        raise IndexError("one of them")

    def fail_long(assumptions: PricingAssumptions, traffic: Any) -> Any:
        if len(traffic.turns) == 3:
            raise IndexError("this one")
        return price_alone(assumptions, traffic)

    monkeypatch.setattr(PricingAssumptions, "costs", fail_together)
    monkeypatch.setattr(PricingAssumptions, "cost", fail_long)
    out = swept(tmp_path / "x.jsonl", tmp_path / "out")
    assert (out.runs, out.failures) == (3, 3)
    assert set(out.failures_frame()["row"]) == {2}


def test_means_and_sums_of_all_batches_are_those_of_the_rows(tmp_path: Path) -> None:
    rows = [chat(number, turns=number + 1) for number in range(5)]
    rows.append({"messages": [{"role": "user", "content": "Hi"}]})
    (tmp_path / "x.jsonl").write_bytes(lines(rows))
    *_, done = at_work(tmp_path / "x.jsonl", tmp_path / "out", batch_items=2)
    assert done.batches == 3
    sweep = FleetSweep(tmp_path / "out", memviz.Fleet(tmp_path), (), 6, 0, True)
    frame = sweep.frame()
    (row,) = sweep.by_setting().to_dict("records")
    assert row["conversations"] == 6
    assert row["sent_tokens"] == frame["sent_tokens"].mean()
    assert row["usd"] == pytest.approx(frame["usd"].sum(), nan_ok=True)
    assert row["retention"] == pytest.approx(frame["retention"].mean(), nan_ok=True)


SECRETS = [
    (
        "x.txt",
        "My PIN is zebra7 and nobody may know it",
        "no known format, found a text",
    ),
    ("x.jsonl", '{"messages": My PIN is zebra7}', "this is not JSON"),
    ("x.txt", "PIN: zebra7\nAnna: so it is", "it may be a dialogue"),
    ("x.csv", "PIN,zebra7\na,b\nc,d\n", "nearly a table"),
    ("x.jsonl", '{"messages": [{"role": "PIN", "content": "zebra7"}]}', "x.jsonl"),
    ("x.parquet", "PIN zebra7", "x.parquet"),
]


@pytest.mark.parametrize(("name", "text", "words"), SECRETS)
def test_failures_quote_nothing_of_what_was_said(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text)
    out = swept(tmp_path / name, tmp_path / "out")
    (failure,) = out.failures_frame().to_dict("records")
    assert words in failure["error"]
    assert failure["error"].startswith(name)
    for file in (tmp_path / "out").rglob("*.*"):
        assert b"zebra7" not in file.read_bytes()
        assert b"PIN" not in file.read_bytes()


class TestGoingOn:
    @pytest.mark.parametrize("text", ["", None])
    def test_what_a_kill_before_the_manifest_leaves_is_gone_on_with(
        self, tmp_path: Path, text: str | None
    ) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 1)
        out = tmp_path / "out"
        for table in ("conversations", "settings"):
            (out / table).mkdir(parents=True)
        (out / "settings" / "part-000000.parquet").write_bytes(b"")
        (out / "settings" / "part-000000.parquet.7.writing").write_bytes(b"PAR1")
        (out / "manifest.json.writing").write_text("{")
        if text is not None:
            (out / "manifest.json").write_text(text)
        assert swept(source, out).runs == 3

    def test_an_empty_part_is_measured_again(self, tmp_path: Path) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 6)
        list(at_work(source, tmp_path / "whole", batch_items=2))
        stopped = at_work(source, tmp_path / "out", batch_items=2)
        for done in stopped:
            if done.batches == 2:
                stopped.stop.set()
        part = tmp_path / "out" / "conversations" / "part-000001.parquet"
        part.write_bytes(b"")
        list(at_work(source, tmp_path / "out", batch_items=2))
        assert rows(tmp_path / "out").equals(rows(tmp_path / "whole"))

    def test_a_full_disk_at_the_end_is_a_sentence(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 1)
        progress = iter(at_work(source, tmp_path / "out"))
        next(progress)
        assert next(progress).batches == 1

        def full(file_number: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("memviz.tuning.fleet.folder.os.fsync", full)
        with pytest.raises(SweepError, match="No space left on device"):
            next(progress)

    def test_a_finished_sweep_is_not_measured_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 3)
        first = swept(source, tmp_path / "out")
        monkeypatch.setattr(
            "memviz.tuning.fleet.sweeping.measure_batch", lambda job: 1 / 0
        )
        assert swept(source, tmp_path / "out") == first

    def test_a_stopped_one_goes_on_and_has_equal_rows(self, tmp_path: Path) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 50)
        whole = at_work(source, tmp_path / "whole", batch_items=10)
        list(whole)
        stopped = at_work(source, tmp_path / "out", batch_items=10)
        for done in stopped:
            if done.batches == 2:
                stopped.stop.set()
        assert not stopped.is_complete
        assert len(rows(tmp_path / "out")) == 20
        *_, done = at_work(source, tmp_path / "out", batch_items=10)
        assert done.runs == 50
        assert rows(tmp_path / "out").equals(rows(tmp_path / "whole"))

    def test_a_folder_inside_its_source_goes_on(self, tmp_path: Path) -> None:
        packed_chats(tmp_path / "chats.jsonl.gz", 3)
        first = swept(tmp_path, tmp_path / "out")
        assert (first.runs, first.failures) == (9, 0)
        assert swept(tmp_path, tmp_path / "out") == first

    def test_half_a_batch_counts_for_nothing(self, tmp_path: Path) -> None:
        source = tmp_path / "x.jsonl"
        source.write_bytes(lines([chat(1), chat(2), "{", chat(3)]))
        swept(source, tmp_path / "whole")
        out = tmp_path / "out"
        swept(source, out)
        manifest = json.loads((out / "manifest.json").read_text())
        (out / "manifest.json").write_text(
            json.dumps({**manifest, "is_complete": False})
        )
        (out / "conversations" / "part-000000.parquet").unlink()
        (out / "conversations" / "part-000000.parquet.1.writing").write_bytes(b"PAR1")
        assert FleetFolder(out).row_count("failures") == 0
        assert swept(source, out).failures == 1
        assert rows(out).equals(rows(tmp_path / "whole"))
        assert list(out.rglob("*.writing")) == []

    def test_a_file_that_comes_back_between_finished_batches_is_no_shift(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        logs = tmp_path / "logs"
        logs.mkdir()
        for number in range(3):
            chats = [chat(10 * number + row) for row in range(4)]
            (logs / f"{number}.jsonl").write_bytes(lines(chats))

        open_any = SourceFile.open

        def closed(file: SourceFile, packed: str = "") -> Any:
            if file.number == 1:
                raise PermissionError(13, "Permission denied")
            return open_any(file, packed)

        first = at_work(logs, tmp_path / "out", batch_items=3)
        with monkeypatch.context() as patch:
            patch.setattr(SourceFile, "open", closed)
            for done in first:
                if done.batches == 2:
                    first.stop.set()
        with pytest.raises(SweepError, match="read otherwise than when"):
            list(at_work(logs, tmp_path / "out", batch_items=3))

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"grid": {"window": {"window_size": [3]}}}, "other settings"),
            ({"counter": "bytes4"}, "another counter"),
            ({"retention": False}, "another counter"),
            ({"requests": True}, "other tables"),
            ({"sample": 0.5}, "another sample"),
            ({"seed": 5}, "another sample"),
            ({"format": "openai_messages"}, "another way"),
            ({"rows": 3}, "other files"),
            ({"rows": 4}, "other files"),
            ({"name": "copy.jsonl.gz"}, "other files"),
        ],
        ids=str,
    )
    def test_another_sweep_is_refused_in_a_sentence(
        self, tmp_path: Path, change: dict[str, Any], words: str
    ) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 3)
        swept(source, tmp_path / "out")
        if "rows" in change:
            packed_chats(source, change.pop("rows"))
        if "name" in change:
            source = source.rename(tmp_path / change.pop("name"))
        grid = change.pop("grid", GRID)
        reading = {
            name: change.pop(name)
            for name in ("sample", "seed", "format")
            if name in change
        }
        options = {"counter": "chars4", **change}
        fleet = memviz.Fleet(source, **reading)
        with pytest.raises(SweepError, match=f"{words}.*Choose another folder"):
            memviz.sweep(fleet, grid, write=tmp_path / "out", **options)

    @pytest.mark.parametrize(
        "manifest", [None, "[]", "{", '{"schema": [0, 0]}', b"\xff"]
    )
    def test_a_folder_of_something_else_is_left_alone(
        self, tmp_path: Path, manifest: str | bytes | None
    ) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 1)
        out = tmp_path / "out"
        out.mkdir()
        (out / "mine.txt").write_text("mine")
        if manifest is not None:
            data = manifest.encode() if isinstance(manifest, str) else manifest
            (out / "manifest.json").write_bytes(data)
        with pytest.raises(SweepError, match="Choose another folder"):
            swept(source, out)
        assert (out / "mine.txt").read_text() == "mine"

    def test_a_folder_that_cannot_be_written_is_a_sentence(
        self, tmp_path: Path
    ) -> None:
        source = packed_chats(tmp_path / "chats.jsonl.gz", 1)
        with pytest.raises(SweepError, match="cannot be written to"):
            swept(source, source / "out")


def test_a_source_that_breaks_off_ends_it_and_it_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 3)

    def broken_off(self: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(memviz.Fleet, "items", broken_off)
        with pytest.raises(SweepError, match=r"Input/output error.*go on"):
            swept(source, tmp_path / "out")
    assert swept(source, tmp_path / "out").runs == 9


class ClientError(Exception):
    """An error as those of aiohttp are: no OSError."""


@for_each("moment", ["open", "read"])
@for_each(
    "error",
    [FSTimeoutError(), ConnectionError(), ClientError("https://h/x?sig=QQ"), OSError(5, "x?sig=QQ")],
)  # fmt: skip
@for_each("name", ["x.jsonl", "x.jsonl.gz", "x.jsonl.zst", "x.parquet", "x.json"])  # fmt: skip
def test_a_network_that_drops_ends_it_and_is_no_damage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    error: Exception,
    moment: str,
) -> None:
    source = tmp_path / moment / type(error).__name__ / name
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(b"{}")

    class Dropping(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise error

    def drop(files: object, path: str, mode: str = "rb", **options: Any) -> Any:
        if moment == "open":
            raise error
        return Dropping(b"x" * 99)

    monkeypatch.setattr(LocalFileSystem, "open", drop)
    with pytest.raises(SweepError, match="cannot be read any more") as refusal:
        swept(source, source.with_name(f"{name}.out"))
    assert "QQ" not in str(refusal.value)


@pytest.mark.parametrize(
    ("limit", "at_once", "expected"),
    [
        ("CONVERSATIONS_AT_ONCE", 2, [2, 2, 1]),
        # Each has two requests under each of three settings.
        ("REQUESTS_AT_ONCE", 7, [2, 2, 1]),
        ("REQUESTS_AT_ONCE", 2, [1, 1, 1, 1, 1]),
    ],
)
def test_garbage_is_collected_after_a_few_conversations(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    at_once: int,
    expected: list[int],
) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 5)
    counts = []

    @contextmanager
    def watched_pause() -> Iterator[None]:
        counts.append(0)
        yield

    def watched(*arguments: Any) -> Any:
        for outcome in read_item(*arguments):
            counts[-1] += 1
            yield outcome

    monkeypatch.setattr(f"memviz.tuning.fleet.batches.{limit}", at_once)
    monkeypatch.setattr("memviz.tuning.fleet.batches.uncollected", watched_pause)
    monkeypatch.setattr("memviz.tuning.fleet.batches.read_item", watched)
    swept(source, tmp_path / "out")
    assert [count for count in counts if count] == expected


def test_garbage_is_collected_while_another_thread_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 3)
    logs = []

    def watched(subject: Any, *rest: Any) -> Any:
        logs.append(ref(subject.log))
        return replay_subject(subject, *rest)

    monkeypatch.setattr("memviz.tuning.fleet.batches.replay_subject", watched)
    with uncollected():
        swept(source, tmp_path / "out")
        assert [log() for log in logs] == [None] * 9


def test_runs_that_cannot_be_measured_together_are_measured_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1), chat(2, turns=3)]))

    def fail_long(runs: Any) -> Any:
        if any(len(run.requests) == 3 for run in runs):
            raise IndexError("one of them")
        return add_up(runs)

    add_up = traffic._add_up
    monkeypatch.setattr(traffic, "_add_up", fail_long)
    out = swept(tmp_path / "x.jsonl", tmp_path / "out")
    assert out.frame()["row"].tolist() == [1, 1, 1]
    failures = out.failures_frame()
    assert failures[["row", "setting"]].values.tolist() == [[2, 0], [2, 1], [2, 2]]
    assert set(failures["error"]) == {"memviz cannot measure it (IndexError)."}


def test_a_run_whose_row_cannot_be_made_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines([chat(1, turns=3), chat(2), chat(3)]))

    def fail_long(cell: Any, cost: Any) -> Any:
        if len(cell.traffic.input_tokens) == 3:
            raise IndexError("one of them")
        return list_measures(cell, cost)

    monkeypatch.setattr("memviz.tuning.fleet.batches.list_measures", fail_long)
    # Each is measured while the next one is added.
    monkeypatch.setattr("memviz.tuning.fleet.batches.REQUESTS_AT_ONCE", 1)
    out = swept(tmp_path / "x.jsonl", tmp_path / "out")
    assert out.frame()["row"].tolist() == [2, 2, 2, 3, 3, 3]
    failures = out.failures_frame()
    assert failures[["row", "setting"]].values.tolist() == [[1, 0], [1, 1], [1, 2]]


@pytest.mark.parametrize("given", [[{"role": "user", "content": "Hi"}], 5])
def test_what_is_no_fleet_is_not_written(tmp_path: Path, given: Any) -> None:
    with pytest.raises(ParameterError, match="write"):
        memviz.sweep(given, GRID, write=tmp_path / "out")


def test_a_fleet_needs_a_folder(tmp_path: Path) -> None:
    for given in (memviz.Fleet(tmp_path), tmp_path, str(tmp_path)):
        with pytest.raises(ParameterError, match="write"):
            memviz.sweep(given, GRID)  # type: ignore[call-overload]


def test_a_sample_is_swept_in_the_order_of_the_file(tmp_path: Path) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 400)
    out = memviz.sweep(
        memviz.Fleet(source, sample=0.05, seed=3), GRID, write=tmp_path / "out"
    )
    assert 5 < len(out.frame()) / 3 < 45
    assert out.frame()["row"].is_monotonic_increasing


def at_work(source: Path, folder: Path, **options: Any) -> Any:
    from memviz.tuning.fleet.batches import FleetPlan
    from memviz.tuning.fleet.sweeping import FleetSweeping
    from memviz.tuning.pricing_assumptions import PricingAssumptions

    plan = FleetPlan(
        memviz.Fleet(source),
        (memviz.strategy("window", window_size=2),),
        memviz.counter("chars4"),
        None,
        PricingAssumptions.of(),
        has_facts=False,
    )
    return FleetSweeping(plan, FleetFolder(folder), stop=Event(), **options)


KILLED = """
import sys
from pathlib import Path
from tests.tuning.fleet.test_fleet_sweep import at_work

if __name__ == "__main__":
    for done in at_work(Path(sys.argv[1]), Path(sys.argv[2]), batch_items=10, **{options}):
        print(done.batches, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX")
@pytest.mark.parametrize("options", [{}, {"executor": "processes", "workers": 2}])
def test_a_killed_sweep_goes_on_with_equal_rows(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 300)
    list(at_work(source, tmp_path / "whole", batch_items=10))
    script = tmp_path / "killed.py"
    script.write_text(KILLED.replace("{options}", repr(options)))
    command = [sys.executable, str(script), str(source), str(tmp_path / "out")]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 3:
            process.send_signal(signal.SIGKILL)
            break
    process.wait(SOON)
    before = len(list((tmp_path / "out" / "conversations").glob("*.parquet")))
    assert 3 <= before < 30
    resumed = at_work(source, tmp_path / "out", batch_items=10, **options)
    first, *_ = list(resumed)
    assert first.batches == before
    assert resumed.is_complete
    assert rows(tmp_path / "out").equals(rows(tmp_path / "whole"))


@pytest.mark.slow
def test_two_workers_of_a_dask_cluster_give_equal_rows(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    source = packed_chats(tmp_path / "chats.jsonl.gz", 100)
    list(at_work(source, tmp_path / "whole", batch_items=20))
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    ) as cluster:
        made = at_work(
            source,
            tmp_path / "out",
            batch_items=20,
            scheduler=cluster.scheduler_address,
        )
        list(made)
    assert made.is_complete
    assert rows(tmp_path / "out").equals(rows(tmp_path / "whole"))


@pytest.mark.slow
def test_threads_give_equal_rows(tmp_path: Path) -> None:
    source = packed_chats(tmp_path / "chats.jsonl.gz", 100)
    list(at_work(source, tmp_path / "whole", batch_items=10))
    list(
        at_work(source, tmp_path / "out", batch_items=10, executor="threads", workers=2)
    )
    assert rows(tmp_path / "out").equals(rows(tmp_path / "whole"))
