"""Two suites beside each other: what counts as worse, in which order, and that no text is markup."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from memviz.cli.suite_figures import (
    FiguresError,
    SettingFigures,
    compare_figures,
    read_figures,
)
from tests.tables import for_each

SOUND: dict[str, Any] = {
    "test": "test_memory.py::test_rule",
    "number": 1,
    "setting": "LastMessages(keep=6)",
    "facts": 20,
    "facts_kept": 14,
    "facts_lost": ("The code is 7742.",),
    "half_life": 12,
    "tokens": 1000,
    "usd": 0.01,
    "thrash": False,
    "keeps": {"always answer in euros": True},
}


def figures(**other: Any) -> dict[tuple[str, int], SettingFigures]:
    setting = SettingFigures(**{**SOUND, **other})
    return {(setting.test, setting.number): setting}


@for_each(
    ("after", "losses"),
    [
        ({}, []),
        ({"keeps": {}}, []),
        ({"keeps": {"always answer in euros": False}}, ["no longer keeps"]),
        (
            {"facts_kept": 13, "facts_lost": ("The code is 7742.", "Ann is 40.")},
            ["facts kept 14 of 20 → 13 of 20, now without `Ann is 40.`"],
        ),
        ({"facts": 10, "facts_kept": 7}, []),
        ({"half_life": 11}, ["half-life 12 requests → 11 requests"]),
        ({"half_life": None}, []),
        ({"thrash": True}, ["a summary is written at nearly every request"]),
        ({"tokens": 1050, "usd": 0.0105}, []),
        ({"tokens": 1051}, ["tokens 1,000 → 1,051"]),
        ({"usd": 0.02}, ["dollars $0.01 → $0.02"]),
        ({"usd": None, "tokens": 10}, []),
    ],
)
def test_what_counts_as_worse(after: dict[str, Any], losses: list[str]) -> None:
    comparison = compare_figures(figures(), figures(**after), 5)
    (change,) = comparison.changes
    assert len(change.losses) == len(losses)
    for loss, beginning in zip(change.losses, losses, strict=True):
        assert loss.startswith(beginning)
    assert bool(comparison.worse) == bool(losses)


def test_the_worst_comes_first_and_what_is_new_or_gone_last() -> None:
    before: dict[tuple[str, int], SettingFigures] = {}
    after: dict[tuple[str, int], SettingFigures] = {}
    worse = (
        ("a", {}),
        ("b", {"usd": 0.02}),
        ("c", {"thrash": True}),
        ("d", {"half_life": 2}),
        ("e", {"facts_kept": 13}),
        ("f", {"facts_kept": 3}),
        ("g", {"keeps": {"always answer in euros": False}}),
    )
    for test, other in worse:
        before |= figures(test=test)
        after |= figures(test=test, **other)
    before |= figures(test="gone")
    after |= figures(test="new")
    comparison = compare_figures(before, after, 5)
    rows = [(row["after"] or row["before"])["test"] for row in comparison.to_dict()]
    assert rows == ["g", "f", "e", "d", "c", "b", "a", "gone", "new"]
    table = comparison.to_markdown().splitlines()
    assert table[0] == "**Worse: 6 of 7 settings, 1 setting is gone.**"
    assert "- `LastMessages(keep=6)` in `gone` (gone): not compared" in table
    assert sum("(gone)" in line for line in table) == 2


@for_each(
    ("before", "after", "headline"),
    [
        (figures(), {}, "**Nothing got worse in 0 settings, 1 setting is gone.**"),
        ({}, figures(), "**Nothing got worse in 0 settings.**"),
        (
            figures() | figures(number=2) | figures(number=3),
            figures(tokens=2000),
            "**Worse: 1 of 1 setting, 2 settings are gone.**",
        ),
    ],
)
def test_only_what_is_in_both_suites_is_compared(
    before: dict[tuple[str, int], SettingFigures],
    after: dict[tuple[str, int], SettingFigures],
    headline: str,
) -> None:
    text = compare_figures(before, after, 5).to_markdown()
    assert text.splitlines()[0] == headline


def test_a_setting_with_another_number_is_the_same_setting() -> None:
    after = figures(setting="LastMessages(keep=8)", tokens=900)
    text = compare_figures(figures(), after, 5).to_markdown()
    assert text.startswith("**Nothing got worse in 1 setting.**\n")
    assert text.endswith(
        "| `LastMessages(keep=6)` → `LastMessages(keep=8)` in `test_memory.py::test_rule` "
        "| 14 of 20 | 12 requests | 1,000 → 900 | $0.01 | no |\n"
    )


def test_texts_are_no_markup() -> None:
    phrase = "@ann <img src=x> `a` | *b*\n# c\x1b[2J\u202e"
    before = figures(keeps={phrase: True}, test="a|b")
    after = figures(keeps={phrase: False}, test="a|b")
    text = compare_figures(before, after, 5).to_markdown()
    assert "`` @ann <img src=x> `a` | *b* # c[2J ``" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    row = text.splitlines()[-1]
    assert r"`a\|b`" in row
    assert row.replace(r"\|", "").count("|") == 7


@for_each("name", ["a|b", r"a\|b", r"a\\|b", "a`|\\`b"])
def test_a_name_stands_in_its_cell_as_it_is(name: str) -> None:
    row = compare_figures({}, figures(setting=name), 5).to_markdown().splitlines()[-1]
    table = MarkdownIt("commonmark").enable("table").render(f"|a|b|\n|-|-|\n{row}")
    assert f"<code>{name}</code> in <code>test_memory" in table


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"runs": 3}', '{"runs": [{"test": 1}]}', "[" * 100_000]
)
def test_a_file_with_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "main.json"
    path.write_text(text)
    with pytest.raises(FiguresError, match="does not hold the figures"):
        read_figures(path)


def test_a_file_is_read_and_one_that_is_missing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "main.json"
    path.write_text(json.dumps({"memviz": 1, "runs": [SOUND]}))
    assert read_figures(path) == figures()
    with pytest.raises(FiguresError, match=r"no\.json cannot be read: No such file"):
        read_figures(tmp_path / "no.json")
