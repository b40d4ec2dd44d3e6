"""Replies of live models, noted and saved as a recording."""

from __future__ import annotations

import memviz
from memviz import Message, Reply
from memviz.engine.recording import build_recording, setting_of
from memviz.models.recordings.player import RecordedModel
from memviz.models.recordings.recorder import MOST_REPLIES, Noted, Notes
from memviz.models.recordings.recording import About
from memviz.transcripts.samples import sample
from tests.models.recordings.recorded import MODEL, RealModel

TRIP = sample("trip")
SUMMARY = memviz.strategy("summary", buffer_size=16)
WINDOW = memviz.strategy("window", window_size=4)
ABOUT = About(model=MODEL)


def test_whatever_a_model_was_asked_for_is_played_again() -> None:
    notes = Notes()
    live = Noted(RealModel(), notes)
    chat = memviz.Chat(WINDOW, model=live)
    chat.send("Hello.")
    run = memviz.replay(TRIP, SUMMARY, model=live)
    answer = memviz.ask(run, TRIP.probes[0].question, model=live)
    made = (setting_of(TRIP, SUMMARY), run, TRIP.probes)
    recording = build_recording("mine", ABOUT, notes.replies, [made])
    player = RecordedModel(recording)
    assert (
        memviz.Chat(WINDOW, model=player).send("Hello.").reply
        == chat.run.turns[0].reply
    )
    played = memviz.replay(TRIP, SUMMARY, model=player)
    assert [one.summary for one in played.compactions] == [
        one.summary for one in run.compactions
    ]
    assert (
        memviz.ask(played, TRIP.probes[0].question, model=player).reply == answer.reply
    )
    assert recording.holds(made[0])
    assert not recording.answers(made[0]), "one question of many was asked"


def test_with_all_questions_answered_the_setting_has_its_answers() -> None:
    notes = Notes()
    live = Noted(RealModel(), notes)
    run = memviz.replay(TRIP, SUMMARY, model=live)
    for probe in TRIP.probes:
        memviz.ask(run, probe.question, model=live)
    setting = setting_of(TRIP, SUMMARY)
    assert build_recording(
        "mine", ABOUT, notes.replies, [(setting, run, TRIP.probes)]
    ).answers(setting)


def test_a_run_of_which_summaries_are_missing_is_not_called_recorded() -> None:
    notes = Notes()
    run = memviz.replay(TRIP, SUMMARY, model=Noted(RealModel(), notes))
    setting = setting_of(TRIP, SUMMARY)
    assert build_recording("mine", ABOUT, notes.replies, [(setting, run, ())]).holds(
        setting
    )
    assert not build_recording(
        "mine", ABOUT, notes.replies[1:], [(setting, run, ())]
    ).holds(setting)
    reworded = memviz.replay(TRIP, SUMMARY, model=RealModel(), edits={1: "My words."})
    assert not build_recording(
        "mine", ABOUT, notes.replies, [(setting, reworded, ())]
    ).holds(setting)


def test_what_another_model_answered_to_the_same_requests_does_not_count_for_the_run() -> (
    None
):
    notes = Notes()
    other = memviz.ScriptedModel(
        [
            Reply("another first summary", model="another"),
            *[memviz.ModelError("It failed.")] * 99,
        ]
    )
    memviz.replay(
        TRIP, SUMMARY, model=Noted(other, notes)
    )  # it failed after its first summary
    run = memviz.replay(TRIP, SUMMARY, model=Noted(RealModel(), notes))
    recording = build_recording(
        "mine", ABOUT, notes.replies, [(setting_of(TRIP, SUMMARY), run, ())]
    )
    played = memviz.replay(TRIP, SUMMARY, model=RecordedModel(recording))
    assert [one.summary for one in played.compactions] == [
        one.summary for one in run.compactions
    ]


def test_what_was_cut_off_or_empty_is_not_noted_and_a_failure_notes_nothing() -> None:
    notes = Notes()
    script = [
        Reply("cut", finish_reason="length"),
        Reply(" "),
        memviz.ModelError("It failed."),
        Reply("whole"),
    ]
    live = Noted(memviz.ScriptedModel(script), notes)
    for _ in script:
        try:
            live.complete([Message("user", "Hello.")])
        except memviz.ModelError:
            continue
    assert [one.reply.text for one in notes.replies] == ["whole"]


def test_an_answer_from_the_disk_has_no_seconds_and_cost_of_its_own() -> None:
    notes = Notes()
    Noted(
        memviz.ScriptedModel([Reply("kept", cost_usd=0.0, cached=True)]), notes
    ).complete([Message("user", "Hi.")])
    (noted,) = notes.replies
    assert (noted.reply.recorded_seconds, noted.reply.cost_usd) == (None, None)


def test_only_the_newest_are_kept() -> None:
    notes = Notes()
    live = Noted(RealModel(), notes)
    for number in range(MOST_REPLIES + 3):
        live.complete([Message("user", str(number))])
    assert len(notes.replies) == MOST_REPLIES
    assert notes.replies[0].request.messages[0].content == "3"


def test_a_run_without_summaries_has_no_setting() -> None:
    run = memviz.replay(TRIP, WINDOW)
    assert not build_recording(
        "mine", ABOUT, (), [(setting_of(TRIP, WINDOW), run, ())]
    ).settings
