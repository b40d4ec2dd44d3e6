"""The Markdown of lessons: paragraphs, lists, quotations, code, **bold** and *italic*, and nothing that leads outside.

HTML, images and links are refused when a lesson is read. What is left is taken apart here into text and its style, and
drawn from that: no text of a lesson ever reaches a reader of Markdown or HTML as it stands.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from markupsafe import Markup, escape

from memviz.core.translation import noop
from memviz.dashboard.markup import element, joined

Style = Literal["", "strong", "em", "code"]
_FORBIDDEN = (
    (re.compile(r"!\["), noop("an image")),
    (re.compile(r"<[A-Za-z/!?]"), "HTML"),
    (re.compile(r"\]\s*[(\[]|^\s*\[[^\]]*\]:", re.MULTILINE), noop("a link")),
    (
        re.compile(r"(?:\w+://|www\.|mailto:|data:|javascript:)\S", re.IGNORECASE),
        noop("a link"),
    ),
)
_CODE = re.compile(r"`[^`\n]+`")
_FENCE = "```"
_ESCAPED = re.compile(r"\\([\\`*_>#-])")
_STYLED = r"(?=\S)(?:\\.|[^*\\])+(?<=\S)"
_SPAN = re.compile(
    rf"\\(?P<escaped>[\\`*_>#-])|`(?P<code>[^`]+)`|\*\*(?P<strong>{_STYLED})\*\*|\*(?P<em>{_STYLED})\*"
)
_BULLET = re.compile(r"[-*] +")
_NUMBER = re.compile(r"\d{1,3}[.)] +")
_QUOTE = re.compile(r"> ?")
_TAGS = {
    "bullets": "ul",
    "numbers": "ol",
    "quote": "blockquote",
    "paragraph": "p",
    "code": "pre",
}


class Span(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: Style = ""


class Block(NamedTuple):
    """A paragraph, quotation or code with one item, or a list with several."""

    kind: Literal["paragraph", "bullets", "numbers", "quote", "code"]
    items: tuple[tuple[Span, ...], ...]


def describe_forbidden_parts(text: str) -> str:
    """Return what of ``text`` a lesson may not hold, in words; empty where there is nothing."""
    outside_code = _CODE.sub("", "\n".join(part for part in text.split(_FENCE)[::2]))
    return next(
        (words for pattern, words in _FORBIDDEN if pattern.search(outside_code)), ""
    )


def blocks(text: str) -> list[Block]:
    """Return the blocks of a text: paragraphs, headings, items of lists, quotes and code."""
    in_order = []
    for number, part in enumerate(text.split(_FENCE)):
        if number % 2:
            in_order.append(Block("code", ((Span(part.strip("\n")),),)))
            continue
        for paragraph in re.split(r"\n[ \t]*\n", part):
            if paragraph.strip():
                in_order += _parse_adjacent_lines(paragraph.strip("\n").split("\n"))
    return in_order


def as_html(text: str, words_html: Callable[[str], Markup] = escape) -> Markup:
    """Return the text as HTML, every letter of it escaped. ``words_html`` makes HTML of the words that are the lesson's
    own: neither quoted nor code."""
    pieces = []
    for block in blocks(text):
        is_own = block.kind not in ("quote", "code")
        pieces.append(_html(block, words_html if is_own else escape))
    return joined(pieces)


def as_plain(text: str) -> str:
    """The text on one line, without its styles."""
    lines = []
    for block in blocks(text):
        for item in block.items:
            lines.append("".join([span.text for span in item]))
    return " ".join(lines)


def _html(block: Block, words_html: Callable[[str], Markup]) -> Markup:
    items = []
    for item in block.items:
        words = joined(_span_html(span, words_html) for span in item)
        is_list = block.kind in ("bullets", "numbers")
        items.append(element("li", words) if is_list else words)
    return element(_TAGS[block.kind], *items)


def _span_html(span: Span, words_html: Callable[[str], Markup]) -> Markup:
    text = escape(span.text) if span.style == "code" else words_html(span.text)
    return element(span.style, text) if span.style else text


def _parse_adjacent_lines(lines: list[str]) -> Iterator[Block]:
    """The blocks of lines without an empty one between them: a list may follow a sentence at once."""
    kind = ""
    items = list[list[str]]()
    for line in lines:
        line_kind, text = _kind_of(line, kind)
        goes_on = line_kind in ("paragraph", "quote") or text is None
        words = line.strip() if text is None else text
        if line_kind != kind:
            if items:
                yield _make_block(kind, items)
            kind = line_kind
            items = [[words]]
        elif goes_on:
            items[-1].append(words)
        else:
            items.append([words])
    if items:
        yield _make_block(kind, items)


def _kind_of(line: str, before: str) -> tuple[str, str | None]:
    """Return what kind of block a line belongs to, and the line without its mark; ``None`` where it has none."""
    flat = line.strip()
    for kind, mark in (("bullets", _BULLET), ("numbers", _NUMBER), ("quote", _QUOTE)):
        match = mark.match(flat)
        if match:
            return kind, flat[match.end() :]
    is_going_on = before in ("bullets", "numbers") and line[:1].isspace()
    return (before if is_going_on else "paragraph"), None


def _make_block(kind: str, items: list[list[str]]) -> Block:
    spans = [tuple(_parse_spans(_join_lines(lines))) for lines in items]
    return Block(kind, tuple(spans))  # type: ignore[arg-type]


def _join_lines(lines: list[str]) -> str:
    """Lines as one: with a space between them, but not between Chinese characters."""
    text = ""
    for line in lines:
        is_chinese = bool(text) and bool(line) and min(text[-1], line[0]) >= "\u2e80"
        text += line if not text or is_chinese else f" {line}"
    return text


def _parse_spans(text: str) -> Iterator[Span]:
    plain = ""
    at = 0
    for match in _SPAN.finditer(text):
        plain += text[at : match.start()]
        at = match.end()
        if match["escaped"]:
            plain += match["escaped"]
            continue
        if plain:
            yield Span(plain)
            plain = ""
        if match["code"]:
            yield Span(match["code"], "code")
            continue
        style: Style = "strong" if match["strong"] else "em"
        yield Span(_ESCAPED.sub(r"\1", match[style]), style)
    if plain + text[at:]:
        yield Span(plain + text[at:])
