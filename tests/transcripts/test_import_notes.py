"""What readers left out is kept with its values, and said in the language of who reads it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.file_places import place_words
from memviz.core.translation import Said, _, from_json, to_json, use_language
from memviz.storage.store import Store
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.loading import load_transcript
from tests.tables import for_each

MESSAGES = [
    {"role": "user", "content": "Hello"},
    "no message",
    {"content": "nobody's"},
    {"role": "assistant", "tool_calls": [{"function": {"name": "search"}}, 7]},
    {"role": "user", "content": "Bye"},
]
IN_ENGLISH = (
    "a tool call that is a number, not an object, was left out: index 3.",
    "imported 3 of 5 messages: index 1 is a text, not an object, index 2 has no role.",
    "a tool call has no result: index 3.",
)
IN_CHINESE = (
    "略去了一次工具调用，它是数字而不是对象：序号 3。",
    "5 条消息中导入了 3 条：序号 1 是文本，不是对象、序号 2 没有 role。",
    "一次工具调用没有结果：序号 3。",
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_import_in_one_language_is_read_in_any(
    language: str, tmp_path: Path
) -> None:
    store = Store(tmp_path / "library.db")
    with use_language(language):
        read = load_transcript(json.dumps(MESSAGES).encode())
        (id,) = store.add_conversations([read])
        kept = store.about(id)
    assert kept.warnings == IN_ENGLISH
    with use_language("zh"):
        assert tuple(map(_, kept.warnings)) == IN_CHINESE


def test_a_note_that_was_kept_as_text_is_shown_as_it_is() -> None:
    old = "a tool call has no result: index 3."
    assert from_json(to_json(old)) == old
    with use_language("zh"):
        assert _(from_json(old)) == old


@for_each(
    "kept",
    [
        {"template": 5, "values": {}},
        {"template": "{a.__class__}", "values": {"a": "x"}},
        {"template": "{a:>2000000000}", "values": {"a": "x"}},
        {"template": "{a}"},
    ],
)
def test_a_damaged_note_is_refused_and_reaches_nothing(kept: object) -> None:
    with pytest.raises(ValueError, match="text"):
        from_json(kept)


def test_a_name_with_a_comma_before_a_place_stays_as_it_is() -> None:
    with use_language("zh"):
        assert _(place_words("Hello, world, line 3")) == "Hello, world、第 3 行"


@for_each(
    ("places", "english", "chinese"),
    [
        (["index 3", "index 8"], "it was: index 3, index 8.", "it was：序号 3、序号 8。"),
        (["line 4, index 1", "day 2"], "it was: line 4, index 1, day 2.", "it was：第 4 行、序号 1、day 2。"),
        (["x"] * 6, "it was: x, x, x, x, x and 1 more.", "it was：x、x、x、x、x，还有 1 处。"),
        (["", "", ""], "it was (3 times).", "it was（3 次）。"),
        ([""], "it was.", "it was。"),
    ],
)  # fmt: skip
def test_places_are_said_in_both_languages(
    places: list[str], english: str, chinese: str
) -> None:
    notes = ImportNotes()
    for place in places:
        notes.add("it was", place)  # of a reader of another package
    (note,) = notes.sentences()
    assert note == english
    with use_language("zh"):
        assert _(note) == chinese


def test_a_refusal_says_its_reasons_in_the_language_of_its_reader() -> None:
    with use_language("zh"), pytest.raises(TranscriptError) as error:
        load_transcript(
            b'[{"role": "user", "content": "Hi"}, {"role": "x", "text": 1}]'
        )
    assert "序号 1 的 role 是未知的 'x'" in str(error.value)


def test_a_text_keeps_its_values_through_json_and_a_process() -> None:
    said = Said("{a} of {names}", a=Said("1 message"), names=("x", Said("a list")))
    for again in (
        from_json(json.loads(json.dumps(to_json(said)))),
        pickle.loads(pickle.dumps(said)),  # noqa: S301
    ):
        assert (str(again), again.values) == ("1 message of x, a list", said.values)


@for_each(
    "damaged",
    [{}, {"template": "{a}", "values": {"b": 1}}, {"template": 1, "values": 2}],
)
def test_a_damaged_note_is_no_text(damaged: object) -> None:
    with pytest.raises(ValueError, match="there should be a text"):
        from_json(damaged)


def test_a_refusal_says_its_place_in_the_language_of_its_reader() -> None:
    with use_language("zh"):
        error = TranscriptError("x", place="a.json, conversation 2")
    assert str(error) == "a.json、对话 2：x"
    assert error.place == "a.json, conversation 2"
