"""Jobs in real processes: the same numbers as here, and what becomes of them when something is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest

from memviz.core.errors import SweepError
from memviz.storage.store import Store
from memviz.tuning import sweeping as sweeping_module
from memviz.tuning.executors import run_in_processes as run
from tests.tuning.executors.measured import (
    expected,
    killed_once,
    numbers,
    slept,
    sweeping,
)

ROOT = Path(__file__).resolve().parents[3]
SOON = 60.0
"""Longer than processes take to begin and to end on a busy machine, in seconds, and far shorter than `NEVER`."""
NEVER = 600.0
"""A job that nobody waits for, in seconds."""


@pytest.mark.slow
def test_the_numbers_are_those_of_one_process() -> None:
    made = sweeping(executor="processes", workers=2)
    list(made)
    assert made.measured == made.total == 14
    assert numbers(made.sweep).equals(expected())


def test_no_jobs_begin_no_process() -> None:
    started = time.monotonic()
    assert list(run([], abs, Event(), workers=2)) == []
    assert time.monotonic() - started < 1


@pytest.mark.slow
def test_stopping_begins_nothing_new_and_keeps_what_is_at_work() -> None:
    stop, begun = Event(), time.monotonic()
    results = []
    for result in run([0.3] * 500, slept, stop, workers=2):
        results.append(result)
        stop.set()
    assert 1 <= len(results) <= 4
    assert time.monotonic() - begun < SOON


@pytest.mark.slow
def test_who_stops_listening_waits_for_no_job() -> None:
    results = run([0.0, *[NEVER] * 20], slept, Event(), workers=2)
    assert next(results) == 0.0
    begun = time.monotonic()
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert time.monotonic() - begun < SOON


@pytest.mark.slow
def test_a_killed_worker_is_a_sentence_and_what_was_finished_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, mark = Store(tmp_path / "a.db"), tmp_path / "mark"
    # One job in the middle kills its process; the first ones have come back by then.
    monkeypatch.setattr(sweeping_module, "measure_job", KilledAt(6, mark))
    made = sweeping(executor="processes", workers=1, kept=store)
    with pytest.raises(SweepError, match="was killed"):
        list(made)
    assert 0 < len(made.cells) < made.total
    monkeypatch.undo()
    again = sweeping(executor="inline", kept=store)
    list(again)
    assert again.measured == made.total - len(made.cells)
    assert numbers(again.sweep).equals(expected())


class KilledAt:
    """Does the work of a sweep, but for the job of one setting, which kills its process."""

    def __init__(self, setting: int, mark: Path) -> None:
        self.setting, self.mark = setting, mark

    def __call__(self, job):  # type: ignore[no-untyped-def]
        from memviz.tuning.cell import measure_job

        if any(place.setting == self.setting for place, _ in job.settings):
            return killed_once((job, self.mark))
        return measure_job(job)


@pytest.mark.skipif(os.name != "posix", reason="signals are others here")
class TestSignals:
    CODE = (
        # Whoever runs the tests in the background has them begin deaf to Ctrl-C.
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sys\nfrom threading import Event\nfrom tests.tuning.executors.measured import slept\n"
        "from memviz.tuning.executors import run_in_processes as run\n"
        "if __name__ == '__main__':\n"
        "    try:\n"
        "        for result in run([0.0, 0.0, *[600.0] * 9], slept, Event(), workers=2):\n"
        "            print('begun', flush=True)\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted', flush=True)\n"
    )

    def started(self, tmp_path: Path) -> subprocess.Popen[str]:
        script = tmp_path / "script.py"
        script.write_text(self.CODE, encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, str(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        return process

    @pytest.mark.slow
    def test_ctrl_c_reaches_the_parent_alone(self, tmp_path: Path) -> None:
        process = self.started(tmp_path)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        out, err = process.communicate(timeout=SOON)
        assert "interrupted" in out
        assert err == ""
        assert_all_gone(process.pid)

    @pytest.mark.slow
    def test_a_killed_parent_leaves_no_worker_behind(self, tmp_path: Path) -> None:
        process = self.started(tmp_path)
        assert len(members(process.pid)) >= 3
        process.kill()
        process.communicate(timeout=SOON)
        assert_all_gone(process.pid)


def members(group: int) -> list[int]:
    """The processes of a group, those that are only waiting to be collected left out."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def assert_all_gone(group: int) -> None:
    deadline = time.monotonic() + SOON
    while members(group):
        assert time.monotonic() < deadline, members(group)
        time.sleep(0.05)


def large(job: int) -> bytes:
    return b"x" * 20_000_000


@pytest.mark.slow
def test_who_stops_listening_in_the_middle_of_a_large_result_waits_for_nobody() -> None:
    results = run(range(20), large, Event(), workers=2)
    next(results)
    ends = Thread(target=results.close, daemon=True)
    ends.start()
    ends.join(60)
    assert not ends.is_alive()
