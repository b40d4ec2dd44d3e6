"""The Lessons page: the list, a lesson step by step, its link, and a lesson that is written, saved and taken away."""

from __future__ import annotations

import re
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.lessons.lesson import Language, Prediction, Question
from memviz.dashboard.lessons.markdown import as_plain
from memviz.dashboard.lessons.reading import read_lesson
from memviz.dashboard.ui.lessons.player import STEP_KEY
from memviz.dashboard.ui.lessons.state import Answered
from memviz.storage.store import Store
from tests.dashboard.lessons.writing_lessons import text_with
from tests.page_names import PLAYED_LESSONS, QUESTIONS
from tests.pages.driving import click, labelled, open_address, open_page, sentences

BUFFER = [{"strategy": "buffer"}]
FIRST_CHARS = 20
UNPLAYED_LESSONS = [id for id in memviz.lessons() if id not in PLAYED_LESSONS][:2]
"""In each language one. What the steps of the others show, ``tests/dashboard/lessons/test_bundled.py`` reads."""


def saved(database: Path, text: str, id: str = "mine") -> None:
    store = Store(database)
    store.keep("lesson", id, text)
    store.close()


def stored(database: Path) -> dict[str, str]:
    store = Store(database)
    texts = {id: store.kept("lesson", id) for id in store.kept_keys("lesson")}
    store.close()
    return texts


def playing(**query: str) -> AppTest:
    session = open_address("lessons", {part: [text] for part, text in query.items()})
    assert not session.exception, [error.message for error in session.exception]
    return session


def titles(session: AppTest) -> list[str]:
    return [session.title[0].value, *(header.value for header in session.header)]


def prose(session: AppTest) -> str:
    return " ".join(
        one.proto.body
        for one in session.get("html")
        if '<div class="memviz-prose' in one.proto.body
    )


def address(session: AppTest) -> dict[str, str]:
    query = session.query_params
    return {
        name: (value[0] if isinstance(value, list) else value)
        for name, value in query.items()
    }


def primary_buttons(session: AppTest) -> list[str | None]:
    return [one.key for one in session.button if one.proto.type == "primary"]


def test_the_list_has_every_lesson_says_where_to_begin_and_begins_one() -> None:
    session = open_page("lessons")
    lessons = list(memviz.lessons().values())
    listed = sentences(session.markdown)
    assert [f"**{lesson.title.en}**" for lesson in lessons] == [
        text for text in listed if text.startswith("**")
    ]
    panels = [block.proto.popover.label for block in session.get("popover")]
    assert panels[1:] == [f"More of {lesson.title.en}" for lesson in lessons]
    assert any("Begin with the first." in text for text in sentences(session.caption))

    first, second = lessons[:2]
    labelled(session.button_group, "Language of the texts").set_value("zh").run()
    assert f"**{first.title.zh}**" in sentences(session.markdown)
    assert primary_buttons(session) == [f"play-{first.id}"]
    session.session_state["lessons"].seen[first.id] = set(range(len(first.steps)))
    labelled(session.button_group, "Language of the texts").set_value("en").run()
    assert primary_buttons(session) == [f"play-{second.id}"]
    said = sentences(session.caption)
    assert not any("Begin with the first." in text for text in said)

    session.button(key="play-first-look").click().run()
    lesson = memviz.lesson("first-look")
    assert titles(session) == [lesson.title.en, lesson.steps[0].title.en]
    assert address(session) == {"lesson": "first-look", "step": "1", "language": "en"}


def test_a_link_opens_a_lesson_at_a_step_in_a_language(database: Path) -> None:
    step = {
        "title": {"en": "Look", "zh": "看"},
        "text": {"en": "a **b**", "zh": "甲**乙**"},
    }
    saved(
        database, text_with(step, settings=BUFFER, title={"en": "Mine", "zh": "我的"})
    )
    session = playing(lesson="mine", step="1", language="zh")
    assert titles(session) == ["我的", "看"]
    assert (
        prose(session)
        == '<div class="memviz-prose" lang="zh"><p>甲<strong>乙</strong></p></div>'
    )


