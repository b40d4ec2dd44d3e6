"""The parts that are open on a page, as parts of its link, and the addresses that a session's own pages wrote.

A page says of a widget, before it draws it, that links hold its value. Links know a part by its name and never by a
widget's key, so keys may change and may depend on what is shown. What a link asks for counts only if the widget could
show it: an option, a number within its range."""

import json
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from memviz.core.bounds import MAX_DIGITS, quoted, read_json
from memviz.core.errors import MemvizError
from memviz.core.translation import _
from memviz.dashboard.ui.shell.state import of_session, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain

WRITTEN_KEY = "written-links"
LANG = "lang"
"""The part of every address that names the language of the pages."""
KEPT_WRITTEN = 20
"""The number of addresses that a session knows as its own: with clicks in quick succession, the browser's is a few
behind."""
MAX_TEXT_CHARS = 4_000
MAX_PARTS = 60
MAX_VALUES = 50
LINK_OFF = ":material/link_off:"
Query = Mapping[str, Sequence[str]]


def address_now() -> dict[str, list[str]]:
    """Return the query of the address that the browser shows."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def note_own_address(query: str) -> None:
    """Note that the session's own page writes this query into the address."""
    parts = parse_qs(query)
    others = _own_addresses_but(parts)
    set_widget(WRITTEN_KEY, [*others[-KEPT_WRITTEN:], parts])


def is_own_address(query: Query) -> bool:
    """Return true if the session's own page wrote this query."""
    return query in (widget_value(WRITTEN_KEY) or ())


def forget_own_address(query: Query) -> None:
    """Remove this query from the addresses that the session wrote itself, so that a link of it is followed again."""
    set_widget(WRITTEN_KEY, _own_addresses_but(query))


def _own_addresses_but(query: Query) -> list[Query]:
    addresses = widget_value(WRITTEN_KEY) or []
    return [address for address in addresses if address != query]


@dataclass
class LinkedParts:
    """The parts that are open on the page."""

    keys: dict[str, str] = field(default_factory=dict)
    """The widgets that its link holds, by the names of the link's parts."""
    asked: dict[str, str] = field(default_factory=dict)
    """The parts of an address that no widget has taken yet."""


def linked_parts() -> LinkedParts:
    """Return the parts that the link of the page holds."""
    return of_session("linked", LinkedParts)


def forget_linked() -> None:
    """Forget which widgets belong to the link, as a page begins to be drawn: only those that it shows do."""
    linked_parts().keys.clear()


def ask_linked(query: Mapping[str, Sequence[str]], names: Container[str]) -> None:
    """Ask of the widgets that are drawn next what a link asks for in other parts than those of these ``names``."""
    part_names = [name for name in query if name not in names and query[name]]
    texts = {name: query[name][0] for name in part_names[:MAX_PARTS]}
    linked_parts().asked = {
        name: text for name, text in texts.items() if len(text) <= MAX_TEXT_CHARS
    }


def linked(name: str, key: str, options: Collection[Any] | None = None) -> bool:
    """Let links hold, under this ``name``, what the widget of this ``key`` shows: one of the ``options``, or any text
    where they are ``None``. To be called before the widget is drawn.

    Return true if the widget has just got its value from a link. A warning says what a link asked for in vain.
    """
    return _take(name, key, lambda text: parse_value(text, options))


def linked_list(name: str, key: str, options: Collection[Any] | None) -> None:
    """Let links hold, under this ``name``, which of the ``options`` the widget of this ``key`` shows, or any texts
    where they are ``None``."""
    _take(name, key, lambda text: _parse_list(text, options))


def linked_range(name: str, key: str, last: int) -> None:
    """Let links hold the two ends of a slider over the numbers from 1 to ``last``, such as ``["3", "12"]``."""
    _take(name, key, lambda text: parse_range(text, range(1, last + 1)))


def linked_number(name: str, key: str, most: float) -> None:
    """Let links hold the value of a field that takes any number from 0 to ``most``."""
    _take(name, key, lambda text: parse_number(text, most))


def _take(name: str, key: str, read: Callable[[str], Any]) -> bool:
    parts = linked_parts()
    parts.keys[name] = key
    text = parts.asked.pop(name, None)
    if text is None:
        return False
    value = read(text)
    if value is None:
        say_not_there(name, text)
        return False
    set_widget(key, value)
    return True


def say_not_there(name: str, text: str) -> None:
    """Say that a part of a link asks for something in vain."""
    show_not_there(
        _(
            "The link's {name} {text} was passed over: it is not there.",
            name=name,
            text=quoted(text),
        )
    )


def show_not_there(text: str) -> None:
    """Show that a link leads nowhere; no letter of ``text`` is markup."""
    st.warning(plain(text), icon=LINK_OFF)


def say_conversation_is_gone() -> None:
    """Say that a link names a conversation which is not there."""
    st.warning(
        _("The conversation of the link is not in this library, or was deleted."),
        icon=LINK_OFF,
    )


def parse_value(text: str, options: Collection[Any] | None) -> Any:
    """Return the one of these ``options`` that is written as ``text``: of ``range(1, 9)`` and ``"3"`` the number 3.
    ``None`` where none is. Where the options are ``None``, any printable text is one."""
    if options is None:
        return text if text.isprintable() else None
    if isinstance(options, range):
        is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
        return int(text) if is_number and int(text) in options else None
    for option in options:
        if str(option) == text:
            return option
    return None


def _parse_list(text: str, options: Collection[Any] | None) -> list[Any] | None:
    """Return those of ``options`` that are written in ``text`` as a list in JSON, such as ``["3", "12"]``; ``None``
    where none of them is."""
    try:
        texts = read_json(text)
    except (MemvizError, ValueError):
        return None
    if not isinstance(texts, list):
        return None
    values = [parse_value(str(item), options) for item in texts[:MAX_VALUES]]
    return [value for value in values if value is not None] or None


def parse_range(text: str, options: range) -> tuple[int, int] | None:
    """Return the two ends of a part of a range, written as ``["3", "12"]``; ``None`` where ``options`` has no such
    part."""
    ends = _parse_list(text, options) or []
    if len(ends) != 2 or ends[0] > ends[1]:
        return None
    return ends[0], ends[1]


def parse_number(text: str, most: float) -> float | None:
    """Return the number that is written as ``text``; ``None`` where it is none, or not from 0 to ``most``."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= most else None


def keep_in_address(parts: Mapping[str, str | None]) -> None:
    """Write these parts into the address of the page; those without a text are taken out of it."""
    for name, text in parts.items():
        if text and st.query_params.get(name) != text:
            st.query_params[name] = text
        elif not text and name in st.query_params:
            del st.query_params[name]


def shown_parts() -> Iterator[tuple[str, str]]:
    """Yield name and text of each part of the link of the page: ``("turn", "7")``."""
    for name, key in linked_parts().keys.items():
        value = widget_value(key)
        if isinstance(value, list | tuple):
            yield name, json.dumps([str(item) for item in value], ensure_ascii=False)
        elif value is not None:
            yield name, str(value)
