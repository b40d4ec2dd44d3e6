"""Texts of users and models on a page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _page() -> None:
    from memviz.ui.controls.said import said

    said("Hello *you*,\nthere.")
    said("我们的预算是 <b>三千</b> 元。")


def test_a_text_in_a_script_of_its_own_is_marked_with_its_language_and_every_text_stays_text() -> None:
    page = AppTest.from_function(_page).run()
    assert [text.value for text in page.text] == ["Hello *you*,\nthere."]
    (marked,) = page.get("html")
    assert marked.proto.body == '<p class="memviz-said" lang="zh">我们的预算是 &lt;b&gt;三千&lt;/b&gt; 元。</p>'
