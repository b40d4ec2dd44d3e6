"""Elements of HTML: what is an element stays one, and every text is text."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.markup import (
    as_html,
    element,
    has_marks,
    joined,
    section,
    without_marks,
)
from tests.tables import for_each

TEXTS = st.text(alphabet="ab <>&\"'=/\n")


class _Read(HTMLParser):
    """Names, attributes and texts, as a browser reads them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(TEXTS, TEXTS.filter(bool))
def test_texts_and_values_are_read_as_they_are(text: str, value: str) -> None:
    read = _Read(element("p", text, element("b", text), title=value))
    assert read.tags == [("p", {"title": value}), ("b", {})]
    assert read.text == text * 2


def test_names_of_attributes_are_written_as_in_html() -> None:
    html = element("div", class_="a", aria_label="b", tabindex="0", lang="")
    assert html == '<div class="a" aria-label="b" tabindex="0"></div>'


def test_parts_stay_elements_where_they_are_joined() -> None:
    assert joined(["<", element("i", "x")]) == "&lt;<i>x</i>"
    assert section("#000000", element("i", "x")) == (
        '<section class="memviz-block" style="border-left-color: #000000"><i>x</i></section>'
    )


@for_each(
    ("text", "html"),
    [
        ("**Budget:** *about* 3,000", "<strong>Budget:</strong> <em>about</em> 3,000"),
        ("- one\n  * two\n+ three", "• one\n  • two\n• three"),
        ("## Plan\nGo.", "<strong>Plan</strong>\nGo."),
        ("Call `f(x)`.", "Call <code>f(x)</code>."),
        ("So:\n```python\n# a **b**\n```\nDone", "So:\n<code># a **b**\n</code>Done"),
        ("[a](http://b.c) ![i](x.png)", "[a](http://b.c) ![i](x.png)"),
        (
            "<b>fat</b> **<i>x</i>**",
            "&lt;b&gt;fat&lt;/b&gt; <strong>&lt;i&gt;x&lt;/i&gt;</strong>",
        ),
        (
            "2*3*4 and 5 * 6 * 7, snake_case_name",
            "2*3*4 and 5 * 6 * 7, snake_case_name",
        ),
        ("#1 and -5 degrees", "#1 and -5 degrees"),
        ("``` never closed\n- one", "``` never closed\n• one"),
    ],
)
def test_a_safe_part_is_drawn(text: str, html: str) -> None:
    assert as_html(text) == html
    assert has_marks(text) is (html != text and without_marks(text) != text)


@given(st.text(alphabet="ab *`#-\n<>&\"'[](!)", max_size=60))
def test_no_letter_becomes_markup(text: str) -> None:
    html = as_html(text)
    tags = re.findall(r"<[^>]*>", html)
    assert set(tags) <= {
        f"<{slash}{name}>" for slash in ("", "/") for name in ("strong", "em", "code")
    }
    assert unescape(re.sub(r"<[^>]*>", "", html)) == without_marks(text)
