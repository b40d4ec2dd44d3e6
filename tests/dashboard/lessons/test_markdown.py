"""The Markdown of lessons, and what it lets through."""

from __future__ import annotations

from html import unescape

from hypothesis import given
from hypothesis import strategies as some

from memviz.dashboard.lessons.markdown import (
    as_html,
    as_plain,
    describe_forbidden_parts,
)
from tests.tables import for_each


@for_each(
    ("text", "html"),
    [
        ("One\ntwo\n\nthree", "<p>One two</p><p>three</p>"),
        ("中文\n下一行", "<p>中文下一行</p>"),
        (
            "a **b c** *d* `e*f*`",
            "<p>a <strong>b c</strong> <em>d</em> <code>e*f*</code></p>",
        ),
        ("**“事实”**之后", "<p><strong>“事实”</strong>之后</p>"),
        (
            "See:\n- a\n  b\n- c\nd",
            "<p>See:</p><ul><li>a b</li><li>c</li></ul><p>d</p>",
        ),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("> a\n> b", "<blockquote>a b</blockquote>"),
        ("```\nx <y>\n```", "<pre>x &lt;y&gt;</pre>"),
        (r"\*a\* 2 * 3 * 4", "<p>*a* 2 * 3 * 4</p>"),
        (r"**a\-b**", "<p><strong>a-b</strong></p>"),
        ("1 < 2 & 3", "<p>1 &lt; 2 &amp; 3</p>"),
        (
            "**a & b** *<3* `<i>`",
            "<p><strong>a &amp; b</strong> <em>&lt;3</em> <code>&lt;i&gt;</code></p>",
        ),
    ],
)
def test_it_is_taken_apart(text: str, html: str) -> None:
    assert describe_forbidden_parts(text) == ""
    assert as_html(text) == html


def test_the_plain_text_has_no_marks() -> None:
    assert as_plain("**a**\n\n- b\n- `c`") == "a b c"


@for_each("text", ["a [b] (c)", "`<b>` and `[a](b)`", "x < y > z", "a: b", "[1] says"])
def test_what_is_no_link_is_let_through(text: str) -> None:
    assert describe_forbidden_parts(text) == ("" if text != "a [b] (c)" else "a link")


@for_each(
    "text",
    [
        "<br>",
        "</p>",
        "<!-- a -->",
        "[a][b]",
        "[a]: b",
        "www.a.b",
        "javascript:alert(1)",
    ],
)
def test_what_leads_outside_is_refused(text: str) -> None:
    assert describe_forbidden_parts(text)


@given(some.text(alphabet="ab <>&\"'*`_-[]()!\\\n.1:/", max_size=60))
def test_no_letter_of_a_text_becomes_markup(text: str) -> None:
    html = as_html(text)
    for tag in ("p", "strong", "em", "code", "ul", "ol", "li", "blockquote", "pre"):
        html = html.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    assert "<" not in html
    assert set(unescape(html)) <= set(text) | {" "}


def test_words_that_are_quoted_or_code_are_left_as_they_are() -> None:
    text = "a **b** `c`\n\n> d\n\n- e"
    html = as_html(text, lambda words: words.upper())
    assert (
        html
        == "<p>A <strong>B</strong> <code>c</code></p><blockquote>d</blockquote><ul><li>E</li></ul>"
    )