def test_a_link_to_no_lesson_says_so_and_shows_the_list() -> None:
    session = playing(lesson="<b>x</b>")
    sentence = "The lesson '<b>x</b>' is not on this server, or was removed."
    assert sentences(session.warning) == [sentence]
    assert session.title[0].value == QUESTIONS["lessons"]


def test_a_step_that_is_not_there_is_the_nearest_one(database: Path) -> None:
    saved(database, text_with(settings=BUFFER))
    assert address(playing(lesson="mine", step="99"))["step"] == "1"
    assert (
        address(playing(lesson="mine", step="nonsense", language="tlh"))["step"] == "1"
    )


def test_an_answer_is_judged_with_its_reason_and_scored(database: Path) -> None:
    question = {
        "text": "Which?",
        "choices": ["_one_", "two"],
        "answer": 1,
        "reason": "So.",
    }
    saved(database, text_with({"question": question}, settings=BUFFER))
    session = playing(lesson="mine")
    radio = session.radio[0]
    assert radio.options == [r"\_one\_", "two"]
    radio.set_value(radio.options[0] if isinstance(radio.options[0], int) else 0).run()
    assert (
        ":material/close: **Not quite:** you said “_one_”. It is: **two**"
        in sentences(session.markdown)
    )
    assert "<p>So.</p>" in prose(session)
    assert "Step 1 of 1 · 0 of 1 answer right" in sentences(session.caption)
    assert not session.radio, "an answer is given once"
    (answered,) = [
        unescape(html.proto.body)
        for html in session.get("html")
        if 'class="memviz-answered"' in html.proto.body
    ]
    assert re.findall(r'<li class="(\w+)">', answered) == ["wrong", "right"]
    assert re.findall("<small>(.*?)</small>", answered) == ["your answer", "right"]
    assert "_one_" in answered
    click(session, "Done")
    assert any(
        "1 of 1 seen · 0 of 1 answer right" in text
        for text in sentences(session.caption)
    )


def test_the_stage_waits_for_the_answer_of_a_prediction(database: Path) -> None:
    prediction = {"kind": "summarizes", "turn": 6, "setting": 1}
    saved(database, text_with({"prediction": prediction, "view": {"turn": 4}}))
    with patch("memviz.dashboard.ui.lessons.player.stage") as stage:
        session = playing(lesson="mine")
        session.radio[0].set_value(0).run()
    data: list[Any] = [call.args[0] for call in stage.call_args_list]
    assert [len(one["steps"]) for one in data] == [5, 46]
    assert [one["at"] for one in data] == [3, 5]


def test_steps_are_gone_through_and_left(database: Path) -> None:
    text = text_with(
        settings=BUFFER,
        steps=[{"title": name, "text": "x"} for name in ("One", "Two", "Three")],
    )
    saved(database, text)
    session = playing(lesson="mine")
    before = address(session)
    click(session, "Next")
    assert (titles(session)[1], address(session)["step"]) == ("Two", "2")
    # Of a click that was made before the new address was there.
    for name, value in before.items():
        session.query_params[name] = value
    session.run()
    assert (titles(session)[1], address(session)["step"]) == ("Two", "2")
    session.query_params["step"] = "3"  # somebody asks for it
    assert titles(session.run())[1] == "Three"
    click(session, "Back")
    assert titles(session)[1] == "Two"
    session.session_state[STEP_KEY] = 3
    click(session, "Next")
    assert titles(session)[1] == "Three"
    click(session, "All lessons")
    assert session.title[0].value == QUESTIONS["lessons"]
    assert "lesson" not in address(session)
    assert any("3 of 3 seen" in text for text in sentences(session.caption))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "language"), [*zip(UNPLAYED_LESSONS, cycle(("zh", "en")), strict=False)]
)
def test_a_bundled_lesson_is_played_to_its_end(
    id: str, language: Language, with_recordings: None
) -> None:
    lesson = memviz.lesson(id)
    session = playing(lesson=id, language=language)
    for number, step in enumerate(lesson.steps, 1):
        title = titles(session)[1].replace("\\", "")
        assert title == step.title.said(language)
        words = as_plain(step.text.said(language))[:FIRST_CHARS]
        assert words in unescape(re.sub("<[^>]+>", "", prose(session)))
        assert address(session)["step"] == str(number)
        if step.asked is not None:
            session.radio[0].set_value(0).run()
            assert not session.radio
        click(session, "Next" if number < len(lesson.steps) else "Done")
        assert not session.exception
        assert not session.error
    assert session.title[0].value == QUESTIONS["lessons"]
    seen = f"{len(lesson.steps)} of {len(lesson.steps)} seen"
    assert any(seen in text for text in sentences(session.caption))


