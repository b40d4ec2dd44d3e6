"""Recordings: written, read, played, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Message, NotRecordedError, RecordingError, Reply, Usage
from memviz.engine.recording import record, setting_of
from memviz.models.base import ModelRequest
from memviz.models.recordings.files import (
    RecordingFile,
    read_recording,
    write_recording,
)
from memviz.models.recordings.player import RecordedFirst, RecordedModel
from memviz.models.recordings.recording import (
    About,
    RecordedReply,
    Recording,
    hole_words,
)
from memviz.transcripts.samples import sample
from tests.engine.probes import talk
from tests.models.recordings.recorded import MODEL, RealModel, a_recording_of, played

SUMMARY = memviz.strategy("summary", buffer_size=8)
TALK = talk(30)
ABOUT = About(
    title="A talk",
    model=MODEL,
    made_on="2026-11-23",
    note="Made by hand.",
    parameters={"temperature": 0},
)
HELLO = (Message("user", "Hello"),)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
messages = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant"]),
    texts,
    name=st.none() | st.just("Ann"),
)
replies = st.builds(
    Reply,
    texts,
    usage=st.none() | st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
    cost_usd=st.none() | st.floats(0, 1),
    model=texts,
    recorded=st.just(True),
    recorded_seconds=st.none() | st.floats(0, 9),
)
tools = st.lists(st.just(memviz.RECALL_CONVERSATION), max_size=1).map(tuple)
requests = st.builds(
    ModelRequest, st.lists(messages, min_size=1, max_size=4).map(tuple), tools
)
recorded = st.builds(RecordedReply, requests, replies, texts)


class TestFile:
    @given(st.lists(recorded, max_size=6))
    def test_what_is_written_is_read(self, given: list[RecordedReply]) -> None:
        recording = Recording.of(
            "mine", ABOUT, given, [setting_of(TALK, SUMMARY, answers=True)]
        )
        again = read_recording(write_recording(recording).encode(), "mine")
        assert again == recording
        assert again.digest == recording.digest

    @given(st.lists(recorded, min_size=1, max_size=6))
    def test_it_is_lines_of_json_each_message_once(
        self, given: list[RecordedReply]
    ) -> None:
        lines = [
            json.loads(line)
            for line in write_recording(Recording.of("mine", ABOUT, given)).split("\n")[
                :-1
            ]
        ]
        assert lines[0]["memviz_recording"] == 1
        said = [
            json.dumps({k: v for k, v in line.items() if k != "message"})
            for line in lines
            if "message" in line
        ]
        assert len(said) == len(set(said))

    def test_a_torn_last_line_is_passed_over_and_taken_off(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "mine.recording"
        whole = a_recording_of(TALK, SUMMARY, path=path)
        content = path.read_bytes()
        path.write_bytes(content[:-7])
        torn = read_recording(path)
        assert torn.replies == whole.replies
        assert not torn.settings, "the line that was torn said so"
        with RecordingFile(path, ABOUT) as file:
            record(TALK, [SUMMARY], model=RealModel(), file=file)
        assert path.read_bytes() == content

    def test_a_last_line_without_its_end_that_is_whole_counts(
        self, tmp_path: Path
    ) -> None:
        text = write_recording(a_recording_of(TALK, SUMMARY))
        assert read_recording(text.rstrip("\n").encode()).settings

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda lines: [], "is empty"),
            (lambda lines: ["not json", *lines], "no recording of memviz"),
            (
                lambda lines: ['{"role": "user", "content": "a chat"}'],
                "no recording of memviz",
            ),
            (
                lambda lines: [
                    lines[0].replace('"memviz_recording": 1', '"memviz_recording": 2')
                ],
                "memviz_recording 1",
            ),
            (lambda lines: [lines[0], "[1]", *lines[1:]], "Line 2 .* no JSON"),
            (
                lambda lines: [
                    lines[0],
                    '{"message": 1, "role": "boss", "content": ""}',
                    "{}",
                ],
                "Line 2 .* 'boss'",
            ),
            (
                lambda lines: [lines[0], '{"request": [7], "reply": ""}', "{}"],
                "Line 2 .* has no 7",
            ),
            (
                lambda lines: [lines[0], '{"request": [], "reply": 7}', "{}"],
                "Line 2 .* reply is 7 and no text",
            ),
            (
                lambda lines: [
                    lines[0],
                    '{"request": [], "reply": "", "seconds": -1}',
                    "{}",
                ],
                "Line 2 .* seconds is -1",
            ),
            (
                lambda lines: [
                    lines[0],
                    '{"request": [], "reply": "", "usage": {"input_tokens": "x"}}',
                    "{}",
                ],
                "Line 2",
            ),
            (
                lambda lines: [
                    lines[-1]
                    .join((lines[0] + "\n", ""))
                    .replace('"replies": [', '"replies": [7, '),
                    "{}",
                ],
                "Line 2 .* replies are no list",
            ),
        ],
    )
    def test_what_is_none_is_refused_with_its_line(
        self, change: Callable[[list[str]], list[str]], words: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "wrong.recording"
        path.write_text(
            "\n".join(
                change(write_recording(a_recording_of(TALK, SUMMARY)).splitlines())
            )
        )
        with pytest.raises(RecordingError, match=words):
            read_recording(path)

    def test_no_secret_is_in_it(self, tmp_path: Path) -> None:
        from tests.models.openai_server import openai_server, text

        path = tmp_path / "mine.recording"
        with openai_server() as server:
            server.then(*[text("A summary.")] * 9)
            model = memviz.model(
                "openai/x", api_key="sk-secret-0123456789", api_base=server.api_base
            )
            with RecordingFile(path, ABOUT) as file:
                record(TALK, [SUMMARY], model=model, file=file)
        written = path.read_text()
        assert "A summary." in written
        assert "secret" not in written
        assert "Bearer" not in written
        assert server.api_base not in written


class TestPlayer:
    def test_the_same_requests_get_the_same_replies(self) -> None:
        recording = a_recording_of(TALK, SUMMARY)
        one, other = (
            memviz.replay(TALK, SUMMARY, model=played(recording)) for _ in range(2)
        )
        texts = [compaction.summary for compaction in one.compactions]
        assert texts == [
            f"Reply {number} of a real model." for number in range(1, len(texts) + 1)
        ]
        assert texts == [compaction.summary for compaction in other.compactions]

    def test_model_cost_and_tokens_are_those_of_then(self) -> None:
        run = memviz.replay(TALK, SUMMARY, model=played(a_recording_of(TALK, SUMMARY)))
        first = run.compactions[0]
        assert (first.model, first.cost, first.recorded, first.usage) == (
            MODEL,
            0.001,
            True,
            Usage(101, 7),
        )
        assert memviz.Run.from_dict(run.to_dict()).compactions[0].recorded

    def test_another_request_is_refused_naming_the_nearest_and_the_run_goes_on(
        self,
    ) -> None:
        model = played(a_recording_of(TALK, SUMMARY))
        with pytest.raises(
            NotRecordedError,
            match=r"“test” holds no reply .* request 1 of \d+: its message 1",
        ):
            model.complete(HELLO)
        run = memviz.replay(
            TALK, memviz.strategy("summary", buffer_size=4), model=model
        )
        assert run.turns[-1].turn == run.log.turn_count
        assert "holds no reply" in (run.compactions[0].error or "")
        assert run.compactions[0].summary is None

    def test_its_settings_are_named(self) -> None:
        with pytest.raises(
            NotRecordedError,
            match=r"Choose one of its settings \(Running summary · 8 messages\)",
        ):
            played(a_recording_of(TALK, SUMMARY)).complete(HELLO)

    def test_what_changed_is_said(self) -> None:
        asked = ModelRequest(
            (
                Message("system", "Be brief."),
                Message("user", "What is the budget of the trip?"),
            )
        )
        model = RecordedModel(
            Recording.of(
                "mine", ABOUT, [RecordedReply(asked, Reply("3,000", recorded=True))]
            )
        )
        with pytest.raises(
            NotRecordedError,
            match=r"message 2 \(user\) says “What is the budget.* “What is the date",
        ):
            model.complete(
                [asked.messages[0], Message("user", "What is the date of the trip?")]
            )
        with pytest.raises(NotRecordedError, match="2 messages, this one 1"):
            model.complete(asked.messages[:1])
        with pytest.raises(
            NotRecordedError,
            match="offered no tool, this one the tool recall_conversation",
        ):
            model.complete(asked.messages, [memviz.RECALL_CONVERSATION])

    def test_a_tool_choice_means_nothing_without_tools(self) -> None:
        model = RecordedModel(
            Recording.of(
                "mine", ABOUT, [RecordedReply(ModelRequest(HELLO), Reply("Hi"))]
            )
        )
        assert model.complete(HELLO, tool_choice="none").text == "Hi"

    def test_paced_takes_as_long_as_it_took(self) -> None:
        reply = Reply("Hi there", recorded=True, recorded_seconds=0.2)
        recording = Recording.of(
            "mine", ABOUT, [RecordedReply(ModelRequest(HELLO), reply)]
        )
        started = perf_counter()
        *pieces, last = RecordedModel(recording, paced=True).stream(HELLO)
        assert perf_counter() - started >= 0.2
        assert pieces == ["Hi ", "there"]
        assert last == reply

    def test_seconds_and_cost_that_nobody_measured_are_unknown_and_never_zero(
        self,
    ) -> None:
        prompts = [
            compaction.request
            for compaction in memviz.replay(
                TALK, SUMMARY, model=played(a_recording_of(TALK, SUMMARY))
            ).compactions
        ]
        bare = [
            RecordedReply(
                ModelRequest(tuple(prompt)), Reply("text", model="m", recorded=True)
            )
            for prompt in prompts[:1]
        ]
        run = memviz.replay(
            TALK, SUMMARY, model=RecordedModel(Recording.of("mine", ABOUT, bare))
        )
        assert run.compactions[0].seconds is None
        assert run.compactions[0].cost is None
        again = memviz.Run.from_dict(run.to_dict())
        assert again.compactions[0].seconds is None

    def test_recorded_first_asks_the_other_for_what_is_not_there(self) -> None:
        recording = a_recording_of(TALK, SUMMARY)
        model = RecordedFirst([recording], memviz.model("offline"))
        mixed = memviz.replay(TALK, SUMMARY, model=model, edits={1: "My own words."})
        recorded = [
            compaction.recorded for compaction in mixed.compactions if compaction.asked
        ]
        assert recorded[0], "the first prompt is the recorded one"
        assert not any(recorded[1:]), "the later ones hold the edit"


class TestSetting:
    def test_it_is_held_only_for_exactly_the_same_run(self) -> None:
        trip = sample("trip")
        recording = a_recording_of(trip, SUMMARY)
        assert recording.holds(setting_of(trip, SUMMARY))
        assert not recording.answers(setting_of(trip, SUMMARY))
        others = [
            setting_of(sample("support"), SUMMARY),
            setting_of(trip.messages[:-2], SUMMARY),
            setting_of(trip, memviz.strategy("summary", buffer_size=9)),
            setting_of(trip, SUMMARY, "cl100k_base"),
            setting_of(trip, SUMMARY, recalls={12: memviz.Recall(turns=[1])}),
            setting_of(trip, SUMMARY, system_prompt="Be brief."),
            setting_of(trip, SUMMARY, tools=["{}"]),
        ]
        assert not any(map(recording.holds, others))

    def test_answers_are_those_to_the_questions_of_the_conversation(self) -> None:
        trip = sample("trip")
        recording = a_recording_of(trip, SUMMARY, probes=trip.probes[:2])
        assert recording.answers(setting_of(trip, SUMMARY))
        run = memviz.replay(trip, SUMMARY, model=played(recording))
        answer = memviz.ask(run, trip.probes[1].question, model=played(recording))
        assert answer.reply.startswith("Reply ")
        assert answer.facts is not None
        assert answer.facts.recorded


class TestHoles:
    """A setting is claimed only where the file holds every reply that it needs, as it was given."""

    TRIP = sample("trip")
    SETTING = setting_of(TRIP, SUMMARY)

    def lines(self, questions: int = 2) -> list[str]:
        return write_recording(
            a_recording_of(self.TRIP, SUMMARY, probes=self.TRIP.probes[:questions])
        ).splitlines()

    def read(self, lines: list[str]) -> Recording:
        return read_recording("\n".join([*lines, ""]).encode(), "holed")

    def test_a_summary_that_was_removed_or_changed_is_named_and_the_setting_is_not_claimed(
        self,
    ) -> None:
        lines = self.lines()
        at = [number for number, line in enumerate(lines) if '"request"' in line]
        total = len(at) - 2
        removed = self.read(
            [line for number, line in enumerate(lines) if number != at[2]]
        )
        assert not removed.holds(self.SETTING)
        words = f"Running summary · 8 messages is not played, because summary 3 of its {total} summaries is missing"
        assert [hole_words(hole) for hole in removed.holes] == [
            f"{words} or changed in the file."
        ]
        cut = [
            line.replace('"reply": "Reply 1 ', '"reply": "').replace(
                '"reply": "Reply 4 ', '"reply": "'
            )
            for line in lines
        ]
        assert self.read(cut).holes[0].summaries == (1, 4)
        assert not self.read(cut).holds(self.SETTING)

    def test_a_missing_answer_leaves_the_summaries_claimed(self) -> None:
        lines = self.lines()
        at = [number for number, line in enumerate(lines) if '"request"' in line]
        holed = self.read(
            [line for number, line in enumerate(lines) if number != at[-1]]
        )
        assert holed.holds(self.SETTING)
        assert not holed.answers(self.SETTING)
        assert "is played, but answer 2 of its 2 answers is missing" in hole_words(
            holed.holes[0]
        )
        assert "holes" not in write_recording(holed)
        assert not read_recording(write_recording(holed).encode()).holes, (
            "what is written claims what it holds"
        )

    def test_many_are_counted(self) -> None:
        lines = [line.replace(" of a real model", "") for line in self.lines()]
        assert " and 4 more of its 9 summaries are missing" in hole_words(
            self.read(lines).holes[0]
        )

    def test_recording_it_again_fills_the_hole(self, tmp_path: Path) -> None:
        path, lines = tmp_path / "mine.recording", self.lines()
        at = [number for number, line in enumerate(lines) if '"request"' in line]
        path.write_text(
            "\n".join(
                [*(line for number, line in enumerate(lines) if number != at[0]), ""]
            )
        )
        with RecordingFile(path, ABOUT) as file:
            record(self.TRIP, [SUMMARY], model=RealModel(), file=file)
        again = read_recording(path)
        assert again.holds(self.SETTING)
        assert not again.holes

    def test_a_strategy_that_is_not_known_is_named_by_its_id(self) -> None:
        lines = [
            line.replace('"id": "summary"', '"id": "of_tomorrow"')
            for line in self.lines()[:-1]
        ]
        last = self.lines()[-1].replace('"id": "summary"', '"id": "of_tomorrow"')
        holed = self.read(
            [
                *(line.replace('"reply": "Reply 1 ', '"reply": "') for line in lines),
                last,
            ]
        )
        assert hole_words(holed.holes[0]).startswith("of_tomorrow is not played")

    def test_the_bundled_ones_say_what_each_setting_needs(self) -> None:
        with_answers = {"chinese": 8, "support": 8, "trip": 8, "tutoring": 8}
        summaries_only = {"trip-smollm2", "household"}
        assert set(memviz.recordings()) == {*with_answers, *summaries_only}
        for name, recording in memviz.recordings().items():
            assert not recording.holes
            answered = [
                setting for setting in recording.settings.values() if setting.answers
            ]
            if name in summaries_only:
                assert not answered
                assert all(setting.needs for setting in recording.settings.values())
                continue
            assert len(answered) == with_answers[name]
            assert all(setting.answers_need for setting in answered)
            whole = [
                setting for setting in recording.settings.values() if not setting.needs
            ]
            assert [dict(setting.strategy)["id"] for setting in whole] == ["buffer"]


class TestRecording:
    def test_what_is_on_record_is_not_asked_again(self, tmp_path: Path) -> None:
        path, model = tmp_path / "mine.recording", RealModel()
        for _ in range(2):
            with RecordingFile(path, ABOUT) as file:
                record(
                    TALK,
                    [SUMMARY, memviz.strategy("summary_only")],
                    model=model,
                    file=file,
                )
        assert model.calls == len(read_recording(path).replies)
        assert path.read_text().count("made_for") == 2

    def test_a_failure_ends_it_and_what_was_answered_is_kept(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "mine.recording"
        failing = memviz.ScriptedModel(["one", memviz.ModelError("It failed.")])
        with (
            RecordingFile(path, ABOUT) as file,
            pytest.raises(memviz.MemvizError, match=r"It failed\."),
        ):
            record(TALK, [SUMMARY], model=failing, file=file)
        kept = read_recording(path)
        assert [one.reply.text for one in kept.replies.values()] == ["one"]
        assert not kept.settings
        with RecordingFile(path, ABOUT) as file:
            record(TALK, [SUMMARY], model=RealModel(), file=file)
        assert read_recording(path).settings

    def test_progress_says_what_was_asked_and_what_was_played(
        self, tmp_path: Path
    ) -> None:
        seen: list[tuple[int, int, int, int]] = []
        for _ in range(2):
            with RecordingFile(tmp_path / "mine.recording", ABOUT) as file:
                record(
                    TALK,
                    [SUMMARY],
                    model=RealModel(),
                    file=file,
                    progress=lambda now: seen.append(now[1:]),
                )
        first, last = seen[len(seen) // 2 - 1], seen[-1]
        assert first[0] == first[1]
        assert first[2:] == (
            len(read_recording(tmp_path / "mine.recording").replies),
            0,
        )
        assert last[2:] == (0, first[2])


def test_models_by_name_play_files_and_say_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.recording"
    a_recording_of(TALK, SUMMARY, path=path)
    run = memviz.replay(TALK, SUMMARY, model=f"recording:{path}")
    assert run.compactions[0].recorded
    with pytest.raises(memviz.ModelError, match="no recording 'nowhere'"):
        memviz.model("recording:nowhere")
