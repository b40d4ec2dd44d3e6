"""A lesson file is data: what is right is read, and what is wrong is one sentence with file, line, step and field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

import memviz
from memviz.core.errors import LessonError
from memviz.dashboard.lessons.fields import MAX_BYTES
from memviz.dashboard.lessons.lesson import Claim, Point, Prediction, Question, Text
from memviz.dashboard.lessons.reading import read_lesson
from memviz.dashboard.lessons.study import Highlight, RecalledTurns
from memviz.dashboard.lessons.writing import write_yaml
from tests.dashboard.lessons.writing_lessons import (
    LESSON,
    STEP,
    lesson,
    text_of,
    text_with,
)
from tests.tables import for_each


def test_a_lesson_has_what_its_file_says() -> None:
    view = {
        "turn": 5,
        "to": 9,
        "highlight": {"setting": 1, "fact": "QX7R4M", "message": 3},
        "controls": ["play"],
    }
    claim = {
        "measure": "request_tokens",
        "relation": "<",
        "than": {"setting": 1, "turn": 9},
        "times": 2,
    }
    question = {
        "text": "So?",
        "choices": ["Yes", "No"],
        "answer": 1,
        "reason": {"zh": "因为"},
    }
    found = lesson(
        {"view": view, "claims": [claim], "question": question},
        recalls=[{"turn": 7, "turns": [1, 2]}],
    )
    step = found.steps[0]
    assert (found.id, found.title, found.languages) == (
        "mine",
        Text("Mine", "我的"),
        ("en", "zh"),
    )
    assert [setting.id for setting in step.view.study.settings] == ["buffer", "summary"]
    assert step.view.study.recalls == (RecalledTurns(7, (1, 2)),)
    assert (step.view.turn, step.view.first_turn, step.view.last_turn) == (5, None, 9)
    assert step.view.highlight == Highlight(1, "QX7R4M", 3)
    assert step.view.controls == ("play",)
    here = Point("request_tokens", 0, 5, fact="QX7R4M", message=3)
    assert step.claims == (
        Claim(here, "<", None, here._replace(setting=1, turn=9), 2.0),
    )
    assert step.asked == Question(
        Text("So?"), (Text("Yes"), Text("No")), 1, Text(zh="因为")
    )


def test_words_that_yaml_takes_for_others_are_texts() -> None:
    text = text_with().replace("Look here.", "Yes").replace("title: Look", "title: 12")
    step = read_lesson(text, "x").steps[0]
    assert (step.title.en, step.text.en) == ("12", "Yes")


def test_a_view_and_what_is_tried_begin_with_what_the_lesson_says() -> None:
    tried = {
        "text": "Less",
        "settings": [{"strategy": "summary", "buffer_size": 4}],
        "pause_seconds": 600,
    }
    found = lesson(
        {"view": {"page": "facts", "show": "lives"}, "try": [tried]}, pause_seconds=30
    )
    view, other = found.steps[0].view, found.steps[0].to_try[0].view
    assert (view.page, view.show, view.study.pause_seconds) == ("facts", "lives", 30)
    assert (other.page, other.study.conversation, other.study.pause_seconds) == (
        "compare",
        "trip",
        600,
    )
    assert [setting.label for setting in other.study.settings] == [
        "Running summary · 4 messages"
    ]


WRONG: dict[str, tuple[Any, str]] = {
    "unknown field": ({"colour": 1}, "step 1: colour: is unknown; known are title,"),
    "no text": ({"text": None}, "step 1: has no text; it needs one."),
    "html": ({"text": "a <b>bold</b> word"}, "step 1: text: holds HTML;"),
    "html in Chinese": (
        {"text": {"en": "a", "zh": "<img src=x>"}},
        "step 1: text: zh: holds HTML;",
    ),
    "an image": ({"text": "![a](b)"}, "holds an image;"),
    "a link": ({"text": "[a](b)"}, "holds a link;"),
    "an address": ({"text": "see https://example.org"}, "holds a link;"),
    "turned text": ({"text": "abc\u202edef"}, "holds a character that cannot be seen;"),
    "long text": (
        {"text": "a" * 6_001},
        "has 6,001 characters; at most 6,000 are read.",
    ),
    "a list as text": (
        {"title": ["a"]},
        "step 1: title: is a list; it has to be a text, or",
    ),
    "other language": (
        {"title": {"de": "a"}},
        "step 1: title: de: is unknown; known are en and zh.",
    ),
    "page": (
        {"view": {"page": "secrets"}},
        "view: page: is 'secrets'; allowed are stage,",
    ),
    "turn": (
        {"view": {"turn": 0}},
        "view: turn: is 0; it has to be a whole number from 1 to 1,000,000.",
    ),
    "turn as text": (
        {"view": {"turn": "x"}},
        "view: turn: is 'x'; it has to be a whole number",
    ),
    "turn outside": (
        {"view": {"turn": 9, "to": 5}},
        "view: has a turn outside of from and to;",
    ),
    "setting": (
        {"view": {"highlight": {"setting": 2}}},
        "highlight: setting: is 2; it has to be",
    ),
    "a model": (
        {"view": {"link": {"summarizer": "openai/gpt-5"}}},
        "link: summarizer: does not belong here;",
    ),
    "measure": (
        {"claims": [{"measure": "x", "relation": "="}]},
        "claim 1: measure: is 'x'; allowed are request_tok",
    ),
    "near a measure": (
        {"claims": [{"measure": "fact_knwon", "relation": "="}]},
        "measure: is 'fact_knwon'; perhaps fact_known or ",
    ),
    "relation": (
        {"claims": [{"measure": "turns", "relation": "=="}]},
        "claim 1: relation: is '==';",
    ),
    "no value": (
        {"claims": [{"measure": "turns", "relation": "="}]},
        "claim 1: needs either a value or than",
    ),
    "no number": (
        {"claims": [{"measure": "turns", "relation": "=", "value": "many"}]},
        "value: is 'many'; it has",
    ),
    "no fact": (
        {"claims": [{"measure": "fact_known", "relation": "=", "value": True}]},
        "is fact_known, which needs a fact;",
    ),
    "not yes or no": (
        {"claims": [{"measure": "summarizes", "relation": "=", "value": 1}]},
        "value: is 1; it has to be true or false.",
    ),
    "order of words": (
        {"claims": [{"measure": "summarizes", "relation": "<", "value": True}]},
        "relation: is '<'; what summarizes",
    ),
    "one choice": (
        {"question": {"text": "a", "choices": ["b"], "answer": 0}},
        "choices: has 1 entry; allowed are 2",
    ),
    "answer": (
        {"question": {"text": "a", "choices": ["b", "c"], "answer": 2}},
        "answer: is 2; it has to be a whole",
    ),
    "kind": (
        {"prediction": {"kind": "wins", "turn": 3}},
        "prediction: kind: is 'wins'; allowed are summarizes,",
    ),
    "two questions": (
        {
            "prediction": {"kind": "stays", "turn": 3},
            "question": {"text": "a", "choices": ["b", "c"], "answer": 0},
        },
        "prediction: stands beside a question; a step asks one thing.",
    ),
    "what is known": ({"prediction": {"kind": "knows", "turn": 3}}, "needs a fact;"),
}


@for_each("case", WRONG)
def test_what_is_wrong_in_a_step_is_one_sentence_with_its_place(case: str) -> None:
    step, sentence = WRONG[case]
    with pytest.raises(LessonError) as caught:
        lesson(step)
    told = str(caught.value)
    assert sentence in told, told
    assert told.startswith("mine.yaml, line ")
    assert "step 1" in caught.value.place
    assert "\n" not in told


WHOLE: dict[str, tuple[bytes | str, str]] = {
    "empty": ("", "x.yaml: is empty; a lesson has a title and steps."),
    "text": (
        "hello",
        "x.yaml, line 1: is a single value; it has to be a mapping of names to values.",
    ),
    "no steps": (
        text_of({"title": "a"}),
        "x.yaml, line 1: has no steps; it needs one.",
    ),
    "broken": ("title: [", "x.yaml, line 1: is not valid YAML:"),
    "colon": (
        "title: a: b",
        "x.yaml, line 1: is not valid YAML: a colon stands where none can; put a text that",
    ),
    "comma": (
        "id: x\ntitle: {en: First, then that, zh: x}\nsteps: []",
        "x.yaml, line 2: title: then that: is no field, but the end of a text with a comma; put the text in quotes.",
    ),
    "alias": ("title: &a b\nsteps: *a", "aliases such as *name are not read"),
    "object": (
        "id: x\ntitle: !!python/object/apply:os.system [x]\nsteps: []",
        "x.yaml, line 2: title: is a list;",
    ),
    "no letters": (b"\xff\xfe\x00", "x.yaml: is not a text in UTF-8;"),
    "large": (b" " * (MAX_BYTES + 1), "has more than 500,000 bytes;"),
    "deep": ("[" * 50, "it is nested too deeply; a lesson is eight levels deep"),
    "no id": (
        text_of({name: value for name, value in LESSON.items() if name != "id"}),
        "has no id; give it one",
    ),
    "bad id": (text_with(id="../x"), "id: is '../x'; an id has small letters"),
    "strategy": (
        text_with(settings=[{"strategy": "magic"}]),
        "x.yaml, line 7: setting 1: is wrong. There is no strategy named 'magic'.",
    ),
    "parameter": (
        text_with(settings=[{"strategy": "summary", "buffer_size": -1}]),
        "buffer_size: is wrong.",
    ),
    "no settings": (
        text_with(settings=None),
        "step 1: shows no conversation under a setting;",
    ),
    "counter": (text_with(counter="words"), "counter: is wrong."),
    "pause": (
        text_with(pause_seconds=-1),
        "pause_seconds: is -1; it has to be a number from 0",
    ),
    "twice": (
        text_with() + "\ntitle: again\n",
        "title: is there twice; keep one of them.",
    ),
    "steps": (
        text_of(LESSON | {"steps": [dict(STEP) for _ in range(61)]}),
        "has 61 entries; allowed are 1 to 60.",
    ),
    "a number": (
        text_with({"view": {"turn": 10**30}}),
        "is a number that is far too large.",
    ),
}


@for_each("case", WHOLE)
def test_what_is_no_lesson_is_one_sentence(case: str) -> None:
    content, sentence = WHOLE[case]
    with pytest.raises(LessonError) as caught:
        read_lesson(content, "x.yaml")
    assert sentence in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@given(some.binary(max_size=300) | some.text(max_size=300).map(str.encode))
def test_nothing_but_a_sentence_comes_of_any_bytes(content: bytes) -> None:
    with pytest.raises(LessonError, match=r"x\.yaml"):
        read_lesson(content, "x.yaml")


VALUES = some.recursive(
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats()
    | some.text(max_size=12),
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(some.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = some.sampled_from(
    ["title", "text", "view", "claims", "question", "prediction", "try", "notes"]
)


@given(FIELDS, VALUES)
def test_any_value_of_any_field_is_read_or_refused(field: str, value: Any) -> None:
    try:
        found = lesson({field: value})
    except LessonError:
        return
    assert read_lesson(write_yaml(found), "again") == found


@for_each("id", sorted(memviz.lessons()))
def test_a_lesson_written_and_read_again_is_the_same(id: str) -> None:
    found = memviz.lesson(id)
    assert read_lesson(write_yaml(found), "again") == found


def test_all_that_a_lesson_can_hold_is_written() -> None:
    step = {
        "view": {
            "page": "compare",
            "show": "dollars",
            "measure": "dollars",
            "turn": 6,
            "call": 1,
            "from": 2,
            "to": 8,
            "highlight": {"setting": 0, "fact": 2, "message": 4},
            "controls": [],
            "link": {"a": "b"},
            "settings": [{"strategy": "buffer"}, {"strategy": "window"}],
            "recalls": [{"turn": 6, "turns": [1], "setting": 1}],
            "counter": "chars4",
            "prices_of": "openai/gpt-5",
            "pause_seconds": 5,
            "writer": "trip",
        },
        "claims": [
            {"measure": "fact_place", "relation": "=", "value": "lost", "call": 1},
            {
                "measure": "cumulative_dollars",
                "relation": "about",
                "than": {"turn": 2, "pause_seconds": 9},
            },
        ],
        "prediction": {"kind": "knows", "turn": 7, "setting": 1, "fact": 0},
        "try": [{"text": "T", "page": "tune", "link": {"try": "[]"}}],
        "notes": {"zh": "讲"},
    }
    found = lesson(
        step, minutes=3, order=2, summary="S", recalls=[{"turn": 3, "turns": [1]}]
    )
    assert isinstance(found.steps[0].asked, Prediction)
    assert read_lesson(write_yaml(found), "again") == found
