"""The part of a page that is shown: all of it, one picture in large letters before an audience, or the bare picture in
a frame of somebody else's page. An address says it, and the keys of a speaker change it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

import streamlit as st
from jinja2 import Environment

from memviz.core.translation import _, language_now, script_words
from memviz.dashboard.stage.files import controls_style, keys_script, own_text
from memviz.dashboard.ui.shell.language import language_part
from memviz.dashboard.ui.shell.linked import (
    LANG,
    Query,
    address_now,
    is_own_address,
    say_not_there,
)
from memviz.dashboard.ui.shell.state import of_session, widget_value

PRESENT = "present"
HIDE = "hide"
SHOW = "show"
VIEW = "view"
MINIMAL = "minimal"
PRESENTED_PARTS = (PRESENT, HIDE, SHOW, LANG)
"""Parts of an address that say how much of the page is shown, and in which language.
With ``view=minimal`` it is ``show`` that names the view of the page."""
ON = "on"
MAX_HIDE_CHARS = 200
LEAST_LETTER_PIXELS = 14
MOST_LETTER_PIXELS = 80
CHART_LETTER_PIXELS = 14
"""The size of letters in a chart as it usually is."""
BAR_KEY = "presenter-bar"
KEYS_KEY = "presenter-keys"


@dataclass
class Presenting:
    """The part of the pages that a browser session shows."""

    is_on: bool = False
    """Pages are presented, in large letters."""
    is_minimal: bool = False
    """Only the picture is shown, with its player, as in a frame of another page."""
    hidden: frozenset[str] = frozenset()
    """Parts that a link took away, by their names."""
    letter_pixels: int = 22
    asked_steps: int = 0
    """The number of pictures that the speaker wants to go on (or back)."""
    clicks: tuple[str, int] = ("", 0)
    """The clicker that this was asked with, and how many pictures by it so far."""
    picture: dict[str, str | int] = field(default_factory=dict)
    """The picture that is shown: its ``title``, its number (0-based) ``at`` among those ``of`` the walk, and the title
    of the ``next`` one."""
    notes: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """The parts that the link wanted to hide and that are not there."""
    taken: dict[str, list[str]] = field(default_factory=dict)
    """The parts of the address on presenting when it was read last."""


def presenting() -> Presenting:
    """Return how much of the pages is shown."""
    return of_session("presenting", Presenting)


class Part(StrEnum):
    """A part of a page that can be hidden, by its name in addresses."""

    SIDEBAR = "sidebar"
    NAVIGATION = "navigation"
    TITLE = "title"
    VIEWS = "views"
    CONTROLS = "controls"
    PLAYER = "player"
    READER = "reader"
    QUESTIONS = "questions"
    NUMBERS = "numbers"


_PRESENTED_WITH = (Part.TITLE, Part.PLAYER)
_STYLES = {
    Part.SIDEBAR: '[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none !important; }',
    Part.NAVIGATION: '[data-testid="stHeader"] { display: none; }'
    " :root { --navigation-height: 0rem; }"
    ' [data-testid="stMainBlockContainer"] { padding-top: 1rem; }',
}


PRESENTED_STYLE, MINIMAL_STYLE = (
    f"<style>{own_text(__package__, name)}</style>"
    for name in ("presented.css", "minimal.css")
)
_SPEAKER = own_text(__package__, "speaker.js")
_keys = st.components.v2.component(
    "memviz_presenter_keys",
    html="<span></span>",
    js=f"{keys_script()}\n{_SPEAKER}\n{own_text(__package__, 'presenter_keys.js')}",
)
_BAR_HTML = own_text(__package__, "presenter_bar.html")
_BAR_JS = own_text(__package__, "presenter_bar.js")
_bar = st.components.v2.component(
    "memviz_presenter_bar",
    html=_BAR_HTML,
    css=f"{controls_style()}\n{own_text(__package__, 'presenter_bar.css')}",
    js=f"{_SPEAKER}\n{_BAR_JS}",
)


def hides(part: Part) -> bool:
    """Return true if this part of the page is not to be seen."""
    state = presenting()
    if part in state.hidden:
        return True
    if state.is_on:
        return part not in _PRESENTED_WITH
    return state.is_minimal and part is not Part.PLAYER


def put_away(part: Part, key: str) -> AbstractContextManager[object]:
    """Return the place of the controls of this part. They are drawn also where nobody sees them, for links hold what
    they show."""
    return st.container(key=f"put-away-{key}") if hides(part) else nullcontext()


def presents() -> bool:
    """Return true if the page is shown to an audience."""
    return presenting().is_on


def is_bare() -> bool:
    """Return true if there is nothing on the page but one picture and what belongs to it."""
    return presenting().is_on or presenting().is_minimal


def letter_scale() -> float:
    """Return the size of letters and marks of charts, 1 as usual."""
    state = presenting()
    return state.letter_pixels / CHART_LETTER_PIXELS if state.is_on else 1.0


def take_presented() -> None:
    """Show as much as the address says, where that is not the session's own. To be called before the page is
    drawn."""
    state = presenting()
    query = address_now()
    if not query or is_own_address(query):
        return
    # A page that does not write its address keeps what a link said there, also once the speaker has left.
    before = state.taken
    state.taken = {name: query[name] for name in (PRESENT, VIEW, HIDE) if name in query}
    new = {name for name, texts in state.taken.items() if texts != before.get(name)}
    if PRESENT in new:
        state.is_on = query[PRESENT] == [ON]
    if VIEW in new:
        state.is_minimal = query[VIEW] == [MINIMAL]
    if HIDE in new:
        state.hidden, state.unknown = hidden_parts(query)


def say_unknown_parts() -> None:
    """Say what a link wanted to hide in vain. To be called by the page that it leads to."""
    state = presenting()
    for name in state.unknown:
        say_not_there(HIDE, name)
    state.unknown = []


def hidden_parts(query: Query) -> tuple[frozenset[str], list[str]]:
    """The parts that a link hides, and what it names that is none of them."""
    named: list[str] = []
    for text in query.get(HIDE, ()):
        named += map(str.strip, text[:MAX_HIDE_CHARS].split(","))
    names = {part.value for part in Part}
    unknown = dict.fromkeys(name for name in named if name and name not in names)
    return frozenset(names).intersection(named), list(unknown)


def presented_parts() -> Iterator[tuple[str, str]]:
    """Yield how much is shown, and in which language, as parts of the link of the page."""
    state = presenting()
    yield language_part()
    yield PRESENT, ON if state.is_on else ""
    yield VIEW, MINIMAL if state.is_minimal else ""
    yield HIDE, ",".join(part for part in Part if part in state.hidden)


def view_named(query: Mapping[str, str]) -> str:
    """The view of the page that an address names."""
    named = query.get(VIEW, "")
    return query.get(SHOW, "") if named == MINIMAL else named


def view_part() -> str:
    """Under which name the link of the page holds its view."""
    return SHOW if presenting().is_minimal else VIEW


def begin_presented() -> None:
    """Hide what is to be hidden, in large letters before an audience, and listen for the speaker's keys. Before the
    page is drawn: also a page that ends early can be left."""
    state = presenting()
    state.notes = []
    note_picture("", of=0)
    for part, css in _STYLES.items():
        if hides(part):
            st.html(f"<style>{css}</style>")
    if state.is_on:
        st.html(PRESENTED_STYLE)
    elif state.is_minimal:
        st.html(MINIMAL_STYLE)
    if not state.is_minimal:
        _keys(
            data={"on": state.is_on, "pixels": state.letter_pixels},
            key=KEYS_KEY,
            on_asked_change=partial(_heard, KEYS_KEY, "asked"),
            on_size_change=partial(_heard, KEYS_KEY, "size"),
        )


def end_presented() -> None:
    """Draw the speaker's bar, which also tells the window of notes what is shown."""
    state = presenting()
    state.asked_steps = 0  # a page without pictures takes none
    if state.is_on:
        text = own_text(__package__, "notes_window.html")
        window = Environment(autoescape=True).from_string(text)
        data = {
            **state.picture,
            "notes": state.notes,
            "window": window.render(_=_, language=language_now()),
            "words": script_words(_BAR_HTML + _BAR_JS),
        }
        _bar(data=data, key=BAR_KEY, on_asked_change=partial(_heard, BAR_KEY, "asked"))