def test_a_lesson_that_cannot_be_read_is_one_sentence_and_the_others_are_there(
    database: Path,
) -> None:
    saved(database, "title: [", "broken")
    saved(database, text_with(settings=BUFFER))
    session = open_page("lessons")
    assert [text.partition(":")[0] for text in sentences(session.error)] == [
        "broken, line 1"
    ]
    assert "**Mine**" in sentences(session.markdown)
    opened = playing(lesson="broken")
    assert len(opened.error) == 2, "why it is not played, and in the list"
    assert opened.title[0].value == QUESTIONS["lessons"]


def test_a_lesson_about_a_conversation_that_is_not_there_says_so_beside_its_text(
    database: Path,
) -> None:
    saved(
        database,
        text_with({"text": "Still here."}, conversation="gone", settings=BUFFER),
    )
    session = playing(lesson="mine")
    assert sentences(session.error)[0].startswith(
        "mine: the conversation “gone” is not here"
    )
    assert "Still here." in prose(session)


def test_a_way_out_opens_compare_as_the_step_has_it(database: Path) -> None:
    tried = {
        "text": "Fewer",
        "settings": [{"strategy": "window", "window_size": 4}],
        "turn": 9,
        "show": "dollars",
    }
    saved(database, text_with({"try": [tried]}, settings=BUFFER))
    session = click(playing(lesson="mine"), "Fewer")
    assert session.title[0].value == QUESTIONS["costs"]
    state = session.session_state["compare"]
    assert [(one.strategy_id, one.parameters) for one in state.settings] == [
        ("window", {"window_size": 4})
    ]
    assert session.session_state["compare-turn"] == 9


@pytest.mark.slow
def test_a_view_is_kept_as_a_step_worded_ordered_and_saved(database: Path) -> None:
    session = open_address(
        "compare", {"setting": ["buffer"], "turn": ["5"], "pause": ["300.0"]}
    )
    for title in ("First", "Second"):
        labelled(session.text_input, "Title of the step").set_value(title)
        labelled(session.text_area, "Text").set_value("See **this**.")
        labelled(session.text_input, "Question").set_value("So?")
        labelled(session.text_input, "Its right answer").set_value("Yes")
        labelled(session.text_area, "Other answers").set_value("No\nMaybe")
        click(session, "Keep")
        assert not session.error, sentences(session.error)
    session.switch_page("pages/lessons.py").run()
    labelled(session.text_input, "Title of the lesson").set_value("My lesson").run()
    session.button(key="own-0-arrow_downward-0").click().run()
    labelled(session.text_area, "Text").set_value("Better.").run()
    click(session, "Save")
    assert not session.error, sentences(session.error)
    lesson = read_lesson(stored(database)["my-lesson"], "my-lesson")
    assert [step.title.en for step in lesson.steps] == ["Second", "First"]
    assert [step.text.en for step in lesson.steps] == ["Better.", "See **this**."]
    view, asked = lesson.steps[0].view, lesson.steps[0].asked
    assert (view.page, view.show, view.turn, view.study.conversation) == (
        "compare",
        "tokens",
        5,
        "trip",
    )
    assert [one.id for one in view.study.settings] == ["buffer"]
    assert [choice.en for choice in asked.choices] == ["Maybe", "No", "Yes"]  # type: ignore[union-attr]
    assert asked.answer == 2  # type: ignore[union-attr]
    session.button(key="lesson-remove-my-lesson").click().run()
    assert stored(database) == {}


