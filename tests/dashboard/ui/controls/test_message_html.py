"""A difference as HTML: everything in it, and nothing of it as markup."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.ui.controls.diff_html import (
    KEPT_CHARS_SHOWN,
    diff_html,
    legend_html,
    sides_html,
)
from memviz.metrics.summaries.diff import diff_words

MARKUP = "<script>alert(1)</script> & <b>fat</b>"


def read(html: str, *tags: str) -> str:
    """What a browser shows of these elements."""
    found = re.findall(rf"<({'|'.join(tags)})>(.*?)</\1>", html, re.DOTALL)
    return unescape("".join(text for _, text in found))


def test_removed_and_added_are_told_apart_without_colour() -> None:
    html = diff_html(diff_words("Porto costs 92 euros.", "Porto costs 105 euros."))
    assert html == (
        '<div class="memviz-diff"><span>Porto costs </span><del>92</del><ins>105</ins><span> euros.</span></div>'
    )


@given(st.text(alphabet="ab <>&\"'/.\n"), st.text(alphabet="ab <>&\"'/.\n"))
def test_both_texts_can_be_read_off(old: str, new: str) -> None:
    diff = diff_words(old, new)
    assert read(diff_html(diff), "span", "del") == old
    assert read(diff_html(diff), "span", "ins") == new
    assert [read(side, "span", "del", "ins") for side in sides_html(diff)] == [old, new]


def test_text_is_never_markup() -> None:
    for old, new in ((MARKUP, ""), ("", MARKUP), (MARKUP, MARKUP)):
        diff = diff_words(old, new)
        for html in (diff_html(diff), *sides_html(diff)):
            assert "<script>" not in html
            assert "<b>" not in html


def test_the_legend_counts() -> None:
    diff = diff_words("Porto costs 92 euros.", "Porto costs about 105 euros.")
    assert "3 words kept · <del>1 removed</del> · <ins>2 added</ins>" in legend_html(
        diff
    )
    assert "6 characters kept" in legend_html(
        diff_words("预算三千欧元。", "预算三千欧元。")
    )


def test_of_a_long_stretch_that_did_not_change_only_the_ends_are_shown() -> None:
    same = "".join(f"word{n} " for n in range(1000))
    html = diff_html(diff_words(same + "old", same + "new"))
    shown = read(html, "span")
    assert len(shown) == KEPT_CHARS_SHOWN
    assert shown.startswith("word0 ")
    assert shown.endswith("word999 ")
    assert f"{len(same) - KEPT_CHARS_SHOWN:,} characters more" in html
    assert "<del>old</del><ins>new</ins>" in html
