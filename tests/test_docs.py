"""What the pages for developers promise, held against the code."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import memviz

ROOT = Path(__file__).parent.parent
DOCUMENTS = (
    "architecture.md",
    "adding.md",
    "field-guide.md",
    "glossary.md",
    "teaching.md",
    "serving.md",
)
PAGES = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(ROOT / "docs" / name for name in DOCUMENTS),
]
PLACES = re.compile(r"`((?:memviz|tests|docs|pages|benchmarks|configs)/[\w./]*)`")
LINKS = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")
HEADINGS = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    titles = HEADINGS.findall(page.read_text(encoding="utf-8"))
    return {
        "#" + re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        for title in titles
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_place_that_is_named_exists(page: Path) -> None:
    missing = [
        place
        for place in PLACES.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / place).exists()
    ]
    assert missing == []


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name
)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in LINKS.findall(page.read_text(encoding="utf-8")):
        other = page.parent / target if target else page
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), anchor


def test_every_type_of_the_table_is_in_the_file_it_names() -> None:
    text = (
        (ROOT / "docs" / "architecture.md")
        .read_text(encoding="utf-8")
        .partition("## Fifteen types")[2]
    )
    rows = [
        line.split(" | ")
        for line in text.partition("\n## ")[0].splitlines()
        if line.startswith("| `")
    ]
    assert len(rows) == 15
    for names, files, *_ in rows:
        sources = "".join(
            (ROOT / file).read_text(encoding="utf-8") for file in PLACES.findall(files)
        )
        for name in re.findall(r"`(\w+)`", names):
            assert name == "Figure" or f"class {name}" in sources, name


def test_the_strategy_of_the_walk_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        (ROOT / "docs" / "adding.md")
        .read_text(encoding="utf-8")
        .partition("```python\n")[2]
        .partition("```")[0]
    )
    path = tmp_path / "first_and_last.py"
    path.write_text(code, encoding="utf-8")
    spec = spec_from_file_location("first_and_last", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "first_and_last", module)
    spec.loader.exec_module(module)
    talk = [
        {"role": role, "content": str(n)}
        for n in range(6)
        for role in ("user", "assistant")
    ]
    run = memviz.replay(talk, module.FirstAndLast(first=2, last=3), model=None)
    assert [message.content for message in run.turns[-1].context.messages] == [
        "0",
        "0",
        "4",
        "4",
        "5",
    ]
