"""A class opens the same recordings, each on a machine of its own: all see the same figures."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import memviz
from memviz import Run, recordings
from memviz.models.recordings.recording import RecordedSetting
from memviz.storage.workspace import SAMPLE_PREFIX, RunKey, Workspace
from memviz.transcripts.base import Transcript
from memviz.transcripts.samples import sample

ROOT = Path(__file__).resolve().parents[3]
CONVERSATION = "chinese"
EVERY_WHICH_SETTING = 3
SCRIPT = """
from tests.models.recordings.test_class import figures
print(figures())
"""


def played(name: str) -> Iterator[tuple[Run, Transcript, RecordedSetting]]:
    """Each setting of a bundled recording as a new library replays it, with its conversation."""
    recording = recordings()[name]
    conversation = name.partition("-")[0]
    here = Workspace()
    for setting in recording.settings.values():
        chosen = dict(setting.strategy)
        strategy = memviz.strategy(chosen.pop("id"), **chosen)
        key = RunKey(SAMPLE_PREFIX + conversation, strategy, setting.counter, "offline")
        only_by_name = recording.about.only_by_name
        by = f"recording:{name}" if only_by_name else here.recorded_for(key)
        run = here.run(replace(key, summarizer=by), here.recordings.player(by))
        yield run, sample(conversation), setting


def figures() -> str:
    """The figures of every third setting of one recording, a line each: its strategy and their fingerprint."""
    lines = []
    for run, transcript, _ in list(played(CONVERSATION))[::EVERY_WHICH_SETTING]:
        kept = memviz.retention(run, transcript.probes).frame().to_csv()
        value = json.dumps([run.to_dict(), kept], sort_keys=True)
        fingerprint = hashlib.sha256(value.encode()).hexdigest()
        lines.append(f"{run.strategy.id} {fingerprint}")
    return "\n".join(lines)


def figures_elsewhere(folder: Path) -> str:
    """The same figures from a new process, on a new database, in another time zone and with other hashes of strings
    than here."""
    here = os.environ.get("PYTHONHASHSEED", "random")
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": "2" if here == "1" else "1",
        "TZ": "Asia/Shanghai",
        "MEMVIZ_DB": str(folder / "elsewhere.db"),
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_figures_are_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMVIZ_DB", str(tmp_path / "here.db"))
    here = figures()
    assert len(here.splitlines()) > 2
    assert figures_elsewhere(tmp_path) == here


@pytest.mark.slow
@pytest.mark.parametrize("name", recordings())
def test_every_summary_and_answer_is_recorded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMVIZ_DB", str(tmp_path / "memviz.db"))
    player = Workspace().recordings.first()
    for run, transcript, setting in played(name):
        assert all(one.recorded for one in run.compactions), run.strategy.label
        for probe in transcript.probes if setting.answers else ():
            answer = memviz.ask(run, probe.question, model=player)
            assert answer.facts.recorded, (run.strategy.label, probe.question)
