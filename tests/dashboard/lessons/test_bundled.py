"""Every bundled lesson: both languages, and every claim held against the runs."""

from __future__ import annotations

import re
from itertools import pairwise

import memviz
from memviz.dashboard.lessons.claims import judge_claims, list_numbers_without_claim
from memviz.dashboard.lessons.lesson import LANGUAGES, Question
from memviz.dashboard.lessons.markdown import as_plain
from memviz.dashboard.lessons.playing import play_study
from memviz.dashboard.lessons.questions import prepare_question
from memviz.dashboard.lessons.staging import find_stage_position, prepare_stage
from memviz.storage.workspace import Workspace
from tests.tables import for_each

IDS = sorted(memviz.lessons())
TOLD_TURN = re.compile(r"^Turn (\d+):|Now, at turn (\d+)")
"""The turn of which a text speaks as of what is seen."""
NAMED_TURN = re.compile(
    r"\b[Aa]t turn (\d+)|\bbefore turn (\d+)|(?:^|\. )Turn (\d+)[:,]"
)
"""A turn of which a text says what happens."""


@for_each("id", IDS)
def test_every_claim_holds(id: str, workspace: Workspace) -> None:
    results = list(judge_claims(memviz.lesson(id), workspace))
    assert [result.sentence for result in results if not result.held] == []
    assert results


@for_each("id", IDS)
def test_it_is_whole_in_both_languages_and_short(id: str) -> None:
    lesson = memviz.lesson(id)
    assert lesson.id == id
    assert lesson.languages == tuple(LANGUAGES)
    assert lesson.summary
    assert 1 <= (lesson.minutes or 0) < 10
    assert any(step.asked for step in lesson.steps)


@for_each("id", IDS)
def test_its_numbers_are_held_by_claims(id: str, workspace: Workspace) -> None:
    for step in memviz.lesson(id).steps:
        if step.view.study.settings:
            assert (
                list_numbers_without_claim(step, play_study(step.view.study, workspace))
                == []
            ), step.title.en


@for_each("id", IDS)
def test_its_facts_turns_and_questions_are_there(id: str, workspace: Workspace) -> None:
    for step in memviz.lesson(id).steps:
        if not step.view.study.settings:
            continue
        played = play_study(step.view.study, workspace)
        if step.view.highlight.fact is not None:
            played.fact(step.view.highlight.fact)
        turns = [
            step.view.turn,
            step.view.first_turn,
            step.view.last_turn,
            *(one.view.turn for one in step.to_try),
        ]
        assert (
            max((turn for turn in turns if turn), default=1)
            <= played.runs[0].log.turn_count
        )
        if isinstance(step.asked, Question):
            assert step.asked.reason


@for_each("id", IDS)
def test_a_message_with_a_ring_is_in_the_request_that_is_seen_first(
    id: str, workspace: Workspace
) -> None:
    for step in memviz.lesson(id).steps:
        ringed = step.view.highlight.message
        if ringed is None or "The ring marks" not in as_plain(step.text.en):
            continue
        data = prepare_stage(
            step, play_study(step.view.study, workspace), is_answered=False
        )
        request = data["settings"][0]["requests"][data["at"] - data["first"]]
        assert ringed <= request["length"], step.title.en


@for_each("id", IDS)
def test_the_picture_stands_at_the_turn_of_which_the_text_speaks(
    id: str, workspace: Workspace
) -> None:
    for step in memviz.lesson(id).steps:
        told = TOLD_TURN.search(as_plain(step.text.en))
        if told is None or not step.view.has_stage:
            continue
        turns = play_study(step.view.study, workspace).runs[0].log.turn_count
        where = find_stage_position(step, turns, is_answered=False)
        assert where.turn == int(told[1] or told[2]), step.title.en


@for_each("id", IDS)
def test_the_last_turn_that_a_text_names_is_seen(id: str, workspace: Workspace) -> None:
    """Before the answer or after it, or it is played where the text says so."""
    for step in memviz.lesson(id).steps:
        text = as_plain(step.text.en)
        named = [
            int(turn) for found in NAMED_TURN.findall(text) for turn in found if turn
        ]
        if not named or not step.view.has_stage or re.search(r"\bnow:", text):
            continue
        turns = play_study(step.view.study, workspace).runs[0].log.turn_count
        before = find_stage_position(step, turns, is_answered=False)
        after = find_stage_position(step, turns, is_answered=True)
        seen = {before.turn, after.turn}
        if "Play" in text:
            seen.update(range(before.first, after.last + 1))
        assert max(named) in seen, step.title.en


@for_each("id", IDS)
def test_the_turn_that_a_question_asks_about_is_shown_once_it_is_answered(
    id: str, workspace: Workspace
) -> None:
    """Or it can be played there, or in the next step."""
    steps = memviz.lesson(id).steps
    for step, following in pairwise([*steps, steps[-1]]):
        if step.asked is None or not step.view.has_stage:
            continue
        question = prepare_question(step, play_study(step.view.study, workspace))
        assert question is not None
        asked = re.search(r"turn (\d+)", as_plain(question.text.en))
        if asked is None:
            continue
        turns = play_study(step.view.study, workspace).runs[0].log.turn_count
        after = find_stage_position(step, turns, is_answered=True)
        later = find_stage_position(following, turns, is_answered=True)
        seen = {after.turn, *range(later.first, later.last + 1)}
        if step.view.last_turn is None:
            seen.update(range(after.first, after.last + 1))
        assert int(asked[1]) in seen, step.title.en


@for_each("id", IDS)
def test_its_summaries_have_a_length_unless_it_speaks_of_lengths(id: str) -> None:
    """But a summary of every turn, which is short by itself."""
    lesson = memviz.lesson(id)
    if "length" in " ".join(text.en for text in lesson.texts):
        return
    shown = [setting for step in lesson.steps for setting in step.view.study.settings]
    assert [
        one.label
        for one in shown
        if one.id != "summary_only" and not getattr(one, "summary_words", 120)
    ] == []