def note_picture(title: str, at: int = 0, of: int = 1, next_title: str = "") -> None:
    """Note what is shown to the audience: picture number ``at`` (0-based) of ``of``, before the one called
    ``next_title``."""
    picture: dict[str, str | int] = {
        "title": title,
        "at": at,
        "of": of,
        "next": next_title,
    }
    presenting().picture = picture


def speaker_notes(sentences: Iterable[str]) -> None:
    """Note what the speaker may say to this picture."""
    presenting().notes += [sentence for sentence in sentences if sentence]


def take_steps() -> int:
    """Return how many pictures on the speaker wants to be, or back where it is negative; asked once."""
    state = presenting()
    steps = state.asked_steps
    state.asked_steps = 0
    return steps


def _heard(component: str, event: str) -> None:
    """Do what the speaker asked for. Steps are counted by each clicker, so that two in quick succession are two."""
    state = presenting()
    match (widget_value(component) or {}).get(event):
        case {"what": "start"}:
            state.is_on = True
        case {"what": "leave"}:
            state.is_on = False
        case {"what": "steps", "clicker": str() as clicker, "steps": int() as steps}:
            before = state.clicks[1] if state.clicks[0] == clicker else 0
            state.clicks = (clicker, steps)
            # Of two clicks in one message Streamlit tells the last one, twice.
            state.asked_steps += steps - before
        case {"pixels": int() as pixels}:
            pixels = max(LEAST_LETTER_PIXELS, pixels)
            state.letter_pixels = min(MOST_LETTER_PIXELS, pixels)
