"""Elements of HTML. Text of users and models is text: whatever is not an element itself is escaped."""

from collections.abc import Iterable

from markupsafe import Markup, escape


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
