"""Elements of HTML, and texts marked with their language. Text of users and models is
text: whatever is not an element itself is escaped."""

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

from memviz.core.text.words import SCRIPTS, language

_RUN = re.compile(
    r"[\d.]*[{0}](?:[\d.]*[{0}])*".format(
        "".join(script.pattern[1:-1] for _, script in SCRIPTS)
    )
)
"""A stretch of words in one of these scripts, with the digits and dots among them."""


def element(name: str, *inside: str, **attributes: str) -> Markup:
    """Return an element with what is ``inside``, elements and texts. Names of attributes are written with a line below
    (``class_``, ``aria_label``); an attribute without a value is left out."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value
    )
    content = "".join(map(escape, inside))
    # The one place where HTML is put together: all of it was escaped above.
    return Markup(f"<{name}{shown}>{content}</{name}>")  # noqa: S704


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
    code = language(text)
    return Markup(' lang="{}"').format(code) if code else Markup()


def in_language(text: str) -> Markup:
    """Return ``text``, escaped for HTML. What of it is written in a script that shows its
    language is in elements that name it: all of a text that mostly is, else only these
    words."""
    if language(text):
        return _spoken(text)
    html = Markup()
    at = 0
    for found in _RUN.finditer(text):
        html += text[at : found.start()]
        html += _spoken(found[0])
        at = found.end()
    return html + text[at:]


def _spoken(text: str) -> Markup:
    return Markup("<span{}>{}</span>").format(lang_attribute(text), text)
