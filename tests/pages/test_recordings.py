"""Recordings on the pages: played where they were made for the run, opened in the Library, and said to be what they
are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.ui.controls.authorship import (
    ALL_STAND_IN,
    NO_RECORDING,
    WITH_RECORDINGS,
)
from memviz.engine.recording import setting_of
from memviz.metrics.summaries.events import Author, name_summary_author
from memviz.metrics.summaries.inventions import measure_worth
from memviz.models.names import OFFLINE, STAND_IN
from memviz.models.recordings.files import write_recording
from memviz.storage.workspace import SAMPLE_PREFIX, RunKey, Workspace
from memviz.strategies.base import Strategy
from memviz.transcripts.samples import sample
from tests.models.openai_server import OpenAIServer
from tests.models.openai_server import text as live
from tests.models.recordings.recorded import MODEL, a_recording_of
from tests.pages.downloads import named
from tests.pages.driving import (
    click,
    finished,
    labelled,
    open_address,
    open_page,
    panels,
    say,
    sentences,
    token_lines,
)

BUFFER = memviz.strategy("summary_buffer", max_token_limit=1500)
SETTING = 'summary_buffer {"max_token_limit": 1500}'
BADGE = f":blue-badge[recorded · {MODEL}]"


def opened_recording(workspace: Workspace, strategy: Strategy = BUFFER) -> None:
    workspace.recordings.open(recording_file(strategy), "mine.recording")


@cache
def recording_file(strategy: Strategy) -> bytes:
    """A recording of the trip under one setting, with an answer to each of its questions."""
    trip = sample("trip")
    recording = a_recording_of(trip, strategy, probes=trip.probes)
    return write_recording(recording).encode()


def told(page: AppTest) -> str:
    return " ".join([*sentences(page.markdown), *sentences(page.caption)])


@pytest.mark.slow
def test_a_run_that_was_recorded_is_played_and_another_is_the_stand_ins() -> None:
    opened_recording(Workspace())
    page = open_page("compare", setting=SETTING)
    run = memviz.replay(sample("trip"), BUFFER, model=memviz.model(OFFLINE))
    assert list(token_lines(page).values()) != [[one.total_tokens for one in run.turns]]
    assert BADGE in told(page)
    labelled(page.selectbox, "Summarizer").set_value(OFFLINE).run()
    assert list(token_lines(page).values()) == [[one.total_tokens for one in run.turns]]
    assert "badge[built-in model]" in told(page)
    assert "Summary buffer :gray[1,500 tokens, built-in]" in panels(page)
    moved = open_page("compare", setting='summary_buffer {"max_token_limit": 1400}')
    assert "badge[built-in model]" in told(moved)
    assert "Summary buffer :gray[1,400 tokens, built-in]" in panels(moved)
    back = open_page("compare", setting=SETTING)
    assert "Summary buffer :gray[1,500 tokens, recorded]" in panels(back)


def test_a_wording_of_the_visitors_own_leaves_what_was_recorded_before_it_recorded() -> (
    None
):
    here = Workspace()
    opened_recording(here)
    key = RunKey(SAMPLE_PREFIX + "trip", BUFFER, "o200k_base", "recording:mine")
    here.run(key, here.recordings.player("recording:mine"))
    reworded = replace(key, edits=((2, "My own words."),))
    run = here.run(reworded, here.free_summarizer(reworded))
    assert [name_summary_author(one) for one in run.compactions[:2]] == [
        Author.RECORDED,
        None,
    ]
    assert {name_summary_author(one) for one in run.compactions[2:]} == {
        Author.STAND_IN
    }


@pytest.mark.slow
def test_the_card_of_a_version_says_who_wrote_it() -> None:
    opened_recording(Workspace())
    page = open_page("summaries", setting=SETTING)
    assert BADGE in [text for text in sentences(page.markdown) if len(text) < 50]
    assert f"by {MODEL}" not in sentences(page.caption), "its badge names it"
    other = open_page("summaries", setting='summary_buffer {"max_token_limit": 1400}')
    assert ":gray-badge[built-in model]" in [
        text for text in sentences(other.markdown) if len(text) < 40
    ]


def test_a_setting_with_a_recall_says_that_its_summaries_are_recorded() -> None:
    opened_recording(Workspace())
    page = open_page(
        "compare", conversation=SAMPLE_PREFIX + "trip", setting=SETTING, recall="40 15"
    )
    assert BADGE in told(page)
    assert "Summary buffer :gray[1,500 tokens, recorded]" in panels(page)


def test_a_recording_that_was_removed_plays_no_more() -> None:
    here = Workspace()
    opened_recording(here)
    key = RunKey(SAMPLE_PREFIX + "trip", BUFFER, "o200k_base", "recording:mine")
    here.run(key, here.recordings.player("recording:mine"))
    here.remove_recording("mine")
    assert here.kept_run(key) is None
    assert here.recorded_for(key) == OFFLINE


def test_a_file_that_was_cut_or_has_a_hole_says_what_is_missing_and_is_not_played() -> (
    None
):
    whole = write_recording(a_recording_of(sample("trip"), BUFFER))
    Workspace().open_recording(whole[: len(whole) // 2].encode(), "cut.recording")
    assert not Workspace().recordings.opened["cut"].settings
    lines = whole.splitlines(keepends=True)
    second = [number for number, line in enumerate(lines) if '"request"' in line][1]
    holed = "".join(lines[:second] + lines[second + 1 :])
    Workspace().open_recording(holed.encode(), "holed.recording")
    warnings = " ".join(sentences(open_page("library").warning))
    assert "ends in the middle of a line" in warnings
    hole = "Summary buffer · 1,500 tokens is not played, because summary 2 of its "
    assert hole in warnings
    assert "badge[built-in model]" in told(open_page("compare", setting=SETTING))


@pytest.mark.slow
def test_a_question_gets_its_recorded_answer_or_it_is_said_why_the_stand_in_answers() -> (
    None
):
    opened_recording(Workspace())
    page = open_address("compare", {"setting": [SETTING, "window"]})
    question = sample("trip").probes[0].question
    for asked, reason in (
        ("What is the colour of the door?", NO_RECORDING),
        (
            question,
            "No recording holds the answer under Sliding window · 10 messages, so there the built-in",
        ),
    ):
        labelled(page.text_input, "One question").set_value(asked)
        click(page, "Ask 2 settings")
        assert reason in told(page)
    assert any("Reply " in text.value for text in page.text)
    assert any(text == BADGE for text in sentences(page.markdown))
    labelled(page.selectbox, "Chat model").select(OFFLINE).run()
    click(page, "Ask 2 settings")
    assert "No recording" not in told(page), "the built-in model was chosen"
    alone = open_page("compare", setting=SETTING)
    labelled(alone.text_input, "One question").set_value(question)
    click(alone, "Ask 1 setting")
    assert "No recording" not in told(alone)


@pytest.mark.slow
def test_a_chat_message_that_was_not_recorded_says_why_the_stand_in_answers() -> None:
    opened_recording(
        Workspace(), memviz.strategy("summary_buffer", max_token_limit=500)
    )
    page = open_page("chat", chat=SAMPLE_PREFIX + "trip")
    assert NO_RECORDING not in told(page), "nothing was asked yet"
    say(page, sample("trip").probes[0].question)
    assert any("Reply " in text.value for text in page.text)
    assert NO_RECORDING not in told(page)
    say(page, "What is the colour of the door?")
    assert NO_RECORDING in told(page)
    labelled(page.selectbox, "Chat model").select(OFFLINE).run()
    assert NO_RECORDING not in told(page), "the built-in model was chosen"


@pytest.mark.slow
def test_answers_on_facts_say_who_gave_how_many() -> None:
    opened_recording(Workspace())
    page = open_address("retention", {"setting": [SETTING, "window"]})
    finished(click(page, "Ask with recorded, else built"))
    number = len(sample("trip").probes)
    words = f"{BADGE} {number}; :gray-badge[built-in model] {number}."
    assert f"Answers: {words}" in sentences(page.caption)
    assert "Cost" not in page.table[-1].value.index, "recorded answers cost nothing now"


@pytest.mark.slow
def test_the_prompt_lab_says_who_wrote_each_summary() -> None:
    opened_recording(Workspace())
    page = click(open_page("summaries", setting=SETTING), "Try both")
    badges = [
        text
        for text in sentences(page.markdown)
        if re.fullmatch(r":\w+-badge\[[^◆]*\]", text)
    ]
    assert badges[-2:] == [BADGE, ":gray-badge[built-in model]"]
    assert any(
        "Where this very prompt was recorded" in text
        for text in sentences(page.caption)
    )


def test_one_that_is_opened_is_offered_as_fast_as_it_was_listed_and_removed() -> None:
    opened_recording(Workspace())
    page = open_page("compare", setting=SETTING, summarizer="recording:mine")
    labelled(page.toggle, "As fast as it was").set_value(True).run()
    labelled(page.selectbox, "Summarizer").select(OFFLINE).run()
    assert not [toggle for toggle in page.toggle if toggle.label.startswith("As fast")]
    library = open_page("library")
    assert any("A test" in text for text in sentences(library.markdown))
    assert "opened · provider/real" in told(library)
    click(library, "Remove")
    assert not Workspace().recordings.opened


@pytest.mark.slow
def test_replies_of_a_session_are_saved_and_play_again(
    server: OpenAIServer, made: dict[str, Callable[[], str | bytes]]
) -> None:
    server.otherwise = live("A summary of it.")
    page = open_page("compare", setting=SETTING, summarizer="openai/gpt-5-mini")
    labelled(page.text_input, "API key").set_value("sk-secret-0123456789")
    labelled(page.text_input, "Base URL").set_value(server.api_base).run()
    click(page, "Replay with openai")
    page.run()
    assert "badge[live]" in told(page)
    content = named(made, ".recording")
    assert "sk-secret" not in content
    assert server.api_base not in content
    recording = Workspace().recordings.open(content.encode(), "session.recording")
    assert recording.holds(setting_of(sample("trip"), BUFFER))
    assert "badge[recorded · " in told(open_page("compare", setting=SETTING))


def test_a_recording_that_nobody_has_is_one_sentence_and_the_stand_in_has_a_name() -> (
    None
):
    page = open_page("compare", setting=SETTING, summarizer="recording:/etc/passwd")
    assert any("not at hand" in error for error in sentences(page.error))
    labelled(page.selectbox, "Summarizer").select(OFFLINE).run()
    chooser = labelled(page.selectbox, "Summarizer")
    assert STAND_IN in chooser.options
    assert OFFLINE not in chooser.options
    assert chooser.value == OFFLINE
    assert f"Summaries: **{STAND_IN}**" in told(page).replace("\\", "")


@pytest.mark.usefixtures("with_recordings")
def test_recorded_is_said_of_recordings_alone() -> None:
    page = open_page("compare", conversation=SAMPLE_PREFIX + "trip", setting="window")
    assert "Replies: **as they were said**." in told(page)
    (replies,) = [group for group in page.button_group if group.label == "Replies"]
    assert replies.options == ["As they were said", "Free run"]
    assert "recorded" not in told(page).replace("recorded, else built-in", "")


@pytest.mark.slow
def test_a_recording_that_does_not_hold_a_setting_says_which_it_holds_and_the_way_back() -> (
    None
):
    """The sidebar says it, which is the same beside every view."""
    opened_recording(Workspace())
    page = open_page(
        "compare",
        setting='summary_buffer {"max_token_limit": 1400}',
        summarizer="recording:mine",
    )
    (warning,) = [text for text in sentences(page.warning) if "does not hold" in text]
    assert warning.replace("\u2060", "") == (
        "The recording “mine” does not hold all summaries of Summary buffer · 1,400 tokens: choose "
        "*recorded, else built-in*, or one of its settings: Summary buffer · 1,500 tokens."
    )
    assert "Summary buffer :gray[1,400 tokens, not recorded]" in panels(page)
    labelled(page.selectbox, "Conversation").select(SAMPLE_PREFIX + "chinese").run()
    assert any(
        "made for another conversation or counter" in text
        for text in sentences(page.warning)
    )
    click(page, WITH_RECORDINGS)
    assert not [text for text in sentences(page.warning) if "does not hold" in text]
    assert "badge[built-in model]" in told(page)


@pytest.mark.slow
@pytest.mark.usefixtures("with_recordings")
def test_tune_tries_recorded_settings_too_and_measures_them_alone_with_the_recording() -> (
    None
):
    page = finished(open_page("tune"))
    assert "8" in labelled(page.multiselect, "Buffer size").value
    assert "1500" in labelled(page.multiselect, "Max token limit").value
    assert (
        "Recorded with a language model: max_token_limit 1,500 and 4,000; summary_words 0 and 120."
        in told(page)
    )
    assert (
        "Summaries of all settings: :gray-badge[built-in model] which quotes"
        in told(page)
    )
    finished(click(page, "Only the 10 recorded ones"))
    assert re.search(
        r"Summaries of all settings: :blue-badge\[recorded · claude\]; \d+ settings were not recorded",
        told(page),
    )
    expected = memviz.sweep(
        sample("trip"),
        {"summary": {"buffer_size": (8, 16), "summary_words": (0, 120)}},
        summarizer="recording:trip",
    )
    shares = expected.frame()["retention"]
    kept = {
        setting.label: f"{share:.0%}"
        for setting, share in zip(expected.settings, shares, strict=True)
    }
    table = page.table[0].value
    rows = table[table["Setting"].str.contains("Running summary")].to_dict("records")
    assert rows
    for row in rows:
        assert (
            row["Facts kept"].partition(" ")[0]
            == kept[row["Setting"].replace("\\", "")]
        )
    click(page, ALL_STAND_IN)
    assert "Summaries of all settings: :gray-badge[built-in model]" in told(
        finished(page)
    )


@pytest.mark.slow
@pytest.mark.usefixtures("with_recordings")
def test_tune_says_which_settings_a_recording_of_another_conversation_does_not_hold() -> (
    None
):
    page = finished(open_page("tune", summarizer="recording:support"))
    assert "settings were not recorded and are left out" in told(page)
    labelled(page.button_group, "Strategies to try").set_value(["summary"]).run()
    assert any(
        "holds none of these settings" in sentence for sentence in sentences(page.info)
    )
    click(page, ALL_STAND_IN)
    assert "gray-badge[built-in model]" in told(finished(page))


@pytest.mark.usefixtures("with_recordings")
@pytest.mark.parametrize("page", ["compare", "summaries"])
def test_nothing_is_the_stand_ins_at_the_recorded_settings(page: str) -> None:
    """A page of each kind: one that says it once, and one that says it of every version."""
    shown = open_page(page, conversation=SAMPLE_PREFIX + "trip", setting=SETTING)
    said = [
        *sentences(shown.markdown),
        *sentences(shown.caption),
        *sentences(shown.warning),
        *sentences(shown.info),
    ]
    assert not [text for text in said if "offline" in text]
    assert any("badge[recorded · claude]" in text for text in said)


@pytest.mark.usefixtures("with_recordings")
def test_each_conversation_is_recorded_at_the_setting_of_compare() -> None:
    for name in ("trip", "support", "tutoring", "chinese"):
        key = RunKey(SAMPLE_PREFIX + name, BUFFER, "o200k_base", OFFLINE)
        assert Workspace().recorded_for(key) == f"recording:{name}"


SMALL = "recording:trip-smollm2"
TURNS = 'summary_only {"summary_words": 120}'


@pytest.mark.slow
@pytest.mark.usefixtures("with_recordings")
def test_summaries_compare_the_writers_of_one_memory_and_each_is_offered_by_name() -> (
    None
):
    page = open_page("summaries", conversation=SAMPLE_PREFIX + "trip", setting=TURNS)
    assert ":blue-badge[recorded · claude]" in told(page)
    (table,) = [one.value for one in page.table if "Writer" in one.value]
    assert list(zip(table["Writer"], table["Asked for"], strict=True)) == [
        ("claude", "no length"),
        ("claude", "120 words"),
        ("SmolLM2 135M", "120 words"),
    ]
    trip = sample("trip")
    run = memviz.replay(
        trip, memviz.strategy("summary_only", summary_words=120), model=SMALL
    )
    worth = measure_worth(run, memviz.retention(run, trip.probes))
    last = table.iloc[-1]
    assert last["Facts known at the end"] == f"{worth.known} of {worth.stated}"
    assert last["Not in the prompt"] == str(worth.invented)
    assert last["Words a summary"] == f"{worth.words:.0f}"
    assert last["Dollars"].startswith("$")
    chooser = labelled(page.selectbox, "Summarizer")
    assert SMALL in chooser.options
    assert "recording:trip" not in chooser.options, "it plays by itself"
    chooser.select(SMALL).run()
    assert ":blue-badge[recorded · SmolLM2 135M]" in told(page)
    assert "badge[recorded · claude]" not in told(page)
    limit = 'summary_buffer {"max_token_limit": 1400}'
    page = open_page("summaries", conversation=SAMPLE_PREFIX + "trip", setting=limit)
    assert not [one for one in page.table if "Writer" in one.value]
