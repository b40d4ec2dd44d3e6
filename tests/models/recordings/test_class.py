"""A class opens the same recordings, each on a machine of its own: all see the same figures."""

from __future__ import annotations

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
FIGURES = """
import hashlib, json
import memviz
from tests.models.recordings.test_class import CONVERSATION, EVERY_WHICH_SETTING, played
for run, transcript, _ in list(played(CONVERSATION))[::EVERY_WHICH_SETTING]:
    value = [run.to_dict(), memviz.retention(run, transcript.probes).frame().to_csv()]
    print(run.strategy.id, hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest())
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


def figures(folder: Path, seed: str, zone: str) -> str:
    """What a new process on a new database makes of one recording."""
    folder.mkdir()
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": seed,
        "TZ": zone,
        "MEMVIZ_DB": str(folder / "memviz.db"),
    }
    done = subprocess.run(
        [sys.executable, "-c", FIGURES],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_figures_are_the_same_everywhere(tmp_path: Path) -> None:
    first = figures(tmp_path / "a", "1", "UTC")
    assert len(first.splitlines()) > 2
    assert figures(tmp_path / "b", "2", "Asia/Shanghai") == first


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
