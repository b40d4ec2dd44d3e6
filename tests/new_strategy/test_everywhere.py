"""A new strategy is one file: the library, the command line, files, code and reports know it."""

from __future__ import annotations

from pathlib import Path

import pytest

import memviz
from memviz.code_export import NoCodeError, Setting, targets
from memviz.dashboard.lessons.study import Study, View, read_view
from memviz.dashboard.reporting.report import html_report
from memviz.engine.memory_config import load_memory_config, strategy_of
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.samples import sample
from tests.cli.terminal import memviz as command
from tests.new_strategy.conftest import ID, TITLE, both_ways

TRIP = "sample-trip"


def made(window_size: int = 3) -> memviz.Strategy:
    return memviz.strategy(ID, window_size=window_size)


@both_ways
def test_it_is_found_by_its_id() -> None:
    assert made().id == ID == memviz.strategies()[ID].id
    assert made().label == f"{TITLE} · 3 messages"
    assert list(memviz.strategies()).index(ID) < list(memviz.strategies()).index(
        "token_buffer"
    )


def test_a_replay_is_the_windows(tmp_path: Path) -> None:
    run, window = (
        memviz.replay(sample("trip"), one)
        for one in (made(), memviz.strategy("window", window_size=3))
    )
    assert [turn.total_tokens for turn in run.turns] == [
        turn.total_tokens for turn in window.turns
    ]
    assert memviz.Run.from_dict(run.to_dict()).strategy == made()
    assert [warning.title for warning in memviz.health_warnings(run)] == [
        warning.title for warning in memviz.health_warnings(window)
    ]


def test_a_report_shows_it() -> None:
    transcript = sample("trip")
    assert f"{TITLE} · 3 messages" in html_report(
        [memviz.replay(transcript, made())], transcript
    )


class TestCommandLine:
    def test_it_is_listed(self) -> None:
        assert f"{ID}  ({TITLE})" in command("strategies").out
        assert (
            command("strategies", ID, "--json").json["parameters"][0]["name"]
            == "window_size"
        )

    def test_it_replays(self, tmp_path: Path) -> None:
        run = command(
            "replay",
            TRIP,
            "-s",
            f"{ID}:window_size=3",
            "--html",
            tmp_path / "run.html",
            "--json",
        ).json
        assert run["strategy"] == {"id": ID, "parameters": {"window_size": 3}}
        assert TITLE in (tmp_path / "run.html").read_text(encoding="utf-8")

    @pytest.mark.slow
    def test_a_sweep_finds_and_exports_it(self) -> None:
        for target in targets():
            has_code = target in ("memory_yaml", "memviz_code")
            arguments = (
                "sweep",
                TRIP,
                "-s",
                f"{ID}:window_size=3,5",
                "--keep",
                0,
                "--code",
                target,
            )
            shown = command(*arguments, code=0 if has_code else 1)
            assert f"Take {TITLE} · " in shown.err
            assert TITLE in (shown.out if has_code else shown.err)

    @pytest.mark.slow
    def test_a_sweep_without_names_tries_it(self, tmp_path: Path) -> None:
        command("sweep", TRIP, "--csv", tmp_path / "sweep.csv")
        assert f",{ID}," in (tmp_path / "sweep.csv").read_text(encoding="utf-8")


class TestFiles:
    def test_memory_yaml_gives_it_again(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.yaml"
        path.write_text(
            targets()["memory_yaml"].write(Setting(made())), encoding="utf-8"
        )
        assert strategy_of(load_memory_config(path)) == made()
        run = command(
            "replay", TRIP, "--config", path, "--model", "offline", "--json"
        ).json
        assert run["strategy"] == {"id": ID, "parameters": {"window_size": 3}}

    @both_ways
    @pytest.mark.parametrize(
        "target", [id for id in targets() if id not in ("memory_yaml", "memviz_code")]
    )
    def test_other_libraries_code_is_said_not_to_be_known(
        self, target: str, way: str
    ) -> None:
        why = (
            "comes from another package"
            if way == "an installed package"
            else "There is no code for"
        )
        with pytest.raises(
            NoCodeError, match=f"{why}.* to memviz_code or memory_yaml instead"
        ):
            targets()[target].write(Setting(made()))

    def test_memvizs_own_code_runs_it(self) -> None:
        names = {"__name__": "exported"}
        exec(targets()["memviz_code"].write(Setting(made())), names)  # noqa: S102
        assert names["strategy"] == made()


class TestKept:
    def test_the_library_gives_the_run_again(self, database: Path) -> None:
        key = RunKey(TRIP, made(), "o200k_base", "offline")
        run = Workspace(database).run(key, memviz.model("offline"))
        again = Workspace(database).run(key, memviz.model("offline"))
        assert again.strategy == made()
        assert [turn.total_tokens for turn in again.turns] == [
            turn.total_tokens for turn in run.turns
        ]

    def test_a_chat_goes_on_as_it_was_left(self, database: Path) -> None:
        workspace, model = Workspace(database), memviz.model("offline")
        chat = memviz.Chat(made(), model=model, summarizer=model)
        chat.send("My name is Ada.")
        id = workspace.new_chat(chat)
        workspace.save_chat(id, chat, "offline")
        run = Workspace(database).store.chat_run(id)
        assert run is not None
        assert memviz.Chat.resume(run, model=model).run.strategy == made()

    def test_a_sweep_is_kept(self) -> None:
        measured = [
            command("sweep", TRIP, "-s", f"{ID}:window_size=3,5", "--json").json[
                "measured"
            ]
            for _ in range(2)
        ]
        assert measured == [2, 0]


@pytest.mark.slow
def test_worker_processes_know_it() -> None:
    found = memviz.sweep(
        sample("trip"), {ID: {"window_size": [3, 5]}}, executor="processes", workers=2
    )
    assert [one.id for one in found.settings] == [ID, ID]
    assert not [cell.error for cell in found.cells.values() if cell.error]


def test_a_link_names_it() -> None:
    asked = {"setting": [f'{ID} {{"window_size": 3}}']}
    view, problems = read_view(asked, View(Study()))
    assert (view.study.settings, problems) == ((made(),), [])
