"""Read a report as a person does: tables, texts and the data of its charts."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

VOID = frozenset({"meta", "line", "br", "img", "link", "input"})


class Element:
    def __init__(
        self, tag: str, attributes: dict[str, str | None], parent: Element | None = None
    ) -> None:
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element | str] = []

    @property
    def text(self) -> str:
        """All text inside, as it was written."""
        return "".join(
            child if isinstance(child, str) else child.text for child in self.children
        )

    @property
    def words(self) -> str:
        """The text with its white space evened out."""
        return " ".join(self.text.split())

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Every element of this kind inside; ``class_`` asks for one of its classes."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if child.tag == tag and all(
                    child.has(name, value) for name, value in attributes.items()
                ):
                    found.append(child)
                found += child.all(tag, **attributes)
        return found

    def one(self, tag: str, **attributes: str) -> Element:
        (found,) = self.all(tag, **attributes)
        return found

    def has(self, name: str, value: str) -> bool:
        if name == "class_":
            return value in (self.attributes.get("class") or "").split()
        return self.attributes.get(name) == value


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.top = self.at = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), self.at)
        self.at.children.append(element)
        if tag not in VOID:
            self.at = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Element(tag, dict(attrs), self.at))

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.at.tag, f"</{tag}> ends a <{self.at.tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def read(html: str) -> Element:
    """The page; fails where a tag is not closed in order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.at is reader.top, f"<{reader.at.tag}> is never closed"
    return reader.top


def rows(table: Element) -> list[list[str]]:
    """The cells of a table, row by row."""
    return [
        [cell.words for cell in row.all("th") + row.all("td")]
        for row in table.all("tr")
    ]


def charts(page: Element) -> dict[str, Any]:
    """The data of the charts."""
    return json.loads(page.one("script", id="charts").text)  # type: ignore[no-any-return]
