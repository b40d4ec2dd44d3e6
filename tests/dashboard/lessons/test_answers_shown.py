"""Records of answers as lessons show them: chart, table, words, claims and files."""

from __future__ import annotations

import memviz
from memviz.dashboard.lessons.answers_shown import (
    answers_chart,
    answers_finding,
    answers_origin,
    answers_table,
)
from memviz.dashboard.lessons.html import write_html_lesson
from memviz.dashboard.lessons.measure import FACTS, NEEDLES, RECORDS, answers_of
from memviz.dashboard.lessons.reading import read_lesson
from memviz.dashboard.lessons.writing import write_yaml
from memviz.storage.workspace import Workspace
from tests.tables import for_each

IDS = ("lost-in-the-middle", "in-the-request-is-not-used")


@for_each("name", RECORDS)
def test_a_record_has_a_chart_with_a_title_and_says_whose_it_is(name: str) -> None:
    assert answers_chart(name).layout.title.text
    assert "SmolLM2 135M" in answers_finding(name)
    assert "one small model" in answers_origin(name)
    assert "2026" in answers_origin(name)


def test_the_table_of_needles_has_a_row_a_length_and_a_column_a_place() -> None:
    table = answers_table(NEEDLES)
    assert [row[0] for row in table.rows] == ["250", "500", "1,000", "1,500", "1,900"]
    assert table.columns[1:] == tuple(f"{depth} %" for depth in range(0, 101, 10))
    right = sum(int(cell[0]) for row in table.rows for cell in row[1:])
    assert right == sum(one["right"] for one in answers_of(NEEDLES))


def test_the_table_of_facts_has_a_mark_for_each_who_was_asked() -> None:
    table = answers_table(FACTS)
    signs = [row.count("✓") for row in zip(*table.rows, strict=True)][1:]
    assert signs == [16, 16, 1, 1]


def test_answers_are_picked_by_their_fields() -> None:
    found = answers_of(NEEDLES, [("tokens", 500), ("depth", 30)])
    assert [one["wording"] for one in found] == [0, 1, 2]


@for_each("id", IDS)
def test_a_lesson_with_a_record_is_written_and_read_again(id: str) -> None:
    lesson = memviz.lesson(id)
    assert read_lesson(write_yaml(lesson), "again.yaml") == lesson


@for_each("id", IDS)
def test_the_html_file_has_the_numbers_as_a_table(
    id: str, workspace: Workspace
) -> None:
    lesson = memviz.lesson(id)
    (shown,) = {step.view.answers for step in lesson.steps if step.view.answers}
    html = write_html_lesson(lesson, workspace)
    for row in answers_table(shown).rows:
        assert f'<th scope="row">{row[0]}</th>' in html
    assert answers_origin(shown) in html
