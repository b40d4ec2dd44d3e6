"""Predictions take their answers from the run; the stage waits for them; a step has a still picture."""

from __future__ import annotations

import json
from typing import Any

import pytest

import memviz
from memviz.core.model_errors import RecordingError
from memviz.dashboard.lessons.lesson import CONTROLS, Text
from memviz.dashboard.lessons.playing import PlayedStudy, format_address, play_study
from memviz.dashboard.lessons.questions import prepare_question
from memviz.dashboard.lessons.staging import (
    StagePosition,
    find_stage_position,
    prepare_stage,
)
from memviz.dashboard.lessons.still import still
from memviz.dashboard.stage.files import script
from memviz.storage.workspace import Workspace
from tests.dashboard.lessons.writing_lessons import lesson
from tests.tables import for_each


@pytest.fixture(scope="module")
def played(workspace: Workspace) -> PlayedStudy:
    return play_study(lesson().steps[0].view.study, workspace)


def asked(played: PlayedStudy, **prediction: Any) -> tuple[str, str, Text]:
    """The question in English, its right answer, and the reason."""
    question = prepare_question(lesson({"prediction": prediction}).steps[0], played)
    assert question is not None
    assert question.text.languages == question.reason.languages == ("en", "zh")
    return question.text.en, question.choices[question.answer].en, question.reason


def summarizing_turn(played: PlayedStudy) -> int:
    run = played.runs[1]
    return min(
        run.request_turn(one) or 99 for one in run.compactions if one.is_summarization
    )


def test_whether_a_request_summarizes_comes_with_the_rule_in_numbers(
    played: PlayedStudy,
) -> None:
    turn = summarizing_turn(played)
    _, answer, reason = asked(played, kind="summarizes", turn=turn, setting=1)
    assert answer == "Yes"
    assert "The rule counts 17 messages, and its limit is 16." in reason.en
    assert "规则数到 17 条消息，上限是 16。" in reason.zh
    text, answer, reason = asked(played, kind="summarizes", turn=turn - 1, setting=1)
    assert text.endswith(
        f"write a summary right before the request of turn {turn - 1}?"
    )
    assert answer == "No"
    assert reason.en == "It is not time: the rule counts 15 messages of 16."
    assert asked(played, kind="summarizes", turn=5)[1] == "No"


def test_how_many_messages_stay_is_one_of_three_numbers(played: PlayedStudy) -> None:
    question = prepare_question(
        lesson({"prediction": {"kind": "stays", "turn": 20, "setting": 1}}).steps[0],
        played,
    )
    assert question is not None
    numbers = [int(choice.en) for choice in question.choices]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 3
    right = int((played.runs[1].fates(slice(19, 20)) == 4).sum())
    assert numbers[question.answer] == right


def test_a_fact_that_only_has_its_old_value_in_the_request_is_not_known_any_more(
    workspace: Workspace,
) -> None:
    settings = [{"strategy": "window", "window_size": 10}]
    played = play_study(lesson(settings=settings).steps[0].view.study, workspace)
    prediction = {"kind": "knows", "turn": 30, "fact": "3,600 euros"}
    _, answer, reason = asked(played, **prediction)
    assert answer == "No"
    assert reason.en == "Only what denies it or what it was before is sent."
    assert "以前的值" in reason.zh


def test_what_is_known_says_where_it_stands(played: PlayedStudy) -> None:
    text, answer, reason = asked(
        played, kind="knows", turn=20, setting=1, fact="cashews and pistachios"
    )
    assert "**cashews and pistachios**" in text
    assert answer == "Yes"
    assert reason == Text(
        "The message is gone, and the summary holds it.",
        "原消息已不在，但摘要里还有它。",
    )


def test_the_cheapest_setting_comes_with_all_amounts(played: PlayedStudy) -> None:
    _, answer, reason = asked(played, kind="cheapest", turn=40)
    assert answer in played.labels
    assert all(label in reason.en.replace("\\", "") for label in played.labels)
    assert reason.en.count("$") == len(played.labels)


def test_a_memory_without_a_summary_is_not_said_to_have_one(
    workspace: Workspace,
) -> None:
    step = memviz.lesson("poison").steps[1]
    question = prepare_question(step, play_study(step.view.study, workspace))
    assert question is not None
    assert question.answer == 1
    assert question.reason.en == "No message that is sent holds it any more."
    assert "摘要" not in question.reason.zh


def test_the_stage_waits_before_the_predicted_turn_and_then_goes_there() -> None:
    step = lesson(
        {
            "view": {"turn": 12, "from": 3},
            "prediction": {"kind": "stays", "turn": 10, "setting": 1},
        }
    ).steps[0]
    assert find_stage_position(step, 46, is_answered=False) == StagePosition(3, 9, 9)
    after = find_stage_position(step, 46, is_answered=True)
    assert (after.first, after.turn, after.last) == (3, 10, 46)


