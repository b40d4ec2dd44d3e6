"""Documents and lessons name the pages by their titles, which stand once in the program.

A document cannot import a title, so this table says how often each one names each page.
Whoever renames a page finds every place that still has the old name; whoever writes one
more sentence about a page raises a number.
"""

from __future__ import annotations

import re
import tomllib

from memviz.core import page_titles
from memviz.core.translation import _, use_language
from memviz.transcripts.limits import Limits
from tests.sources import ROOT, constants_of
from tests.tables import for_each

PAGES = [name for name in vars(page_titles) if name.isupper()]
OTHER_WORDS = r"(?! (?:summary|model|completion|buffer)|,? in-memory|Memory)"
"""What may follow a title where it is the beginning of another name."""
MENTIONS: dict[str, dict[str, int]] = {
    "README.md": {
        "COMPARE": 5,
        "FACTS": 3,
        "TUNE": 3,
        "CHAT": 3,
        "FLEET": 1,
        "LIVE": 1,
        "LESSONS": 1,
        "LIBRARY": 2,
        "GUIDE": 1,
    },
    "docs/pages.md": {
        "COMPARE": 8,
        "FACTS": 5,
        "TUNE": 1,
        "CHAT": 2,
        "FLEET": 1,
        "LIVE": 1,
        "LESSONS": 1,
        "LIBRARY": 1,
        "GUIDE": 1,
    },
    "CONTRIBUTING.md": {"TUNE": 1, "LESSONS": 1},
    "docs/adding.md": {"TUNE": 2, "CHAT": 1, "LIBRARY": 1},
    "docs/findings.md": {"COMPARE": 1, "FACTS": 3, "TUNE": 1},
    "docs/formats.md": {"COMPARE": 2, "FACTS": 1, "TUNE": 1, "CHAT": 1, "LIBRARY": 3},
    "docs/lessons.md": {"COMPARE": 2, "FACTS": 2, "LESSONS": 3},
    "docs/paid-models.md": {"COMPARE": 4, "FACTS": 5, "TUNE": 2, "CHAT": 5},
    "docs/recordings.md": {"FACTS": 2, "TUNE": 1, "LIBRARY": 2},
    "docs/serving.md": {"CHAT": 3},
    "docs/teaching.md": {"COMPARE": 3, "FACTS": 2, "TUNE": 1, "CHAT": 1, "GUIDE": 1},
    "memviz/dashboard/guide/glossary.toml": {"COMPARE": 1, "FACTS": 1},
    "memviz/dashboard/lessons/bundled/recall-and-its-price.yaml": {
        "COMPARE": 1,
        "FACTS": 1,
    },
    "memviz/dashboard/lessons/bundled/summaries-that-cost-more.yaml": {"FACTS": 1},
    "memviz/dashboard/lessons/bundled/when-a-summary-is-written.yaml": {"COMPARE": 1},
    "memviz/dashboard/lessons/bundled/which-strategy-for-your-program.yaml": {
        "TUNE": 6,
        "LIBRARY": 1,
    },
}

CHINESE_MENTIONS: dict[str, dict[str, int]] = {
    "memviz/dashboard/lessons/bundled/recall-and-its-price.yaml": {
        "COMPARE": 1,
        "FACTS": 1,
    },
    "memviz/dashboard/lessons/bundled/which-strategy-for-your-program.yaml": {
        "TUNE": 4
    },
}
"""How often Chinese texts name a page in quotation marks."""


def mentions(document: str, title: str) -> list[int]:
    """The lines of a document that name the page, one for each time."""
    # Copilot Chat is a program of others.
    pattern = re.compile(rf"(?<!Copilot )\b{re.escape(title)}\b(?!\.\w){OTHER_WORDS}")
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    return [
        number
        for number, line in enumerate(lines, 1)
        for _found in pattern.findall(line)
    ]


@for_each("document", MENTIONS)
def test_a_document_names_the_pages_by_their_titles(document: str) -> None:
    for page, count in MENTIONS[document].items():
        title = getattr(page_titles, page)
        found = mentions(document, title)
        assert len(found) == count, (
            f"{document} names the page {title!r} {len(found)} times (lines {found}), "
            f"{count} are expected. Was the page renamed, and its old name left there?"
        )


@for_each("document", CHINESE_MENTIONS)
def test_a_chinese_text_names_the_pages_by_their_chinese_titles(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for page, count in CHINESE_MENTIONS[document].items():
        with use_language("zh"):
            title = _(getattr(page_titles, page))
        assert text.count(f"“{title}”") == count, (document, title)


def test_sentences_of_the_program_take_a_title_from_where_it_stands() -> None:
    titles = "|".join(getattr(page_titles, page) for page in PAGES)
    leads_there = re.compile(
        rf"\b(?:on|in|page|the)(?: the)? (?:{titles})\b{OTHER_WORDS}(?! kept| looked)",
        re.IGNORECASE,
    )
    named = re.compile(rf"\b(?:{titles})\b")
    wrong = []
    for path in [*ROOT.glob("memviz/**/*.py"), *ROOT.glob("pages/*.py")]:
        for node in constants_of(path):
            text = str(node.value)
            if leads_there.search(text) and named.search(text):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {text[:60]}")
    assert wrong == [], "Write the title as memviz.core.page_titles has it."


def test_an_upload_may_be_as_large_as_a_file_that_is_imported() -> None:
    """Streamlit's limit stands in its own configuration, which cannot import ours."""
    with (ROOT / ".streamlit" / "config.toml").open("rb") as file:
        upload_megabytes = tomllib.load(file)["server"]["maxUploadSize"]
    assert upload_megabytes * 1_000_000 == Limits().file_bytes
