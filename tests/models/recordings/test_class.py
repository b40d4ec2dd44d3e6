"""A class opens the same recordings, each on a machine of its own: all see the same figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memviz import recordings

ROOT = Path(__file__).resolve().parents[3]
FIGURES = """
import hashlib, json, sys
import memviz
from memviz.transcripts.samples import sample
from memviz.storage.workspace import FIRST_SAMPLE, SAMPLE_PREFIX, RunKey, Workspace
for name, recording in memviz.recordings().items():
    if name not in sys.argv[1:]:
        continue
    conversation = name.partition("-")[0]
    transcript = sample(conversation)
    here = Workspace()
    for setting in recording.settings.values():
        chosen = dict(setting.strategy)
        strategy = memviz.strategy(chosen.pop("id"), **chosen)
        key = RunKey(SAMPLE_PREFIX + conversation, strategy, setting.counter, "offline")
        played = "recording:" + name if recording.about.only_by_name else here.recorded_for(key)
        run = here.run(RunKey(key.conversation_id, strategy, key.counter, played), here.recordings.player(played))
        kept = memviz.retention(run, transcript.probes)
        questions = transcript.probes if setting.answers else ()
        answers = [memviz.ask(run, probe.question, model=here.recordings.first()) for probe in questions]
        assert all(answer.facts.recorded for answer in answers), (name, strategy.label)
        assert all(one.recorded for one in run.compactions), (name, strategy.label)
        value = [run.to_dict(), kept.frame().to_csv(), [answer.reply for answer in answers]]
        print(name, strategy.id, hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest())
"""


def figures(folder: Path, seed: str, zone: str, names: list[str]) -> list[str]:
    """What a new process on a new database makes of the recordings of these conversations."""
    folder.mkdir()
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": seed,
        "TZ": zone,
        "MEMVIZ_DB": str(folder / "memviz.db"),
    }
    done = subprocess.run(
        [sys.executable, "-c", FIGURES, *names],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_figures_are_the_same_everywhere_and_every_summary_and_answer_is_recorded(
    tmp_path: Path,
) -> None:
    first = figures(tmp_path / "a", "1", "UTC", list(recordings()))
    assert len(first) == sum(
        len(recording.settings) for recording in recordings().values()
    )
    again = figures(tmp_path / "b", "2", "Asia/Shanghai", ["chinese"])
    assert again == [line for line in first if line.split()[0] == "chinese"]
