"""``memviz replay``: the same runs as through the API, as a table, JSON, CSV and a report."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memviz as api
from memviz import Run
from memviz.dashboard.ui.controls.setting import first_settings
from memviz.dashboard.words.compactions import compaction_words
from memviz.metrics.requests.token_use import count_token_use
from memviz.models.offline import OfflineModel
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.loading import load_transcript
from tests.cli.terminal import memviz, refused, written
from tests.models.openai_server import OpenAIServer, openai_server, status, text
from tests.tables import for_each
from tests.tool_loops import loops

PAID = ("--model", "openai/gpt-5-mini", "--budget", "1", "--yes")
SMALL = (
    "--strategy",
    "summary_buffer",
    "--set",
    "max_token_limit=60",
    "--counter",
    "chars4",
)


def small(path: Path) -> Run:
    """The run of ``SMALL`` through the API."""
    strategy = api.strategy("summary_buffer", max_token_limit=60)
    return api.replay(load_transcript(path), strategy, counter="chars4")


def clockless(run: dict[str, Any]) -> dict[str, Any]:
    return run | {
        "compactions": [
            compaction | {"seconds": 0} for compaction in run["compactions"]
        ]
    }


class TestJson:
    def test_is_the_run(self, chat: Path) -> None:
        shown = memviz("replay", chat, *SMALL, "--json")
        assert clockless(shown.json) == clockless(small(chat).to_dict())
        assert shown.json["compactions"]
        assert shown.err == ""
        assert Run.from_dict(shown.json).turns

    def test_of_several_strategies_is_a_list(self, chat: Path) -> None:
        shown = memviz(
            "replay",
            chat,
            "-s",
            "summary:buffer_size=1",
            "-s",
            "summary:buffer_size=3",
            "-s",
            "buffer",
            "--json",
        )
        assert [run["strategy"]["id"] for run in shown.json] == [
            "summary",
            "summary",
            "buffer",
        ]
        assert [
            run["strategy"]["parameters"].get("buffer_size") for run in shown.json
        ] == [1, 3, None]

    def test_is_json_whatever_was_said(self, tmp_path: Path) -> None:
        path = tmp_path / "odd.json"
        path.write_text(
            '[{"role": "user", "content": "\\ud800 \\u001b[2J 港口 \\u009b", "meta": {"x": NaN}}]'
        )
        out = memviz("replay", path, "-s", "buffer", "--json").out
        assert out.isascii()
        assert "NaN" not in out
        assert "港口" in json.loads(out)["messages"][0]["content"]


class TestComparison:
    THREE = (
        "Full buffer",
        "Sliding window · 10 messages",
        "Summary buffer · 1,500 tokens · 120 words",
    )

    def test_without_a_strategy_the_settings_of_compare_are_shown(
        self, chat: Path
    ) -> None:
        runs = memviz("replay", chat, "--json").json
        shown = [(run["strategy"]["id"], run["strategy"]["parameters"]) for run in runs]
        first = [setting.build() for setting in first_settings()]
        assert shown == [(one.id, one.model_dump()) for one in first]
        others = memviz("replay", chat, "--set", "window_size=3", "--json").json
        assert others[1]["strategy"]["parameters"] == {"window_size": 3}
        assert others[2]["strategy"]["parameters"] == runs[2]["strategy"]["parameters"]

    def test_stands_before_the_requests_and_alone_where_it_is_asked_for(
        self, chat: Path
    ) -> None:
        lines = memviz("replay", chat).lines
        assert [line.split("  ")[0] for line in lines[1:4]] == list(self.THREE)
        assert [lines.index(label) for label in self.THREE] == sorted(
            lines.index(label) for label in self.THREE
        )
        assert lines.index(self.THREE[0]) > 3
        brief = memviz("replay", chat, "--brief").lines
        assert brief == lines[:4]
        assert len(memviz("replay", chat, "-s", "window", "--brief").lines) == 2


class TestTable:
    def test_has_the_tokens_of_every_request(self, chat: Path) -> None:
        run, lines = small(chat), memviz("replay", chat, *SMALL).lines
        assert lines[0] == run.strategy.label
        assert lines[1].split() == [
            "turn",
            "system",
            "summary",
            "recalled",
            "history",
            "input",
            "tools",
            "overhead",
            "total",
            "reply",
        ]
        for record, line in zip(run.requests, lines[2:], strict=False):
            tokens = record.tokens
            assert line.split()[:10] == [
                str(number)
                for number in (
                    record.turn,
                    tokens["system"],
                    tokens["summary"],
                    tokens["recalled"],
                    tokens["history"],
                    tokens["input"],
                    0,
                    tokens["overhead"],
                    record.total_tokens,
                    record.reply_tokens,
                )
            ]

    def test_has_every_compaction_with_its_reason(self, chat: Path) -> None:
        run, out = small(chat), memviz("replay", chat, *SMALL).out
        assert len(run.compactions) > 1
        for compaction in run.compactions:
            assert compaction_words(compaction, run).sentence in out
            assert (
                f"Summary {compaction.version} has a text of {compaction.summary_tokens} tokens."
                in out
            )

    def test_has_the_totals_and_what_the_summarizer_costs(self, chat: Path) -> None:
        use, out = count_token_use(small(chat)), memviz("replay", chat, *SMALL).out
        assert f"Sent: {use.sent_tokens:,} tokens in 6 requests" in out
        assert f"{use.peak_tokens:,} at most (turn {use.peak_turn})" in out
        assert (
            f"Summarizer (built-in model): {use.summarizer_calls} calls; {use.summarizer_prompt_tokens:,} tokens in, "
            f"{use.summarizer_output_tokens:,} out; cost $0.00."
        ) in out

    def test_says_what_is_unhealthy(self, chat: Path) -> None:
        warnings = api.health_warnings(small(chat))
        assert warnings
        out = memviz("replay", chat, *SMALL).out
        assert all(f"{warning.title}: {warning.numbers}" in out for warning in warnings)

    def test_of_several_begins_with_their_totals(self, chat: Path) -> None:
        lines = memviz(
            "replay", chat, "-s", "buffer", "-s", "window", "--set", "window_size=3"
        ).lines
        assert lines[1].startswith("Full buffer ")
        assert lines[2].startswith("Sliding window · 3 messages ")


class TestToolLoops:
    """Every call of the model is a request: a turn with two tool calls before its answer has three."""

    @pytest.fixture
    def loop(self, tmp_path: Path) -> Path:
        path = tmp_path / "loop.json"
        path.write_text(
            json.dumps([message.to_dict() for message in loops(4, 2)]), encoding="utf-8"
        )
        return path

    def test_the_table_has_a_row_a_request(self, loop: Path) -> None:
        run, shown = small(loop), memviz("replay", loop, *SMALL)
        assert shown.lines[1].split()[:3] == ["turn", "call", "system"]
        cells = [line.split() for line in shown.lines[2:14]]
        assert [(row[0], row[1]) for row in cells] == [
            (f"{turn}", f"{call}") for turn in range(1, 5) for call in (1, 2, 3)
        ]
        assert [row[9:11] for row in cells] == [
            [f"{r.total_tokens}", f"{r.reply_tokens}"] for r in run.requests
        ]
        summaries = [line.partition("summary ")[2] for line in shown.lines[2:14]]
        assert (
            sum(map(bool, summaries))
            == sum(bool(record.compactions) for record in run.requests)
            > 2
        )

    def test_the_totals_count_requests_and_name_the_largest(self, loop: Path) -> None:
        run, out = small(loop), memviz("replay", loop, *SMALL).out
        peak = max(run.requests, key=lambda record: record.total_tokens)
        assert peak.call > 1
        sent = sum(record.total_tokens for record in run.requests)
        assert f"Sent: {sent:,} tokens in 12 requests in 4 turns, " in out
        assert f"{peak.total_tokens:,} at most ({peak.name})" in out

    def test_csv_has_a_row_a_request(self, loop: Path) -> None:
        memviz("replay", loop, *SMALL, "--csv", "requests.csv")
        rows = list(
            csv.DictReader(
                Path("requests.csv").read_text(encoding="utf-8").splitlines()
            )
        )
        expected = [
            (f"{r.turn}", f"{r.call}", f"{r.total_tokens}")
            for r in small(loop).requests
        ]
        assert [
            (row["turn"], row["call"], row["total_tokens"]) for row in rows
        ] == expected


class TestReducedMessages:
    """Strategies that send messages with less in them say so, and take values that are texts."""

    CLEARING = "clear_tool_results:trigger_tokens=100,keep_results=1,excluded_tools=never,neither,placeholder=[gone]"

    @pytest.fixture
    def loop(self, tmp_path: Path) -> Path:
        path = tmp_path / "loop.json"
        path.write_text(
            json.dumps([message.to_dict() for message in loops(2, 4)]), encoding="utf-8"
        )
        return path

    def test_the_table_the_compactions_and_the_last_line(self, loop: Path) -> None:
        shown = memviz(
            "replay", loop, "--strategy", self.CLEARING, "--counter", "chars4"
        )
        rows = [line for line in shown.lines if line.endswith("cleared")]
        sentences = [
            line for line in shown.lines if line.startswith("Cleared tool results")
        ]
        assert len(rows) == len(sentences) > 2
        last = "In the last request 7 messages cleared (sent as a placeholder or without arguments) and 0 shortened."
        assert last in shown.lines

    def test_the_setting_is_what_was_typed(self, loop: Path) -> None:
        run = memviz(
            "replay", loop, "--strategy", self.CLEARING, "--set", "rule=gate", "--json"
        ).json
        parameters = run["strategy"]["parameters"]
        assert (parameters["excluded_tools"], parameters["rule"]) == (
            "never,neither",
            "gate",
        )
        sent = [piece for piece in run["requests"][-1]["pieces"] if len(piece) > 3]
        assert sent[0][3]["placeholder"] == "[gone]"

    def test_a_value_that_is_none_of_the_choices(self, loop: Path) -> None:
        refused(
            "replay",
            loop,
            "-s",
            "clear_tool_results:rule=ask",
            code=2,
            words=("'rule'", "ask", "stop, gate"),
        )

    def test_csv_counts_them(self, loop: Path) -> None:
        memviz(
            "replay",
            loop,
            "-s",
            self.CLEARING,
            "-s",
            "buffer",
            "--counter",
            "chars4",
            "--csv",
            "requests.csv",
        )
        rows = list(
            csv.DictReader(
                Path("requests.csv").read_text(encoding="utf-8").splitlines()
            )
        )
        assert [row["cleared_messages"] for row in rows[:10]] == [
            "0",
            "0",
            "0",
            "2",
            "3",
            "3",
            "4",
            "5",
            "6",
            "7",
        ]
        assert (
            {row["cleared_messages"] for row in rows[10:]}
            == {row["shortened_messages"] for row in rows}
            == {"0"}
        )


class TestRecalls:
    """``--recall`` brings turns back into a turn, or into one call of it and those after."""

    LAST = (
        "--strategy",
        "window",
        "--set",
        "window_size=2",
        "--counter",
        "chars4",
        "--json",
    )

    @pytest.fixture
    def loop(self, tmp_path: Path) -> Path:
        path = tmp_path / "loop.json"
        path.write_text(
            json.dumps([message.to_dict() for message in loops(4, 2)]), encoding="utf-8"
        )
        return path

    def test_into_a_turn_and_from_a_call_on(self, loop: Path) -> None:
        shown = memviz(
            "replay", loop, *self.LAST, "--recall", "2=1", "--recall", "4.2=1-2,3"
        )
        found = {
            (one["turn"], one["call"]): [
                place
                for piece in one["pieces"]
                if piece[0] == "picked"
                for place in piece[1]
            ]
            for one in shown.json["requests"]
        }
        assert all(found[2, call] for call in (1, 2, 3))
        assert not found[4, 1]
        assert found[4, 2] == found[4, 3] == list(range(18))
        assert not any(
            positions for (turn, _), positions in found.items() if turn in (1, 3)
        )

    def test_of_a_saved_conversation_make_a_run_of_their_own(
        self, library: Workspace, loop: Path
    ) -> None:
        (entry,) = library.add([load_transcript(loop)])
        plain = memviz("replay", entry.id, *self.LAST).json
        recalled = memviz("replay", entry.id, *self.LAST, "--recall", "4.2=1").json
        assert plain != recalled
        assert memviz("replay", entry.id, *self.LAST).json == plain

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("3", "'3' is not of the form TURN=TURNS or TURN.CALL=TURNS"),
            ("3=", "'3=' is not of the form"),
            ("x=1", "'x' is no turn and no call of one"),
            ("1.2.3=1", "'1.2.3' is no turn"),
            (
                "5=1",
                "There is no turn 5 to recall into: the conversation has turns 1 to 4.",
            ),
            (
                "4.4=1",
                "There is no call 4 of turn 4 to recall into: it has calls 1 to 3.",
            ),
            ("4.0=1", "There is no call 0 of turn 4"),
        ],
    )
    def test_that_cannot_be_are_refused(
        self, loop: Path, given: str, words: str
    ) -> None:
        assert (
            words
            in memviz("replay", loop, "-s", "window", "--recall", given, code=2).err
        )

    def test_of_turns_that_are_no_numbers_are_a_sentence(self, loop: Path) -> None:
        for given, words in (
            ("3=9", "Turn 9 comes after turn 3"),
            ("3=1-4", "Turn 4 comes after turn 3"),
            ("3=3", "its own first request"),
            ("3.1=3", "its own first request"),
        ):
            assert (
                words
                in memviz("replay", loop, "-s", "window", "--recall", given, code=2).err
            )
        assert memviz("replay", loop, "-s", "window", "--recall", "3.2=3").code == 0, (
            "what was said before this call"
        )
        refused(
            "replay",
            loop,
            "-s",
            "window",
            "--recall",
            "4=one",
            code=1,
            words=("neither a number nor a range",),
        )


class TestSavedConversations:
    @pytest.mark.slow
    def test_a_sample(self, library: Workspace) -> None:
        shown = memviz("replay", "sample-trip", *SMALL, "--json")
        transcript, _ = library.conversation("sample-trip")
        expected = api.replay(
            transcript,
            api.strategy("summary_buffer", max_token_limit=60),
            counter="chars4",
        )
        assert clockless(shown.json) == clockless(expected.to_dict())

    def test_the_run_is_kept_for_the_pages_and_found_again(
        self, library: Workspace, chat: Path
    ) -> None:
        (entry,) = library.add([load_transcript(chat)])
        first = memviz("replay", entry.id, *SMALL, "--json")
        key = RunKey(
            entry.id,
            api.strategy("summary_buffer", max_token_limit=60),
            "chars4",
            "offline",
        )
        kept = library.kept_run(key)
        assert kept is not None
        assert kept.to_dict() == first.json
        assert (
            memviz("replay", entry.id, *SMALL, "--json").json == first.json
        )  # the seconds, too

    def test_a_beginning_that_fits_one(self, library: Workspace, chat: Path) -> None:
        (entry,) = library.add([load_transcript(chat)])
        assert (
            len(
                memviz("replay", entry.id[:6], "-s", "buffer", "--json").json[
                    "requests"
                ]
            )
            == 6
        )

    def test_a_beginning_that_fits_several(self) -> None:
        refused(
            "replay",
            "sample-t",
            "-s",
            "buffer",
            code=1,
            words=("Several", "sample-trip", "sample-tutoring"),
        )

    @pytest.mark.parametrize("given", ["nothing-such", "", "\x1b[2J", "x" * 5_000])
    def test_nothing_that_fits(self, given: str) -> None:
        refused(
            "replay",
            given,
            "-s",
            "buffer",
            code=1,
            words=("no file and no saved conversation", "memviz list"),
        )

    def test_a_deleted_one_is_gone(self, library: Workspace) -> None:
        library.store.delete("sample-trip")
        refused(
            "replay",
            "sample-trip",
            "-s",
            "buffer",
            code=1,
            words=("no saved conversation",),
        )

    def test_what_is_for_files_is_refused(self) -> None:
        assert (
            "for files"
            in memviz(
                "replay", "sample-trip", "-s", "buffer", "--conversation", 2, code=2
            ).err
        )


class TestFiles:
    def test_a_file_needs_no_library(self, chat: Path, database: Path) -> None:
        memviz("replay", chat, "-s", "buffer")
        refused(
            "replay",
            "typo.json",
            "-s",
            "buffer",
            code=1,
            words=("typo.json", "no such file"),
        )
        assert not database.exists()

    def test_standard_input(self, chat: Path) -> None:
        assert (
            len(
                memviz(
                    "replay", "-", "-s", "buffer", "--json", stdin=chat.read_bytes()
                ).json["requests"]
            )
            == 6
        )

    def test_another_conversation_of_the_file(self, tmp_path: Path) -> None:
        talks = [
            {"conversations": [{"from": "human", "value": f"I am {name}"}]}
            for name in ("Ann", "Ben")
        ]
        path = tmp_path / "two.json"
        path.write_text(json.dumps(talks), encoding="utf-8")
        shown = memviz(
            "replay",
            path,
            "-s",
            "buffer",
            "--json",
            "--conversation",
            2,
            "--format",
            "sharegpt",
        )
        assert shown.json["messages"][0]["content"] == "I am Ben"
        assert "conversation 2 of 2" in shown.err
        refused(
            "replay",
            path,
            "-s",
            "buffer",
            "--conversation",
            3,
            code=1,
            words=("from 1 to 2",),
        )
        refused(
            "replay",
            path,
            "-s",
            "buffer",
            "--format",
            "nope",
            code=2,
            words=("no format", "nope"),
        )

    def test_a_file_goes_before_an_id(self, chat: Path) -> None:
        Path("sample-trip").write_bytes(chat.read_bytes())
        assert (
            len(
                memviz("replay", "sample-trip", "-s", "buffer", "--json").json[
                    "requests"
                ]
            )
            == 6
        )

    def test_nothing_to_replay(self, tmp_path: Path) -> None:
        path = tmp_path / "silent.json"
        path.write_text(
            '[{"role": "assistant", "content": "Anybody?"}]', encoding="utf-8"
        )
        shown = memviz("replay", path, "-s", "buffer", code=1)
        assert shown.out == ""
        assert "none of them is the user's" in shown.err.splitlines()[-1]


class TestConfig:
    TEXT = "memory: {strategy: summary_buffer, parameters: {max_token_limit: 60}, counter: chars4, summarizer: offline}"

    @pytest.fixture
    def config(self) -> Path:
        Path("memory.yaml").write_text(self.TEXT, encoding="utf-8")
        return Path("memory.yaml")

    def test_is_the_strategy_the_counter_and_the_summarizer(
        self, chat: Path, config: Path
    ) -> None:
        shown = memviz("replay", chat, "--config", config, "--json")
        assert clockless(shown.json) == clockless(small(chat).to_dict())

    def test_its_summarizer_is_asked(
        self, chat: Path, config: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        config.write_text(
            self.TEXT.replace("offline", "openai/gpt-5-mini"), encoding="utf-8"
        )
        refused(
            "replay",
            chat,
            "--config",
            config,
            code=1,
            words=("openai/gpt-5-mini", "OPENAI_API_KEY"),
        )

    def test_a_counter_and_a_model_that_are_named_go_before_it(
        self, chat: Path, config: Path
    ) -> None:
        config.write_text(
            self.TEXT.replace("offline", "openai/gpt-5-mini"), encoding="utf-8"
        )
        shown = memviz(
            "replay",
            chat,
            "--config",
            config,
            "--counter",
            "bytes4",
            "--model",
            "offline",
            "--json",
        )
        assert shown.json["counter"] == "bytes4"

    def test_what_it_leaves_out_has_its_default(self, chat: Path, config: Path) -> None:
        config.write_text("memory: {token_limit: 70}", encoding="utf-8")
        run = memviz("replay", chat, "--config", config, "--json").json
        assert run["strategy"]["id"] == "chat_summary_buffer"
        assert run["strategy"]["parameters"]["token_limit"] == 70
        assert run["counter"] == "o200k_base"

    @for_each("more", [("-s", "buffer"), ("--set", "max_token_limit=9")])
    def test_does_not_go_with_a_strategy_beside_it(
        self, chat: Path, config: Path, more: tuple[str, ...]
    ) -> None:
        assert (
            "Leave out --strategy"
            in memviz("replay", chat, "--config", config, *more, code=2).err
        )

    def test_that_is_wrong_is_a_sentence(self, chat: Path, config: Path) -> None:
        config.write_text("memory: {strategy: nope}", encoding="utf-8")
        refused(
            "replay",
            chat,
            "--config",
            config,
            code=1,
            words=("memory.yaml, line 1", "nope"),
        )
        refused("replay", chat, "--config", "no.yaml", code=1, words=("no.yaml",))


class TestWrongUse:
    @for_each(
        ("arguments", "words"),
        [
            (("-s", "nope"), ("no strategy", "'nope'", "summary_buffer")),
            (
                ("-s", "summary", "--set", "buffer_size=0"),
                ("'buffer_size'", "is 0", "1 or more"),
            ),
            (
                ("-s", "summary", "--set", "buffer_size=four"),
                ("'buffer_size'", "'four'", "whole number"),
            ),
            (("-s", "summary:buffer_size=-3"), ("'buffer_size'", "is -3")),
            (
                ("-s", "summary", "--set", "size=4"),
                ("has no parameter 'size'", "it has buffer_size"),
            ),
            (
                ("-s", "recent_only", "--set", "enable_summarization=maybe"),
                ("'maybe'", "true or false"),
            ),
            (
                ("-s", "buffer", "--counter", "gpt9"),
                ("no token counter", "'gpt9'", "o200k_base"),
            ),
            (
                ("-s", "buffer", "--model", "gpt nine"),
                ("'gpt nine'", "not a model name"),
            ),
        ],
    )
    def test_is_one_sentence(
        self, chat: Path, arguments: tuple[str, ...], words: tuple[str, ...]
    ) -> None:
        refused("replay", chat, *arguments, code=2, words=words)

    def test_a_setting_without_a_value(self, chat: Path) -> None:
        assert (
            "'buffer_size' is not of the form"
            in memviz(
                "replay", chat, "-s", "summary", "--set", "buffer_size", code=2
            ).err
        )

    def test_prices_of_a_summarizer_that_costs_nothing_are_not_ignored_in_silence(
        self, chat: Path
    ) -> None:
        shown = memviz("replay", chat, "-s", "window", "--usd-per-million", "1,2")
        assert "--usd-per-million is not used" in shown.err
        assert memviz("replay", chat, "-s", "window").err == ""

    def test_a_misspelt_parameter_is_told_with_the_nearest_name(
        self, chat: Path
    ) -> None:
        misspelt = ("-s", "window:window_siz=4")
        refused(
            "replay",
            chat,
            *misspelt,
            code=2,
            words=("'window_siz'", "The nearest is window_size."),
        )

    def test_two_results_on_stdout(self, chat: Path) -> None:
        assert (
            "--csv -"
            in memviz(
                "replay", chat, "-s", "buffer", "--json", "--csv", "-", code=2
            ).err
        )


class TestSettings:
    def test_go_to_every_strategy_that_has_them(self, chat: Path) -> None:
        shown = memviz(
            "replay",
            chat,
            "-s",
            "summary",
            "-s",
            "window",
            "-s",
            "summary:buffer_size=5",
            "--set",
            "buffer_size=2",
            "--set",
            "window_size=7",
            "--json",
        )
        values = [run["strategy"]["parameters"] for run in shown.json]
        assert values == [
            {"buffer_size": 2, "summary_words": 0},
            {"window_size": 7},
            {"buffer_size": 5, "summary_words": 0},
        ]

    @for_each(
        ("text", "value"),
        [("off", False), ("FALSE", False), ("1", True), ("yes", True)],
    )
    def test_switches(self, chat: Path, text: str, value: bool) -> None:
        shown = memviz(
            "replay",
            chat,
            "-s",
            "recent_only",
            "--set",
            f"enable_summarization={text}",
            "--json",
        )
        assert shown.json["strategy"]["parameters"]["enable_summarization"] is value

    def test_texts_keep_what_is_in_them(self, chat: Path) -> None:
        for prompt, value in (("Sum up: a=b, c", "Sum up: a=b, c"), ("", None)):
            shown = memviz(
                "replay",
                chat,
                "-s",
                "chat_summary_buffer",
                "--set",
                f"summarize_prompt={prompt}",
                "--json",
            )
            assert shown.json["strategy"]["parameters"]["summarize_prompt"] == value


class TestFilesWritten:
    def test_csv_has_one_row_a_request_of_every_strategy(self, chat: Path) -> None:
        shown = memviz(
            "replay",
            chat,
            "-s",
            "buffer",
            "-s",
            "window",
            "--counter",
            "chars4",
            "--csv",
            "turns.csv",
        )
        rows = list(
            csv.DictReader(Path("turns.csv").read_text(encoding="utf-8").splitlines())
        )
        runs = [
            api.replay(load_transcript(chat), api.strategy(id), counter="chars4")
            for id in ("buffer", "window")
        ]
        expected = [
            (run.strategy.label, record.turn, record.total_tokens)
            for run in runs
            for record in run.turns
        ]
        assert [
            (row["strategy"], int(row["turn"]), int(row["total_tokens"]))
            for row in rows
        ] == expected
        assert shown.out == ""
        assert "turns.csv" in shown.err

    def test_csv_on_stdout(self, chat: Path) -> None:
        shown = memviz("replay", chat, "-s", "buffer", "--csv", "-")
        assert len(shown.lines) == 7
        assert shown.lines[0].startswith("strategy,turn,")

    def test_report_beside_json(self, tmp_path: Path) -> None:
        path = written(tmp_path / "talk.json", title="A talk <b>of</b> ours")
        shown = memviz(
            "replay", path, "-s", "window", "--json", "--html", "report.html"
        )
        html = Path("report.html").read_text(encoding="utf-8")
        assert "A talk &lt;b&gt;of&lt;/b&gt; ours" in html
        assert "Sliding window" in html
        assert "the prices of openai/gpt-5-mini and a pause of 1 min" in html
        assert len(shown.json["requests"]) == 6

    def test_the_prices_of_the_report_can_be_named(self, chat: Path) -> None:
        priced = ("--prices-of", "anthropic/claude-sonnet-4-5", "--pause", 600)
        memviz(
            "replay",
            chat,
            "-s",
            "window",
            "-s",
            "buffer",
            "--html",
            "report.html",
            *priced,
        )
        html = Path("report.html").read_text(encoding="utf-8")
        assert "the prices of anthropic/claude-sonnet-4-5 and a pause of 10 min" in html

    def test_the_conversation_is_never_written_over(self, chat: Path) -> None:
        before = chat.read_bytes()
        refused(
            "replay",
            chat,
            "-s",
            "buffer",
            "--csv",
            chat,
            code=1,
            words=("the conversation itself",),
        )
        assert chat.read_bytes() == before

    def test_a_place_that_cannot_be_written(self, chat: Path) -> None:
        refused(
            "replay",
            chat,
            "-s",
            "buffer",
            "--csv",
            "no/such/folder.csv",
            code=1,
            words=("cannot be written",),
        )


class TestModels:
    def test_a_missing_key_is_told_before_anything_runs(
        self, chat: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        refused(
            "replay",
            chat,
            *SMALL,
            "--model",
            "openai/gpt-5-mini",
            code=1,
            words=("OPENAI_API_KEY",),
        )

    def test_a_key_that_is_refused_is_asked_with_once(
        self, chat: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with openai_server() as server:
            server.otherwise = status(401, "Incorrect API key")
            monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
            monkeypatch.setenv("OPENAI_BASE_URL", server.api_base)
            monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
            shown = memviz("replay", chat, *SMALL, *PAID, code=1)
            assert "was refused" in shown.err
            assert len(server.requests) == 1

    @pytest.fixture
    def server(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
        with openai_server() as running:
            running.otherwise = text("A summary ", "of it.")
            monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
            monkeypatch.setenv("OPENAI_API_BASE", running.api_base)
            yield running

    def test_one_that_costs_money_says_how_much_and_is_held_to_a_budget(
        self, chat: Path, server: OpenAIServer
    ) -> None:
        shown = memviz("replay", chat, *SMALL, *PAID)
        calls = len(server.requests)
        assert (
            f"openai/gpt-5-mini would be asked about {calls} times, for at most about $"
            in shown.err
        )
        assert "At most $1.00 is spent." in shown.err
        assert "Spent on openai/gpt-5-mini: $" in shown.err
        assert re.search(
            rf"Summarizer \(.+\): {calls} calls; [\d,]+ tokens in, [\d,]+ out; cost \$",
            shown.out,
        )
        without = memviz("replay", chat, *SMALL, "--model", "openai/gpt-5-mini", code=2)
        assert "openai/gpt-5-mini costs money. Give --budget USD" in without.err
        assert len(server.requests) == calls

    def test_nobody_agrees_without_a_terminal(
        self, chat: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shown = memviz("replay", chat, *SMALL, *PAID[:-1], code=1)
        assert "Nothing was spent. Give --yes to agree" in shown.err
        monkeypatch.setattr("memviz.cli.paying.asks", lambda: True)
        assert (
            "Nothing was spent"
            in memviz("replay", chat, *SMALL, *PAID[:-1], code=1, stdin="n\n").err
        )
        assert not server.requests
        memviz("replay", chat, *SMALL, *PAID[:-1], stdin="y\n")
        assert server.requests

    def test_a_budget_that_is_spent_ends_it(
        self, chat: Path, server: OpenAIServer
    ) -> None:
        shown = memviz(
            "replay", chat, *SMALL, *PAID[:2], "--budget", "0.0001", "--yes", code=1
        )
        assert "The budget of $0.0001 allows no further call" in shown.err
        assert not server.requests

    def test_nobody_is_asked_about_a_run_that_is_kept_or_that_summarizes_nothing(
        self, library: Workspace, chat: Path, server: OpenAIServer
    ) -> None:
        (entry,) = library.add([load_transcript(chat)])
        memviz("replay", entry.id, *SMALL, *PAID)
        calls = len(server.requests)
        assert (
            "would be asked" not in memviz("replay", entry.id, *SMALL, *PAID[:-1]).err
        )
        assert (
            "would be asked"
            not in memviz("replay", chat, "-s", "window", *PAID[:-1]).err
        )
        assert len(server.requests) == calls

    def test_one_whose_price_nobody_knows_says_so_before(
        self, chat: Path, server: OpenAIServer
    ) -> None:
        shown = memviz("replay", chat, *SMALL, "--model", "openai/of-my-own")
        calls = len(server.requests)
        words = f"openai/of-my-own would be asked about {calls} times; its price is not known, so no budget holds it."
        assert shown.err.splitlines() == [words]
        held = memviz(
            "replay",
            chat,
            *SMALL,
            "--model",
            "openai/of-my-own",
            "--budget",
            "1",
            code=2,
        )
        assert (
            "The price of openai/of-my-own is not known, so --budget cannot hold it."
            in held.err
        )
        by_hand = ("--usd-per-million", "1,2", "--budget", "1", "--yes")
        assert (
            "for at most about $"
            in memviz(
                "replay", chat, *SMALL, "--model", "openai/of-my-own", *by_hand
            ).err
        )

    def test_a_report_counts_with_the_prices_that_were_entered(
        self, chat: Path, server: OpenAIServer, tmp_path: Path
    ) -> None:
        by_hand = (
            "--usd-per-million",
            "1,2",
            "--budget",
            "1",
            "--yes",
            "--html",
            tmp_path / "report.html",
        )
        memviz("replay", chat, *SMALL, "--model", "openai/of-my-own", *by_hand)
        report = (tmp_path / "report.html").read_text()
        assert "and entered by hand for openai/of-my-own for the summaries" in report

    def test_a_summarizer_that_fails_is_told_and_the_run_is_shown(
        self, chat: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise api.ModelError("The [bold]provider[/] is :zzz:.")

        monkeypatch.setattr(OfflineModel, "summarize_from", refuse)
        shown = memviz("replay", chat, *SMALL, code=1)
        failed = [
            line
            for line in shown.lines
            if ". The [bold]provider[/] is :zzz:. Nothing was lost." in line
        ]
        assert failed
        assert all(" failed before the request of turn " in line for line in failed)
        assert (
            f"Error: {len(failed)} summarizations failed, the last one because: The [bold]provider[/] is :zzz:. "
            "Next try in turn "
        ) in shown.err