@pytest.mark.slow
def test_what_no_lesson_may_hold_is_not_kept() -> None:
    session = open_address("facts", {"setting": ["buffer"]})
    labelled(session.text_area, "Text").set_value("<script>alert(1)</script>")
    click(session, "Keep")
    assert any("holds HTML" in text for text in sentences(session.error))
    assert session.session_state["lessons"].own.steps == []


def test_a_lesson_is_opened_from_a_file_and_another_is_refused_with_a_sentence(
    database: Path,
) -> None:
    session = open_page("lessons")
    session.get("file_uploader")[0].upload(
        "mine.yaml", text_with(settings=BUFFER).encode()
    )
    session.run()
    assert list(stored(database)) == ["mine"]
    session.get("file_uploader")[0].upload("other.yaml", b"steps: 3")
    session.run()
    assert any(
        text.startswith("other.yaml, line 1: has no title")
        for text in sentences(session.error)
    )
    assert list(stored(database)) == ["mine"]


def test_a_bundled_lesson_is_worked_on_as_a_copy(database: Path) -> None:
    session = open_page("lessons")
    session.button(key="lesson-edit-first-look").click().run()
    click(session, "Save")
    assert list(stored(database)) == ["a-first-look-at-a-memory"]


@pytest.mark.slow
def test_what_a_kept_step_asks_is_changed_on_the_page(database: Path) -> None:
    question = {"text": "Which?", "choices": ["one", "two"], "answer": 1}
    steps = [
        {"title": "One", "text": "x", "question": question},
        {"title": "Two", "text": "y"},
    ]
    saved(database, text_with(settings=BUFFER, steps=steps))
    session = open_page("lessons")
    session.button(key="lesson-edit-mine").click().run()
    labelled(session.text_area, "Question").set_value("Which one?").run()
    labelled(session.text_area, "Answers").set_value("zero\none\ntwo").run()
    labelled(session.text_area, "Why").set_value("So.").run()
    session.button_group(key="own-1-asks-1").set_value("prediction").run()
    labelled(session.number_input, "At turn").set_value(4).run()
    assert not session.exception, [error.message for error in session.exception]
    assert any(
        text.startswith("Answer of the run: No") for text in sentences(session.caption)
    )
    click(session, "Save")
    asked, predicted = (
        step.asked for step in read_lesson(stored(database)["mine"], "mine").steps
    )
    assert isinstance(asked, Question)
    assert (
        asked.text.en,
        [one.en for one in asked.choices],
        asked.answer,
        asked.reason.en,
    ) == (
        "Which one?",
        ["zero", "one", "two"],
        2,
        "So.",
    )
    assert predicted == Prediction("summarizes", 4)
    session.button_group(key="own-1-asks-1").set_value("nothing").run()
    labelled(session.text_area, "Answers").set_value("alone").run()
    assert any(
        "choices: has 1 entry; allowed are 2 to 6" in text
        for text in sentences(session.error)
    )
    labelled(session.text_area, "Answers").set_value("two\nthree").run()
    click(session, "Save")
    asked, predicted = (
        step.asked for step in read_lesson(stored(database)["mine"], "mine").steps
    )
    assert (isinstance(asked, Question) and asked.answer, predicted) == (0, None)


def test_a_lesson_that_is_played_again_asks_its_questions_again() -> None:
    lesson = memviz.lesson("a-fact-dies")
    session = playing()
    state = session.session_state["lessons"]
    state.seen[lesson.id] = set(range(len(lesson.steps)))
    state.answers[lesson.id, 1] = Answered(0, is_right=False)
    state.answers["first-look", 1] = Answered(0, is_right=True)
    session.run()
    click(session, "Again")
    state = session.session_state["lessons"]
    assert state.playing == lesson.id
    assert list(state.answers) == [("first-look", 1)]
    assert len(state.seen[lesson.id]) == len(lesson.steps)
