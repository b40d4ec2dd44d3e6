"""``memviz sweep``: the same numbers as through the API, kept, ended early and gone on with, and exported to code."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import memviz as api
from memviz.cli.sweep_options import Summarizing, Work
from memviz.code_export import targets
from memviz.core.text.wording import counted, dollars
from memviz.metrics.requests.token_use import count_token_use
from memviz.models.names import OFFLINE
from memviz.models.offline import OfflineModel
from memviz.storage.workspace import Workspace
from memviz.transcripts.loading import load_transcript
from memviz.tuning.grid import expand_grid, list_first_strategies, suggest_values
from memviz.tuning.grounds import Grounds
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.cli.terminal import (
    MEMVIZ,
    NASTY,
    ROOT,
    SECONDS,
    Shown,
    memviz,
    refused,
    written,
)
from tests.models.openai_server import OpenAIServer, openai_server, status, text
from tests.models.recordings.recorded import a_recording_of
from tests.tables import for_each

KEY = "sk-sweep-0123456789abcdefghij"
GRID = (
    "-s",
    "buffer",
    "-s",
    "window:window_size=2,4",
    "-s",
    "summary:buffer_size=1,2",
    "--counter",
    "chars4",
)
"""5 settings."""
LONG = (
    "-s",
    "summary_buffer:max_token_limit=100..3000/20",
    "-s",
    "summary:buffer_size=1..60/15",
)
"""Settings that take seconds."""


def swept(path: Path, **options: Any) -> api.Sweep:
    """``GRID`` through the API."""
    grid = {
        "buffer": {},
        "window": {"window_size": [2, 4]},
        "summary": {"buffer_size": [1, 2]},
    }
    return api.sweep(load_transcript(path), grid, counter="chars4", **options)


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name != "seconds"}
        for row in rows
    ]


def labels(shown: Shown) -> list[str]:
    return [row["label"] for row in shown.json["settings"]]


def waited_for(condition: Any, seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_seconds_measure_what_fits_and_say_what_is_left_out(chat: Path) -> None:
    # Enough settings that no machine measures all of them in a second.
    grid = (
        "-s",
        "summary_buffer:max_token_limit=100..3000/100,summary_words=20..300/20",
    )
    shown = memviz("sweep", "sample-support", *grid, "--seconds", 1, "--all")
    assert "That is what fits into 1 s." in shown.err
    assert "left out" in shown.err
    assert memviz("sweep", chat, *GRID, "--seconds", 600).err == ""


def test_a_folder_is_all_conversations_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    (folder / "older").mkdir(parents=True)
    written(folder / "b.json", turns=2, title="second")
    written(folder / "older" / "c.json", turns=3, title="third")
    written(folder / ".a.json", title="hidden")
    (folder / "a.json").write_text('{"colour": "red"}', encoding="utf-8")
    shown = memviz("sweep", folder, *GRID[:4], "--json")
    assert shown.json["conversations"] == ["second", "third"]
    assert "left out: a.json" in shown.err


def test_rules_have_a_column_where_there_are_any(chat: Path) -> None:
    assert memviz("sweep", "sample-support", *GRID[:4]).out.count("rules kept") == 2
    assert "rules kept" not in memviz("sweep", chat, *GRID[:4]).out


def test_a_large_sweep_says_before_how_long_it_takes(
    chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memviz.cli.sweep_plan.LONG_MESSAGES", 1)
    assert "5 settings over 1 conversation take about 1 s" in (
        memviz("sweep", chat, *GRID).err
    )
    # Runs that are kept take no time.
    assert "take about" not in memviz("sweep", chat, *GRID).err
    more = memviz("sweep", chat, *GRID, "-s", "window:window_size=7")
    assert "5 of 6 runs were measured before, the others take about 1 s" in more.err


class TestJson:
    def test_has_the_cells_of_the_api(self, chat: Path) -> None:
        shown = memviz("sweep", chat, *GRID, "--json")
        frame = swept(chat).frame()
        assert len(shown.json["cells"]) == len(frame) == 5
        for row, cell in zip(
            frame.to_dict("records"), shown.json["cells"], strict=True
        ):
            own = {name: row[name] for name in cell["parameters"]}
            assert own == cell["parameters"]
            for name in set(row) - {
                "seconds",
                "window_size",
                "buffer_size",
                "summary_words",
            }:
                assert cell[name] == row[name] or (
                    cell[name] is None and math.isnan(row[name])
                ), name

    def test_has_the_settings_and_the_recommendation(self, chat: Path) -> None:
        found = memviz(
            "sweep", chat, *GRID, "--keep", 0.5, "--max-peak", 400, "--json"
        ).json
        sweep = swept(chat)
        best = sweep.best(0.5, 400)
        assert best.setting is not None
        assert found["recommendation"]["sentence"] == best.sentence
        assert found["recommendation"]["parameters"] == best.setting.model_dump()
        assert [row["front"] for row in found["settings"]] == sweep.by_setting()[
            "front"
        ].tolist()
        assert found["wanted"] == {
            "min_retention": 0.5,
            "max_peak_tokens": 400,
            "over": "median",
            "allow_refused": False,
        }
        assert found["is_complete"]
        assert found["terms"]["model"]["model"] == "openai/gpt-5-mini"

    def test_is_json_whatever_is_unknown(self, chat: Path) -> None:
        shown = memviz("sweep", chat, *GRID, "--model", "openai/nothing-such", "--json")
        assert "NaN" not in shown.out
        assert {cell["usd"] for cell in shown.json["cells"]} == {None}
        assert "no price is known of openai/nothing-such" in shown.err

    def test_one_price_by_hand_hides_no_other_that_is_unknown(self, chat: Path) -> None:
        model = ("--model", "openai/nothing-such")
        shown = memviz(
            "sweep", chat, *GRID, *model, "--summarizer-usd-per-million", "1,2"
        )
        assert "no price is known of openai/nothing-such" in shown.err


class TestWhatIsTried:
    def test_without_a_strategy_what_the_page_tries_first(
        self, library: Workspace
    ) -> None:
        shown = memviz("sweep", "sample-trip", "--counter", "chars4", "--json")
        _, log = library.conversation("sample-trip")
        count = api.counter("chars4")
        largest = {
            "tokens": sum(map(count, (m.content for m in log))),
            "messages": len(log),
            "turns": log.turn_count,
        }
        grid = {
            id: suggest_values(id, largest=largest) for id in list_first_strategies()
        }
        assert labels(shown) == [one.label for one in expand_grid(grid)]

    @pytest.mark.parametrize(
        ("given", "sizes"),
        [
            ("2,4", [2, 4]),
            ("3", [3]),
            ("2..32/5", [2, 4, 8, 15, 32]),
            ("2..4,9", [2, 3, 4, 9]),
            (" 2 , 3", [2, 3]),
        ],
    )
    def test_lists_and_ranges(self, chat: Path, given: str, sizes: list[int]) -> None:
        rows = memviz(
            "sweep", chat, "-s", f"window:window_size={given}", "--json"
        ).json["settings"]
        assert [row["parameters"]["window_size"] for row in rows] == sizes

    def test_several_parameters_are_multiplied_out(self, chat: Path) -> None:
        given = "chat_summary_buffer:token_limit=50,90,count_initial_tokens=on,off"
        rows = memviz("sweep", chat, "-s", given, "--json").json["settings"]
        found = [
            (
                row["parameters"]["token_limit"],
                row["parameters"]["count_initial_tokens"],
            )
            for row in rows
        ]
        assert found == [(50, True), (50, False), (90, True), (90, False)]

    def test_numbers_in_the_steps_of_a_pipeline(self, chat: Path) -> None:
        given = "pipeline:window_tokens=4000,step 2 keep N messages=5,10..20/2"
        rows = memviz("sweep", chat, "-s", given, "--json").json["settings"]
        assert [row["label"] for row in rows] == [
            "Pipeline · step 2: keep 5 messages · 4,000 tokens",
            "Pipeline · 4,000 tokens",
            "Pipeline · step 2: keep 20 messages · 4,000 tokens",
        ]

    def test_what_is_not_named_has_its_suggested_values(self, chat: Path) -> None:
        rows = memviz(
            "sweep", chat, "-s", "recent_only:enable_summarization=off", "--json"
        ).json["settings"]
        assert len(rows) > 1
        assert {row["parameters"]["enable_summarization"] for row in rows} == {False}

    def test_the_same_strategy_twice_and_a_setting_once(self, chat: Path) -> None:
        shown = memviz(
            "sweep",
            chat,
            "-s",
            "window:window_size=2,4",
            "-s",
            "window:window_size=4,8",
            "--json",
        )
        assert [row["parameters"]["window_size"] for row in shown.json["settings"]] == [
            2,
            4,
            8,
        ]

    def test_set_goes_to_every_strategy_that_has_it_and_texts_stay_whole(
        self, chat: Path
    ) -> None:
        shown = memviz(
            "sweep",
            chat,
            "-s",
            "chat_summary_buffer:token_limit=60",
            "-s",
            "window",
            "--set",
            "window_size=2,3",
            "--set",
            "summarize_prompt=Sum up: a=b, c",
            "--json",
        )
        values = [row["parameters"] for row in shown.json["settings"]]
        assert values[0]["summarize_prompt"] == "Sum up: a=b, c"
        assert values[1:] == [{"window_size": 2}, {"window_size": 3}]


class TestConversations:
    def test_all_of_a_file_of_the_library_and_of_stdin(
        self, tmp_path: Path, chat: Path
    ) -> None:
        path = tmp_path / "three.json"
        talks = [
            {"conversations": [{"from": "human", "value": f"I am {n}"}]}
            for n in ("Ann", "Ben", "Cy")
        ]
        path.write_text(json.dumps(talks), encoding="utf-8")
        arguments = ("-s", "buffer", "--counter", "chars4", "--json")
        shown = memviz(
            "sweep", path, "sample-trip", "-", *arguments, stdin=chat.read_bytes()
        )
        assert len(shown.json["cells"]) == len(set(shown.json["conversations"])) == 5
        assert shown.json["settings"][0]["conversations"] == 5
        one = memviz("sweep", path, "--conversation", 2, *arguments)
        assert len(one.json["cells"]) == 1

    def test_the_same_title_twice_is_told_apart(self, tmp_path: Path) -> None:
        paths = [
            written(tmp_path / f"{n}.json", turns=2 + n, title=title)
            for n, title in enumerate(["Talk", "Talk (2)", "Talk"])
        ]
        assert memviz("sweep", *paths, "-s", "buffer", "--json").json[
            "conversations"
        ] == ["Talk", "Talk (2)", "Talk (3)"]

    def test_one_in_which_the_user_says_nothing_is_left_out(
        self, tmp_path: Path, chat: Path
    ) -> None:
        silent = tmp_path / "silent.json"
        silent.write_text(
            '[{"role": "assistant", "content": "Anybody?"}]', encoding="utf-8"
        )
        shown = memviz("sweep", silent, chat, "-s", "buffer", "--json")
        assert len(shown.json["cells"]) == 1
        assert "left out" in shown.err
        assert (
            "no conversation to sweep over"
            in memviz("sweep", silent, "-s", "buffer", code=1).err
        )

    def test_the_worst_one_can_count(self, tmp_path: Path) -> None:
        paths = [
            written(tmp_path / f"{turns}.json", turns=turns, title=f"{turns}")
            for turns in (3, 5, 20)
        ]
        arguments = ("-s", "buffer", "--counter", "chars4", "--json")
        middle, worst = (
            memviz("sweep", *paths, *arguments, *more).json
            for more in ((), ("--worst",))
        )
        peaks = sorted(cell["peak_tokens"] for cell in middle["cells"])
        assert middle["settings"][0]["peak_tokens"] == peaks[1]
        assert worst["settings"][0]["peak_tokens"] == peaks[2]


class TestPrices:
    def test_by_hand_count_instead_of_list_prices(self, chat: Path) -> None:
        by_hand = (
            "--model",
            "openai/nothing-such",
            "--usd-per-million",
            "2,10",
            "--pause",
            9999,
        )
        cells = memviz("sweep", chat, *GRID, *by_hand, "--json").json["cells"]
        for cell in cells:
            usd = (2 * cell["sent_tokens"] + 10 * cell["reply_tokens"]) / 1e6
            assert cell["main_usd"] == pytest.approx(usd)
        assert any(cell["summarizer_usd"] > 0 for cell in cells)

    def test_summaries_can_have_other_ones(self, chat: Path) -> None:
        more = (
            "--model",
            "anthropic/claude-sonnet-4-5",
            "--summarizer-model",
            "openai/gpt-5-nano",
        )
        cells = memviz("sweep", chat, *GRID, *more, "--json").json["cells"]
        assumptions = PricingAssumptions.of(
            "anthropic/claude-sonnet-4-5", "openai/gpt-5-nano"
        )
        assert [cell["usd"] for cell in cells] == swept(
            chat, assumptions=assumptions
        ).frame()["usd"].tolist()

    def test_the_pause_decides_what_the_cache_still_holds(self) -> None:
        short, long = (
            memviz(
                "sweep", "sample-trip", "-s", "buffer", "--pause", pause, "--json"
            ).json["cells"][0]
            for pause in (10, 90_000)
        )
        assert short["hit_rate"] > 0.5 > long["hit_rate"] == 0

    def test_unknown_is_said_and_never_0(self, chat: Path) -> None:
        lines = memviz(
            "sweep", chat, *GRID, "--model", "openai/nothing-such", "--all"
        ).lines
        rows = [
            line for line in lines if line.startswith(("Full", "Sliding", "Running"))
        ]
        assert len(rows) == 3 + 5, "the best of each strategy, and every setting"
        assert all("unknown" in row for row in rows)
        sureness = Grounds(1, 0, OFFLINE).about_summaries[1]
        assert not any("$" in line for line in lines if line != sureness)


def rows_of(lines: list[str]) -> list[str]:
    """The settings of the large table, in order; behind them stands the sentence on what is shown."""
    at = next(
        number for number, line in enumerate(lines) if line.startswith("setting ")
    )
    return [line.split("  ")[0] for line in lines[at + 1 :]]


class TestRecorded:
    def test_tries_the_recorded_settings_where_no_values_are_given(
        self, chat: Path, tmp_path: Path
    ) -> None:
        lengths = [
            api.strategy("summary", buffer_size=1, summary_words=words)
            for words in (0, 120)
        ]
        path = tmp_path / "own.recording"
        a_recording_of(load_transcript(chat), *lengths, path=path)
        recording = ("--summarizer", f"recording:{path}", "--json", "--no-keep")
        found = memviz("sweep", chat, *recording)
        assert found.code == 0
        tried = [row for row in found.json["settings"] if row["strategy"] == "summary"]
        assert [row["parameters"]["summary_words"] for row in tried] == [0, 120]
        assert "summary_buffer" not in {
            row["strategy"] for row in found.json["settings"]
        }, "nothing of it was recorded"
        assert (
            len(memviz("sweep", chat, "-s", "summary", *recording).json["settings"])
            == 2
        )
        named = memviz("sweep", chat, "-s", "summary:buffer_size=2", *recording, code=1)
        assert "failed" in named.err, (
            "what is named is tried although it was not recorded"
        )


class TestTable:
    def test_begins_with_the_recommendation(self, chat: Path) -> None:
        best = swept(chat).best(0.5)
        lines = memviz("sweep", chat, *GRID, "--keep", 0.5).lines
        assert best.setting is not None
        assert lines[0] == best.answer
        assert lines[0].startswith(best.headline)
        assert lines[1 : 1 + len(best.grounds.sentences)] == list(
            best.grounds.sentences
        )
        assert " ".join(lines[: 1 + len(best.grounds.sentences)]) == best.advice

    def test_then_has_the_best_of_each_strategy_and_what_to_try_next(
        self, chat: Path
    ) -> None:
        lines = memviz(
            "sweep",
            "sample-trip",
            "-s",
            "buffer",
            "-s",
            "summary:buffer_size=10,20",
            "--keep",
            0.95,
        ).lines
        at = next(
            number
            for number, line in enumerate(lines)
            if line.startswith("best of each strategy")
        )
        assert [line.split("  ")[0] for line in lines[at + 1 : at + 3]] == [
            "Full buffer",
            "Running summary · 20 messages",
        ]
        assert lines[at + 2].endswith(
            "not what is asked, best at the edge: try buffer_size=40"
        )
        best = memviz(
            "sweep", "sample-trip", "-s", "summary:buffer_size=10,20", "--json"
        ).json["best_of_each"]
        assert [(one["strategy"], one["edge"]) for one in best] == [
            ("summary", {"parameter": "buffer_size", "value": 40})
        ]

    def test_has_the_front_and_what_does_what_is_asked_the_cheapest_first(
        self, library: Workspace
    ) -> None:
        transcript, _ = library.conversation("sample-trip")
        sweep = api.sweep(
            transcript,
            {
                "window": {"window_size": [2, 10, 40]},
                "summary": {"buffer_size": [2, 8, 20]},
            },
        )
        arguments = (
            "sweep",
            "sample-trip",
            "-s",
            "window:window_size=2,10,40",
            "-s",
            "summary:buffer_size=2,8,20",
        )
        table = sweep.by_setting()
        worth = table[table["front"] | (table["retention"] >= 0.5)].sort_values("usd")
        assert 0 < len(worth) < len(table)
        lines = memviz(*arguments, "--keep", 0.5).lines
        assert rows_of(lines)[: len(worth)] == worth["label"].tolist()
        assert f"{len(worth)} of 6 settings. --all shows the others." in lines[-1]
        everything = memviz(*arguments, "--keep", 0.5, "--all").lines
        assert set(rows_of(everything)[:6]) == set(table["label"])

    def test_where_nothing_does_it_that_is_said(self, chat: Path) -> None:
        shown = memviz("sweep", chat, *GRID, "--max-peak", 1)
        assert shown.lines[0].startswith("No setting stays within 1 tokens a request")
        assert "recommended" not in shown.out

    def test_titles_and_labels_of_others_do_nothing_to_the_terminal(
        self, tmp_path: Path
    ) -> None:
        shown = memviz(
            "sweep", written(tmp_path / "a.json", title=NASTY), "-s", "window"
        )
        assert "\x1b" not in shown.out + shown.err

    def test_a_setting_that_cannot_be_run_is_told(
        self, library: Workspace, chat: Path
    ) -> None:
        (entry,) = library.add(
            [replace(load_transcript(chat), system_prompt="word " * 500)]
        )
        given = "chat_summary_buffer:token_limit=100,5000,count_initial_tokens=on"
        shown = memviz("sweep", entry.id, "-s", given)
        assert (
            shown.lines[0]
            .partition(" does best")[0]
            .endswith("Chat summary buffer · 5,000 tokens · count initial tokens on")
        )
        assert (
            "Chat summary buffer · token_limit=100 · count_initial_tokens=True could not be run: "
            in shown.err
        )
        assert "system prompt" in shown.err

    def test_failed_summaries_are_told_and_not_kept(
        self, chat: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise api.ModelError("down")

        with monkeypatch.context() as patched:
            patched.setattr(OfflineModel, "summarize_from", refuse)
            assert "summarizations failed" in memviz("sweep", chat, *GRID, code=1).err
        assert memviz("sweep", chat, *GRID, "--json").json["measured"] == 2


class TestFilesWritten:
    def test_csv_is_the_frame(self, chat: Path) -> None:
        memviz("sweep", chat, *GRID, "--csv", "sweep.csv")
        rows = list(
            csv.DictReader(Path("sweep.csv").read_text(encoding="utf-8").splitlines())
        )
        frame = swept(chat).frame()
        assert list(rows[0]) == list(frame.columns)
        assert [int(row["all_tokens"]) for row in rows] == frame["all_tokens"].tolist()

    def test_csv_on_stdout_is_all_that_is_there(self, chat: Path) -> None:
        shown = memviz("sweep", chat, *GRID, "--csv", "-")
        assert len(shown.lines) == 6
        assert shown.lines[0].startswith("setting,strategy,label")
        assert " does best. " in shown.err

    def test_no_conversation_is_written_over(self, chat: Path) -> None:
        before = chat.read_bytes()
        shown = memviz(
            "sweep", "sample-trip", chat, "-s", "buffer", "--csv", chat, code=1
        )
        assert "the conversation itself" in shown.err
        assert chat.read_bytes() == before


class TestExportToCode:
    @for_each("id", targets())
    def test_every_target_of_the_recommended_setting(self, chat: Path, id: str) -> None:
        shown = memviz(
            "sweep", chat, "-s", "summary:buffer_size=2", "--keep", 0, "--code", id
        )
        assert "Running summary" in shown.out
        assert "Running summary · 2 messages does best." in shown.err
        if targets()[id].language == "python":
            compile(shown.out, id, "exec")

    def test_where_a_target_has_no_code_it_says_so_and_writes_nothing(
        self, chat: Path
    ) -> None:
        arguments = (
            "sweep",
            chat,
            "-s",
            "head_and_tail",
            "--keep",
            0,
            "--code",
            "plain_python",
        )
        shown = memviz(*arguments, "--out", "memory.py", code=1)
        assert "Error: There is no code for plain Python" in shown.err
        assert "memviz_code" in shown.err
        assert not Path("memory.py").exists()
        assert memviz(*arguments, code=1).out == ""

    def test_the_help_names_every_target(self) -> None:
        shown = " ".join(memviz("sweep", "--help").out.split())
        assert all(
            id in shown.partition("--code TARGET")[2].partition("--out")[0]
            for id in targets()
        )

    def test_the_file_replays_to_the_same_totals(self, chat: Path) -> None:
        arguments = (
            "--counter",
            "chars4",
            "--keep",
            0.4,
            "--code",
            "memory_yaml",
            "--out",
            "memory.yaml",
        )
        best = memviz(
            "sweep", chat, "-s", "summary_buffer:max_token_limit=40,90", *arguments
        )
        assert "Summary buffer · 90 tokens" in best.lines[0]
        assert (
            yaml.safe_load(Path("memory.yaml").read_text())["memory"]["counter"]
            == "chars4"
        )
        sweep = memviz(
            "sweep",
            chat,
            "-s",
            "summary_buffer:max_token_limit=40,90",
            *arguments[:4],
            "--json",
        ).json
        row = next(
            row
            for row in sweep["settings"]
            if row["setting"] == sweep["recommendation"]["setting"]
        )
        run = memviz(
            "replay", chat, "--config", "memory.yaml", "--model", "offline", "--json"
        ).json
        assert run["strategy"] == {
            "id": row["strategy"],
            "parameters": row["parameters"],
        }
        use = count_token_use(api.Run.from_dict(run))
        assert (use.sent_tokens, use.peak_tokens) == (
            row["sent_tokens"],
            row["peak_tokens"],
        )
        assert (use.summarizations, use.summarizer_tokens) == (
            row["summarizations"],
            row["summarizer_tokens"],
        )

    def test_the_beginning_of_a_target_names_it(self, chat: Path) -> None:
        asked = ("sweep", chat, "-s", "summary:buffer_size=2", "--keep", 0, "--code")
        whole = memviz(*asked, "plain_python")
        assert memviz(*asked, "plain").out == whole.out

    def test_nothing_to_export_is_an_error(self, chat: Path) -> None:
        shown = memviz(
            "sweep", chat, *GRID, "--max-peak", 1, "--code", "memory_yaml", code=1
        )
        assert shown.out == ""
        assert "there is no code to write" in shown.err


class TestKept:
    def test_a_conversation_of_the_library_and_its_file_share_them(
        self, library: Workspace, chat: Path
    ) -> None:
        (entry,) = library.add([load_transcript(chat)])
        memviz("sweep", entry.id, *GRID)
        assert memviz("sweep", chat, *GRID, "--json").json["measured"] == 0

    def test_the_page_finds_them(self, library: Workspace) -> None:
        memviz("sweep", "sample-trip", *GRID)
        grid = (
            api.strategy("window", window_size=4),
            api.strategy("summary", buffer_size=2),
        )
        page = library.sweeping(
            ["sample-trip"], grid, counter="chars4", summarizer=OfflineModel()
        )
        assert len(list(page)) == 2
        assert page.measured == 0

    def test_only_if_that_is_wanted(self, chat: Path, database: Path) -> None:
        for _ in range(2):
            assert (
                memviz("sweep", chat, *GRID, "--no-keep", "--json").json["measured"]
                == 5
            )
        assert not database.exists()


def kept_cells(database: Path) -> int:
    """How many cells are in the file; none as long as there is no table."""
    try:
        with closing(
            sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        ) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM kept").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.skipif(os.name != "posix", reason="signals are others here")
class TestEndedEarly:
    @pytest.fixture
    def long_chat(self, tmp_path: Path) -> Path:
        return written(tmp_path / "long.json", turns=150)

    @pytest.fixture(autouse=True)
    def _none_is_left(self) -> Iterator[None]:
        self.started: list[subprocess.Popen[bytes]] = []
        yield
        for one in self.started:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)
                one.communicate()

    def begun(
        self, path: Path, database: Path, *more: object
    ) -> subprocess.Popen[bytes]:
        """A sweep in a process of its own that has kept some cells."""
        started = subprocess.Popen(
            [*MEMVIZ, "sweep", str(path), *LONG, *map(str, more)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        self.started.append(started)
        waited_for(lambda: kept_cells(database) >= 3 or started.poll() is not None)
        assert started.poll() is None, started.communicate()
        return started

    def gone_on(self, path: Path, kept: int, *, compared: bool = True) -> None:
        """The same command measures the rest only and, where ``compared``, its numbers are those of a sweep that nobody
        ended."""
        rest = memviz("sweep", path, *LONG, "--json").json
        assert rest["is_complete"]
        assert rest["measured"] == len(rest["cells"]) - kept
        if not compared:
            return
        whole = memviz("sweep", path, *LONG, "--json", "--no-keep").json
        assert timeless(rest["cells"]) == timeless(whole["cells"])
        assert rest["recommendation"] == whole["recommendation"]

    @pytest.mark.slow
    def test_killed_it_goes_on_where_it_was(
        self, long_chat: Path, database: Path
    ) -> None:
        started = self.begun(long_chat, database)
        started.kill()
        started.communicate()
        kept = kept_cells(database)
        self.gone_on(long_chat, kept)

    @pytest.mark.slow
    def test_ctrl_c_shows_what_is_finished_and_says_how_to_go_on(
        self, long_chat: Path, database: Path
    ) -> None:
        started = self.begun(long_chat, database)
        os.killpg(started.pid, signal.SIGINT)
        out, err = (stream.decode() for stream in started.communicate(timeout=SECONDS))
        kept = kept_cells(database)
        assert started.returncode == 130
        assert "Traceback" not in err
        assert f"Stopped by Ctrl-C. {kept} of " in err
        assert "had been measured before" not in err
        assert "goes on from here" in err
        assert out.startswith(("By cost and size alone", "No setting "))
        assert f" of {kept} settings." in out
        self.gone_on(long_chat, kept, compared=False)

    @pytest.mark.slow
    def test_ctrl_c_twice_ends_at_once(self, long_chat: Path, database: Path) -> None:
        started = self.begun(long_chat, database, "--workers", 2)
        for _ in range(2):
            os.killpg(started.pid, signal.SIGINT)
            time.sleep(0.15)
        _, err = started.communicate(timeout=SECONDS)
        assert started.returncode == 130
        assert b"Traceback" not in err


class TestProcesses:
    @for_each(
        ("summarizing", "work", "executor"),
        [
            (Summarizing(), Work(), {"executor": "inline", "workers": None}),
            (Summarizing(), Work(workers=2), {"executor": "processes", "workers": 2}),
            (
                Summarizing(),
                Work(workers=2, dask=True),
                {"executor": "dask", "workers": 2, "scheduler": None},
            ),
            (
                Summarizing(summarizer="openai/gpt-4o", concurrency=3),
                Work(),
                {"executor": "threads", "workers": 3},
            ),
        ],
    )
    def test_who_does_the_work(
        self, summarizing: Summarizing, work: Work, executor: dict[str, Any]
    ) -> None:
        assert work.executor_for(summarizing) == executor

    def test_a_scheduler_that_is_not_there_is_a_sentence(
        self, chat: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("distributed")
        monkeypatch.setattr("memviz.tuning.executors.CONNECT_SECONDS", 0.5)
        address = "tcp://127.0.0.1:9"
        words = (f"No Dask scheduler answers at {address}", "local cluster")
        refused("sweep", chat, *GRID, "--scheduler", address, code=1, words=words)


class TestPaidSummarizer:
    PRICED = ("--summarizer", "openai/gpt-5-mini", "--yes")

    @pytest.fixture
    def server(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
        with openai_server() as running:
            running.otherwise = text("They spoke about the harbour.")
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            monkeypatch.setenv("OPENAI_BASE_URL", running.api_base)
            monkeypatch.setenv("OPENAI_API_BASE", running.api_base)
            yield running

    def test_says_what_it_will_cost_and_what_it_did(
        self, chat: Path, server: OpenAIServer
    ) -> None:
        shown = memviz("sweep", chat, *GRID, *self.PRICED, "--budget", 1, "--json")
        calls = sum(cell["summarizations"] for cell in shown.json["cells"])
        assert len(server.requests) == calls > 0
        assert (
            f"openai/gpt-5-mini would write {counted(calls, 'summary')}: about "
            in shown.err
        )
        assert "At most $1.00 is spent." in shown.err
        usd = (
            calls * (1000 * 0.25 + 100 * 2) / 1e6
        )  # what the server says it used, at list price
        assert (
            f"Spent on openai/gpt-5-mini: {dollars(usd)} in {calls} calls." in shown.err
        )
        assert shown.json["summarizer"] == "openai/gpt-5-mini"
        assert shown.json["terms"]["summarizer"]["model"] == "openai/gpt-5-mini"

    def test_a_budget_that_is_spent_midway_ends_it_with_what_is_finished(
        self, chat: Path, server: OpenAIServer
    ) -> None:
        free = memviz("sweep", chat, *GRID, "--json").json["cells"]
        first, second = (
            cell["summarizations"] for cell in free if cell["summarizations"]
        )
        one_call, at_most = (1000 * 0.25 + 100 * 2) / 1e6, 4096 * 2 / 1e6 + 0.0005
        few = (
            "--budget",
            round((first + 0.5) * one_call + at_most, 6),
            "--concurrency",
            1,
        )
        shown = memviz("sweep", chat, *GRID, *self.PRICED, *few, "--json", code=1)
        done = shown.json["cells"]
        assert len(done) == 4, "all but the last setting"
        assert "The budget of" in shown.json["stopped"]
        assert (
            "4 of 5 runs are measured. The same command goes on from here." in shown.err
        )
        paid = len(server.requests)
        assert first < paid < first + second
        more = memviz("sweep", chat, *GRID, *self.PRICED, "--budget", 1, "--json")
        assert (
            f"openai/gpt-5-mini would write {counted(second, 'summary')}: about "
            in more.err
        ), "those that are left"
        assert (more.json["is_complete"], more.json["measured"]) == (True, 1)
        assert len(server.requests) == first + second, "no answer was paid twice"

    def test_a_key_that_is_refused_ends_it_at_once(
        self, chat: Path, server: OpenAIServer
    ) -> None:
        server.otherwise = status(401, "Incorrect API key")
        shown = memviz(
            "sweep",
            chat,
            *GRID,
            *self.PRICED,
            "--budget",
            1,
            "--concurrency",
            1,
            code=1,
        )
        assert len(server.requests) == 1
        assert "API key" in shown.err
        assert (
            "of 5 runs are measured. The same command goes on from here." in shown.err
        )

    def test_the_key_is_nowhere(
        self,
        tmp_path: Path,
        chat: Path,
        server: OpenAIServer,
        capfd: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        with caplog.at_level("DEBUG"):
            shown = memviz("sweep", chat, *GRID, *self.PRICED, "--budget", 1)
        assert any(
            KEY in request.headers.get("authorization", "")
            for request in server.requests
        )
        beside = capfd.readouterr()
        assert KEY not in shown.out + shown.err + beside.out + beside.err
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert any(path.parent.name == "library.answers" for path in files)
        assert not [path for path in files if KEY.encode() in path.read_bytes()]

    def test_prices_by_hand_allow_a_model_without_one(
        self, chat: Path, server: OpenAIServer
    ) -> None:
        arguments = ("--summarizer", "openai/nothing-such", "--yes", "--budget", 1)
        assert "price" in memviz("sweep", chat, *GRID, *arguments, code=2).err
        assert server.requests == []
        by_hand = ("--summarizer-usd-per-million", "1,3")
        cells = memviz("sweep", chat, *GRID, *arguments, *by_hand, "--json").json[
            "cells"
        ]
        assert sum(cell["summarizer_usd"] for cell in cells) > 0

    def test_a_no_spends_nothing(
        self, chat: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memviz.cli.paying.asks", lambda: True)
        arguments = (
            "sweep",
            chat,
            *GRID,
            "--summarizer",
            "openai/gpt-5-mini",
            "--budget",
            1,
        )
        shown = memviz(*arguments, stdin="n\n", code=1)
        assert "Nothing was spent" in shown.err
        assert server.requests == []
        memviz(*arguments, stdin="y\n")
        assert server.requests


class TestWrongUse:
    @for_each(
        ("arguments", "words"),
        [
            (("-s", "nope"), ("no strategy", "'nope'")),
            (("-s", "window:window_size=0"), ("'window_size'", "is 0")),
            (("-s", "window:window_size=two"), ("'two'", "whole number")),
            (("-s", "window:window_size=2,,4"), ("''", "whole number")),
            (
                ("-s", "window:size=4"),
                ("has no parameter 'size'", "it has window_size"),
            ),
            (("-s", "window", "--set", "size=4"), ("'size'",)),
            (("-s", "window:window_size=9..2"), ("'9..2'", "LOW..HIGH")),
            (("-s", "window:window_size=0..2"), ("'0..2'", "LOW..HIGH")),
            (("-s", "window:window_size=2..9/1"), ("'2..9/1'", "steps")),
            (
                ("-s", "recent_only:enable_summarization=maybe"),
                ("'maybe'", "true or false"),
            ),
            (("--counter", "gpt9"), ("no token counter", "'gpt9'")),
            (("--code", "rust"), ("no target", "'rust'", "memory_yaml")),
        ],
    )
    def test_is_one_sentence(
        self, chat: Path, arguments: tuple[str, ...], words: tuple[str, ...]
    ) -> None:
        refused("sweep", chat, *arguments, code=2, words=words)

    @for_each(
        ("arguments", "words"),
        [
            (("-s", "window:4"), "not of the form"),
            (("--json", "--csv", "-"), "would both write to stdout"),
            (("--json", "--code", "memory_yaml"), "would both write to stdout"),
            (("--out", "x"), "--code"),
            (("--keep", "1.5"), "--keep"),
            (("--keep", "90"), "from 0% to 100%"),
            (("--usd-per-million", "1"), "--usd-per-million"),
            (("--usd-per-million", "1,-2"), "--usd-per-million"),
            (("--usd-per-million", "1,nan"), "--usd-per-million"),
            (("--dask", "--scheduler", "tcp://x:1"), "Give one of them"),
            (("--concurrency", "3"), "--workers"),
            (("--summarizer", "openai/gpt-5-mini"), "--budget"),
            (("--summarizer", "openai/gpt-5-mini", "--budget", "1"), "--yes"),
            (
                (
                    "--summarizer",
                    "openai/gpt-5-mini",
                    "--budget",
                    "1",
                    "--yes",
                    "--workers",
                    "2",
                ),
                "--concurrency",
            ),
        ],
    )
    def test_options_that_do_not_fit(
        self, chat: Path, arguments: tuple[str, ...], words: str
    ) -> None:
        shown = memviz("sweep", chat, *arguments, code=2)
        assert words in " ".join(shown.err.split())
        assert shown.out == ""

    def test_a_missing_key_is_told_before_anything_runs(
        self, chat: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        paid = ("--summarizer", "openai/gpt-5-mini", "--budget", 1, "--yes")
        refused("sweep", chat, *GRID, *paid, code=1, words=("OPENAI_API_KEY",))

    def test_a_file_that_is_not_there(self) -> None:
        refused("sweep", "typo.json", code=1, words=("typo.json",))
