"""What the pages for developers promise, held against the code."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import memviz
from tests.tables import for_each

ROOT = Path(__file__).parent.parent
DOCUMENTS = (
    "architecture.md",
    "adding.md",
    "chat-loop.md",
    "pages.md",
    "field-guide.md",
    "glossary.md",
    "teaching.md",
    "serving.md",
    "testing.md",
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


@for_each("page", PAGES)
def test_every_place_that_is_named_exists(page: Path) -> None:
    missing = [
        place
        for place in PLACES.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / place).exists()
    ]
    assert missing == []


@for_each("page", [*PAGES, ROOT / "README.md"])
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


@for_each("name", ["architecture.md", "adding.md"])
def test_every_name_is_where_a_page_for_developers_says(name: str) -> None:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    places = r"`(\w+)` in `((?:memviz|benchmarks)/[\w./]+\.py)`"
    named = re.findall(places, page)
    named += re.findall(places.replace(" in ", " of "), page)
    assert len(named) > 10
    lost = [
        f"{name} is not in {place}"
        for name, place in named
        if name not in (ROOT / place).read_text(encoding="utf-8")
    ]
    assert lost == []


MAPS = sorted(path for path in (ROOT / "memviz").glob("*/__init__.py"))


@for_each("path", MAPS)
def test_the_map_of_a_room_names_what_is_there(path: Path) -> None:
    described = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert len(described.split()) > 20, "what the room does, and where to begin"
    for name, module in re.findall(r"``(\w+)`` \(``(\w+)``", described):
        places = (path.parent / f"{module}.py", path.parent / module / "__init__.py")
        texts = [place.read_text("utf-8") for place in places if place.exists()]
        assert any(name in text for text in texts), f"{name} is not in {module}"


def test_the_page_of_the_architecture_is_read_in_a_quarter_of_an_hour() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 2500


def example_of(section: str) -> str:
    """The first block of Python below this heading of docs/adding.md."""
    page = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    below = page.partition(f"\n## {section}\n")[2]
    return below.partition("```python\n")[2].partition("```")[0]


@pytest.mark.slow
def test_the_strategy_of_the_walk_passes_the_tests_of_every_strategy(
    tmp_path: Path,
) -> None:
    """As a package of its own, beside those of memviz."""
    (tmp_path / "first_and_last.py").write_text(
        example_of("A strategy"), encoding="utf-8"
    )
    about = tmp_path / "my_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n"
    )
    (about / "entry_points.txt").write_text(
        "[memviz.strategies]\nfirst_and_last = first_and_last:FirstAndLast\n"
    )
    contract = "tests/strategies/test_contract.py"
    rules = "tests/engine/test_rules.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", contract, rules],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout[-3000:]
    assert int(passed[1]) > 20


def test_the_wrapper_of_the_walk_works() -> None:
    found: dict[str, Any] = {}
    exec(example_of("A model wrapper"), found)  # noqa: S102 - our own page
    inside = memviz.ScriptedModel(["Hello"])
    reply = found["Shouting"](inside).complete([memviz.Message("user", "hi")])
    assert reply.text == "Hello"
    assert [message.content for message in inside.requests[0]] == ["HI"]
