"""``memviz diff``: Markdown or JSON, and an exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import memviz, refused

SOUND: dict[str, Any] = {
    "test": "test_memory.py::test_rule",
    "number": 1,
    "setting": "LastMessages(keep=6)",
    "facts": 20,
    "facts_kept": 14,
    "facts_lost": [],
    "half_life": 12,
    "tokens": 1000,
    "usd": 0.01,
    "thrash": False,
    "keeps": {},
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = []
    for name, tokens in (("main", 1000), ("pr", 1060), ("better", 900)):
        path = tmp_path / f"{name}.json"
        runs = [{**SOUND, "tokens": tokens}]
        path.write_text(json.dumps({"memviz": 1, "runs": runs}))
        paths.append(path)
    return paths[0], paths[1], paths[2]


def test_what_got_worse_ends_with_1(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    main, pr, better = files
    shown = memviz("diff", main, pr, code=1)
    assert shown.lines[0] == "**Worse: 1 of 1 setting.**"
    assert shown.lines[2].endswith(": tokens 1,000 → 1,060")
    assert memviz("diff", main, better).lines[0].startswith("**Nothing got worse")
    assert memviz("diff", main, pr, "--tolerance", 6).code == 0
    (row,) = memviz("diff", main, pr, "--json", code=1).json
    assert row["worse"] == ["tokens 1,000 → 1,060"]
    out = tmp_path / "memory.md"
    memviz("diff", main, pr, "-o", out, code=1)
    assert out.read_text(encoding="utf-8") == shown.out


def test_a_setting_that_is_gone_ends_with_1_and_a_new_one_with_0(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    main, *_ = files
    empty = tmp_path / "empty.json"
    empty.write_text('{"memviz": 1, "runs": []}')
    assert "1 setting is gone" in memviz("diff", main, empty, code=1).lines[0]
    assert memviz("diff", empty, main).code == 0


def test_errors_end_with_2(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    main, *_ = files
    refused("diff", main, tmp_path / "no.json", code=2, words=("cannot be read",))
    refused("diff", main, main, "-o", main, code=2, words=("the figures itself",))
