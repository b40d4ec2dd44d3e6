"""Elements of HTML: what is an element stays one, and every text is text."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.markup import element, joined, section

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
