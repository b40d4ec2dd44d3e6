"""What the offline model says belongs to a version, and what is kept of an older one is made again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.measured import measured_conversations
from memviz import Message, counter, replay, strategy
from memviz.models.names import OFFLINE
from memviz.models.offline import VERSION, OfflineModel
from memviz.storage.store import Store
from memviz.storage.workspace import FIRST_SAMPLE, RunKey, Workspace
from memviz.transcripts.samples import bundled
from memviz.tuning.grid import expand_grid
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping

SUMMARIZING = (
    strategy("summary", buffer_size=4),
    strategy("chat_summary_buffer", token_limit=1500),
    strategy("summary_only"),
)
SAID = {
    1: "1fe4a281fd7c2de1",
    2: "d491d01b2c86fd52",
    3: "d491d01b2c86fd52",
    4: "dacb56c001cfbc88",
    5: "e20109afc4a5d775",
    6: "b3ef60dec1993c09",
    7: "605c151cf2799a04",
    8: "bec9d332c48f5aab",
}
"""Digests of what each version says over four bundled conversations."""


def everything_said() -> list[str]:
    """The summaries of four bundled conversations, the answers to their questions, and some acknowledgements."""
    model, said = OfflineModel(), list[str]()
    for _, transcript in measured_conversations():
        said += [
            one.text
            for setting in SUMMARIZING
            for one in replay(transcript, setting, model=model).summaries
        ]
        asked = [Message("user", probe.question) for probe in transcript.probes]
        said += [
            model.complete([*transcript.messages, question]).text for question in asked
        ]
        said += [
            model.complete(transcript.messages[:length]).text for length in (1, 9, 17)
        ]
    return said


@pytest.mark.slow
def test_a_change_of_what_it_says_has_a_version_of_its_own() -> None:
    digest = hashlib.sha256(json.dumps(everything_said()).encode()).hexdigest()[:16]
    assert SAID.get(VERSION) == digest, (
        "The offline model says something else than before. Raise VERSION in memviz/models/offline/model.py by one, so "
        f"that kept runs are made again, and add it to SAID with the digest {digest!r}."
    )


def raise_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memviz.models.offline.VERSION", VERSION + 1)
    monkeypatch.setattr("memviz.models.offline.model.VERSION", VERSION + 1)


def test_a_run_of_another_version_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = RunKey(FIRST_SAMPLE, SUMMARIZING[0], "chars4", OFFLINE)
    Workspace(tmp_path / "a.db").run(key, OfflineModel())
    assert Workspace(tmp_path / "a.db").kept_run(key) is not None
    raise_version(monkeypatch)
    assert Workspace(tmp_path / "a.db").kept_run(key) is None


def test_a_free_run_of_another_version_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = RunKey(
        FIRST_SAMPLE, strategy("window"), "chars4", "another", model=OFFLINE
    )
    summarized = replace(
        answered, strategy=SUMMARIZING[0], summarizer=OFFLINE, model="another"
    )
    for key in (answered, summarized):
        workspace = Workspace(tmp_path / "a.db")
        free = workspace.free_run(key, OfflineModel(), OfflineModel())
        list(free.next_turn())
        workspace.keep_free_run(key, free.run)
        assert Workspace(tmp_path / "a.db").kept_free_run(key) is not None
    raise_version(monkeypatch)
    assert [
        Workspace(tmp_path / "a.db").kept_free_run(key)
        for key in (answered, summarized)
    ] == [None, None]


def test_what_the_offline_model_has_no_say_in_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = [
        RunKey("any", strategy("window"), "chars4", OFFLINE, model="another"),
        RunKey("any", SUMMARIZING[0], "chars4", "another"),
    ]
    before = [key.digest(9) for key in keys]
    raise_version(monkeypatch)
    assert [key.digest(9) for key in keys] == before


def test_cells_of_another_version_are_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(model: OfflineModel) -> int:
        subject = SweepConversation.of(bundled()["trip"], counter("chars4"))
        grid = expand_grid(
            {"summary": {"buffer_size": [4]}, "window": {"window_size": [4, 8]}}
        )
        work = Sweeping(
            (subject,),
            grid,
            counter="chars4",
            summarizer=model,
            kept=Store(tmp_path / "a.db"),
            executor="inline",
        )
        list(work)
        return work.measured

    assert measured(OfflineModel()) == 3
    assert measured(OfflineModel()) == 0
    assert measured(OfflineModel(summary_budget_tokens=60)) == 1
    raise_version(monkeypatch)
    assert measured(OfflineModel()) == 1, "the windows stay"