def test_once_any_other_question_is_answered_the_stage_goes_on_to_the_last_turn() -> (
    None
):
    question = {"text": "?", "choices": ["a", "b"], "answer": 0, "reason": "a."}
    view = {"turn": 6, "from": 2, "to": 58}
    step = lesson({"view": view, "question": question}).steps[0]
    assert find_stage_position(step, 60, is_answered=False) == StagePosition(2, 6, 58)
    assert find_stage_position(step, 60, is_answered=True) == StagePosition(2, 58, 58)
    unasked = lesson({"view": view}).steps[0]
    assert find_stage_position(unasked, 60, is_answered=True) == StagePosition(2, 6, 58)


def test_a_view_longer_than_the_conversation_ends_with_it() -> None:
    found = find_stage_position(
        lesson({"view": {"turn": 60, "from": 50, "to": 70}}).steps[0],
        46,
        is_answered=True,
    )
    assert (found.first, found.turn, found.last) == (46, 46, 46)


def test_the_data_of_the_stage_are_those_of_the_view(played: PlayedStudy) -> None:
    view = {
        "turn": 6,
        "from": 4,
        "to": 9,
        "highlight": {"setting": 1, "fact": 0, "message": 3},
        "controls": ["play"],
        "measure": "memory",
    }
    data = prepare_stage(lesson({"view": view}).steps[0], played)
    assert [step[0] for step in data["steps"]] == [4, 5, 6, 7, 8, 9]
    assert (data["first"], data["at"], data["chosen"], data["measure"]) == (
        3,
        5,
        1,
        "memory",
    )
    assert data["highlight"] == {"settings": [1], "facts": [0], "messages": [2]}
    assert data["controls"] == ["play"]
    assert "controls" not in prepare_stage(lesson().steps[0], played)


def test_a_still_picture_says_its_numbers_and_does_not_give_the_answer_away(
    played: PlayedStudy,
) -> None:
    found = still(
        lesson(
            {"view": {"turn": 20}, "prediction": {"kind": "stays", "turn": 10}}
        ).steps[0],
        played,
    )
    assert found.turn == 9
    assert found.lines[0].startswith(
        f"Full buffer: {played.runs[0].turns[8].total_tokens:,} tokens, 17 messages word"
    )
    assert found.svg.count("<rect") > 4


def test_a_view_opens_by_the_address_that_compare_reads(played: PlayedStudy) -> None:
    view = {
        "page": "facts",
        "show": "lives",
        "turn": 20,
        "highlight": {"setting": 1, "fact": "QX7R4M"},
        "pause_seconds": 300,
        "link": {"all": "True"},
        "recalls": [{"turn": 20, "turns": [1, 2], "setting": 1}],
    }
    address = format_address(lesson({"view": view}).steps[0].view, played)
    for part in (
        "conversation=sample-trip",
        "setting=buffer&",
        "setting=summary+",
        "look=1",
        "turn=20",
        "view=lives",
        "pause=300.0",
        "all=True",
        f"fact={played.fact('QX7R4M')}",
        "recall=20+1%2C2+1",
    ):
        assert part in address, address
    assert address.startswith("/facts?")
    assert "stage=on" in format_address(lesson().steps[0].view, None)
    assert format_address(lesson(conversation="saved here").steps[0].view, None) == ""


def test_a_view_names_the_controls_that_the_stage_has() -> None:
    assert f"const MEMVIZ_CONTROLS = {json.dumps(CONTROLS)};" in script()


TURNS = [{"strategy": "summary_only", "summary_words": 120}]


@for_each(
    ("writer", "model"),
    [("", "claude"), ("trip", "claude"), ("trip-smollm2", "SmolLM2 135M")],
)
def test_a_lesson_names_the_recording_that_writes_its_summaries(
    workspace: Workspace, writer: str, model: str
) -> None:
    found = lesson(settings=TURNS, **({"writer": writer} if writer else {}))
    (run,) = play_study(found.steps[0].view.study, workspace).runs
    assert {one.model for one in run.compactions} == {model}
    address = format_address(found.steps[0].view, None)
    assert ("summarizer=recording%3A" + writer in address) is bool(writer)


def test_a_step_names_another_writer_and_one_that_is_not_there_is_said(
    workspace: Workspace,
) -> None:
    found = lesson({"view": {"writer": "trip-smollm2"}}, settings=TURNS, writer="trip")
    assert found.steps[0].view.study.writer == "trip-smollm2"
    with pytest.raises(RecordingError, match="nowhere"):
        play_study(
            lesson(settings=TURNS, writer="nowhere").steps[0].view.study, workspace
        )
