"""What the bundled lessons quote was said, and their Chinese texts keep to one word for one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import memviz
from memviz.core.translation import LOCALE
from memviz.dashboard.lessons.lesson import LANGUAGES, Prediction, Question, Step, Text
from memviz.dashboard.lessons.markdown import blocks
from memviz.dashboard.lessons.measure import RECORDS, record_of
from memviz.dashboard.lessons.playing import PlayedStudy, play_study
from memviz.dashboard.lessons.questions import prepare_question
from memviz.storage.workspace import Workspace
from tests.tables import for_each

DOCS = Path(__file__).parents[3] / "docs" / "lessons.md"
ILL_SET = re.compile(r"[\u4e00-\u9fff][,;?!:\d]|\d[\u4e00-\u9fff]")
IDS = sorted(memviz.lessons())
TERMS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in DOCS.read_text(encoding="utf-8")
    .partition("## Words of the Chinese texts")[2]
    .splitlines()
    if line.startswith("|") and "---" not in line
][1:]


def quotations(text: Text) -> Iterator[str]:
    """What a text quotes, in either language: word for word, so in English."""
    for language in LANGUAGES:
        for block in blocks(text.said(language)):
            if block.kind == "quote":
                yield "".join(span.text for span in block.items[0])


def said(played: PlayedStudy) -> list[str]:
    """Messages, summaries, what summarizers were asked, and recorded answers."""
    recording = memviz.recordings().get(played.study.conversation)
    answers = (
        [one.reply.text for one in recording.replies.values()] if recording else []
    )
    summaries = [version.text for run in played.runs for version in run.summaries]
    asked = [one.prompt for run in played.runs for one in run.compactions if one.asked]
    return [
        *(message.content for message in played.transcript.messages),
        *summaries,
        *asked,
        *answers,
        *said_in_records(),
    ]


def said_in_records() -> Iterator[str]:
    """What was asked and answered in the records of answers."""
    for name in RECORDS:
        record = record_of(name)
        yield record.get("rule", "")
        for wording in record.get("wordings", ()):
            yield from wording.values()
        for answer in record["answers"]:
            yield from (answer["reply"], answer.get("large_reply", ""))


def quoted_by(step: Step) -> list[str]:
    """What a step quotes in its text, and in the reason of its answer."""
    reasons = [step.asked.reason] if isinstance(step.asked, Question) else []
    return [
        quotation for text in (step.text, *reasons) for quotation in quotations(text)
    ]


def without_spaces(text: str) -> str:
    return "".join(text.split()).casefold()


@for_each("id", IDS)
def test_what_is_quoted_was_said(id: str, workspace: Workspace) -> None:
    for step in memviz.lesson(id).steps:
        if quoted := quoted_by(step):
            whole = [
                without_spaces(text)
                for text in said(play_study(step.view.study, workspace))
            ]
            for quotation in quoted:
                assert any(without_spaces(quotation) in text for text in whole), (
                    f"{step.title.en}: {quotation}"
                )


@for_each("id", IDS)
def test_summaries_that_are_shown_are_recorded_or_said_to_be_the_stand_ins(
    id: str, workspace: Workspace
) -> None:
    for step in memviz.lesson(id).steps:
        if step.view.study.settings and not names_the_stand_in(step):
            runs = play_study(step.view.study, workspace).runs
            assert all(
                one.recorded for run in runs for one in run.compactions if one.asked
            ), step.title.en


def names_the_stand_in(step: Step) -> bool:
    return "built-in model" in step.text.en and "内置模型" in step.text.zh


def test_the_words_are_in_the_table() -> None:
    assert len(TERMS) > 10
    assert all(len(row) == 3 for row in TERMS)


def asked(id: str, workspace: Workspace) -> Iterator[Text]:
    """The texts of the questions whose answers come from the run."""
    for step in memviz.lesson(id).steps:
        if isinstance(step.asked, Prediction):
            question = prepare_question(step, play_study(step.view.study, workspace))
            assert question is not None
            yield from (question.text, *question.choices, question.reason)


@for_each("id", IDS)
def test_chinese_texts_keep_to_the_words_of_the_table(
    id: str, workspace: Workspace
) -> None:
    texts = [text.zh for text in (*memviz.lesson(id).texts, *asked(id, workspace))]
    for _, right, wrong in TERMS:
        for word in wrong.split("、"):
            assert not [text for text in texts if word in text], (
                f"{right} is meant, not {word}"
            )


@for_each("id", IDS)
def test_the_reader_is_addressed_as_everywhere(id: str) -> None:
    """With 你, as in the interface; a quotation is in its own words."""
    texts = [text.zh for text in memviz.lesson(id).texts]
    assert not [text for text in texts if "您" in text]


def test_the_catalogues_address_their_reader_in_one_way() -> None:
    for path in sorted((LOCALE / "zh").glob("*.po")):
        assert "您" not in path.read_text(encoding="utf-8"), path.name


@for_each("id", IDS)
def test_chinese_texts_are_set_as_chinese_is(id: str) -> None:
    """With Chinese signs behind Chinese words; and with spaces around numbers, for numbers are looked for as words."""
    assert [
        text.zh for text in memviz.lesson(id).texts if ILL_SET.search(text.zh)
    ] == []
