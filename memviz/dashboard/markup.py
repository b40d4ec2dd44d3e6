"""Elements of HTML, texts marked with their language, and the Markdown that models write.

Text of users and models is text: whatever is not an element itself is escaped. The Markdown
that models write without being asked is emphasis, lists, headings and code. It is taken
apart into text and style; links, images, HTML and whatever else there is stay the text that
they are.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from markupsafe import Markup, escape

from memviz.core.text.words import SCRIPTS, detect_language

_RUN = re.compile(
    r"[\d.]*[{0}](?:[\d.]*[{0}])*".format(
        "".join(script.pattern[1:-1] for _, script in SCRIPTS)
    )
)
"""A stretch of words in one of these scripts, with the digits and dots among them."""
Style = Literal["", "strong", "em", "code"]
BULLET = "• "
_FENCE = re.compile(r"^[ \t]*```[^\n]*(?:\n|\Z)", re.MULTILINE)
_LINE = re.compile(r"(?P<indent>[ \t]*)(?:(?P<heading>#{1,6})[ \t]+|[-*+][ \t]+)(?=\S)")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\*\*(?P<strong>(?=[^\s*])[^*\n]+(?<=\S))\*\*"
    r"|(?<![\w*])\*(?P<em>(?=[^\s*])[^*\n]+(?<=\S))\*(?![\w*])"
)


def element(name: str, *inside: str, **attributes: str) -> Markup:
    """Return an element with what is ``inside``, elements and texts. Names of attributes are written with a line below
    (``class_``, ``aria_label``); an attribute without a value is left out."""
    attributes_shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value
    )
    content = "".join(map(escape, inside))
    # The one place where HTML is put together: all of it was escaped above.
    return Markup(f"<{name}{attributes_shown}>{content}</{name}>")  # noqa: S704


def joined(parts: Iterable[str]) -> Markup:
    """Return elements and texts one behind the other."""
    return Markup("").join(parts)


def section(color: str, *inside: str) -> Markup:
    """Return a block with an edge in a colour, as the inspector shows requests."""
    style = f"border-left-color: {color}"
    return element("section", *inside, class_="memviz-block", style=style)


def swatch(color: str) -> Markup:
    """Return a square of a colour."""
    style = f"width:0.9rem;height:0.9rem;border-radius:0.2rem;background:{color}"
    return element("span", style=style)


def glyph(character: str, color: str) -> Markup:
    """Return a character in a colour."""
    return element("span", character, style=f"color:{color}")


def bar_part(share: float, color: str) -> Markup:
    """Return a part of a thin bar, by its share of the whole."""
    return element("span", style=f"width:{share:.3%};background:{color}")


def upright_part(share: float, color: str) -> Markup:
    """Return a part of a bar that stands upright, by its share of the height."""
    return element("span", style=f"height:{share:.3%};background:{color}")


def lang_attribute(text: str) -> Markup:
    """Return `` lang="zh"`` for the HTML element that shows ``text``, with a space before
    it; empty where the language cannot be seen."""
    code = detect_language(text)
    return Markup(' lang="{}"').format(code) if code else Markup()


def in_language(text: str) -> Markup:
    """Return ``text``, escaped for HTML. What of it is written in a script that shows its
    language is in elements that name it: all of a text that mostly is, else only these
    words."""
    if detect_language(text):
        return _mark_language(text)
    html = Markup()
    at = 0
    for match in _RUN.finditer(text):
        html += text[at : match.start()]
        html += _mark_language(match[0])
        at = match.end()
    return html + text[at:]


def _mark_language(text: str) -> Markup:
    return Markup("<span{}>{}</span>").format(lang_attribute(text), text)


class Run(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: Style = ""


def styled(text: str) -> Iterator[Run]:
    """Take ``text`` apart. Its lines stay lines; items of lists begin with a bullet."""
    parts = _FENCE.split(text)
    if len(parts) % 2 == 0:  # a fence that is never closed is none
        parts = [text]
    for number, part in enumerate(parts):
        if number % 2:
            yield Run(part, "code")
        else:
            for line in part.splitlines(keepends=True):
                yield from _styled_line(line)


def without_marks(text: str) -> str:
    """``text`` as one reads it: without the marks of styles."""
    return "".join(run.text for run in styled(text))


def has_marks(text: str) -> bool:
    """Return whether ``text`` has a style anywhere."""
    return without_marks(text) != text


def as_html(text: str) -> Markup:
    """``text`` in its styles, every letter of it escaped, for an element that keeps line breaks."""
    parts: list[str] = []
    for run in styled(text):
        part = run.text
        if run.style:
            part = Markup("<{0}>{1}</{0}>").format(run.style, run.text)
        parts.append(part)
    return Markup("").join(parts)


def _styled_line(line: str) -> Iterator[Run]:
    beginning = _LINE.match(line)
    if beginning is None:
        yield from _inline(line)
    elif beginning["heading"]:
        rest = line[beginning.end() :]
        words = rest.rstrip("\n")
        yield Run("".join(run.text for run in _inline(words)), "strong")
        yield Run(rest[len(words) :])
    else:
        yield Run(beginning["indent"] + BULLET)
        yield from _inline(line[beginning.end() :])


def _inline(text: str) -> Iterator[Run]:
    at = 0
    for match in _INLINE.finditer(text):
        yield Run(text[at : match.start()])
        style: Style = match.lastgroup  # type: ignore[assignment]  # the groups are named by their styles
        yield Run(match[style], style)
        at = match.end()
    yield Run(text[at:])
