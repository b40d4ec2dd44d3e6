"""All strategies as cards, family by family, each with ten turns of a real run."""

from collections.abc import Mapping, Sequence

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from memviz.core.translation import _
from memviz.dashboard.charts.requests.said_and_sent import COLORS
from memviz.dashboard.guide.examples import Example, example_of
from memviz.dashboard.guide.strategies import (
    PROGRAMS,
    StrategyPage,
    program_pages,
    strategy_pages,
)
from memviz.dashboard.markup import element, upright_part
from memviz.dashboard.ui.guide.strategy_page import link_strategy
from memviz.dashboard.ui.guide.views import FIND, STRATEGY, search_field
from memviz.dashboard.ui.shell.elements import card_places, show_info
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.words.requests import ten_turns_words
from memviz.strategies import strategy_class
from memviz.strategies.families import FAMILIES
from memviz.strategies.library import LibraryStrategy
from memviz.strategies.presets import presets

COLUMNS = 4
SEARCH_KEY = "guide-strategies-search"
PROGRAM_KEY = "guide-program"


def strategy_list() -> None:
    """Draw a control that opens a program, a search, and the cards of all that it finds: programs only where they are
    looked for. The pictures come last: the first visitor of a server waits for their replays."""
    left, right = st.columns(2)
    left.selectbox(
        _("What does your program use?"),
        list(presets()),
        index=None,
        format_func=lambda id: _(presets()[id].title),
        key=PROGRAM_KEY,
        placeholder=_("A product or a library"),
        on_change=_open_program,
    )
    with right:
        search = search_field(
            _("Search the strategies"),
            _("A library, a product, or what it does"),
            SEARCH_KEY,
            FIND,
        )
    pages = list(strategy_pages().values())
    if search:
        pages += program_pages().values()
    matching = [page for page in pages if page.holds(search)]
    if not matching:
        nothing = _("No strategy and no program says that. Search for another word.")
        show_info(nothing, ":material/search_off:")
    places: dict[str, DeltaGenerator] = {}
    for family in (PROGRAMS, *FAMILIES):
        of_family = [page for page in matching if page.family == family]
        if of_family:
            st.subheader(_(family), anchor=False)
            places |= _cards(of_family)
    _draw_pictures(places)


def _draw_pictures(places: Mapping[str, DeltaGenerator]) -> None:
    """Draw ten turns of each strategy at its place."""
    for id, place in places.items():
        if issubclass(strategy_class(id), LibraryStrategy):
            continue  # a list is no reason to load every library that is installed
        example = example_of(id)
        if example is not None:
            place.html(ten_turns_picture(example))


def _open_program() -> None:
    # The page reads the address again in the run that follows a click.
    st.query_params[STRATEGY] = widget_value(PROGRAM_KEY) or ""


def _cards(pages: Sequence[StrategyPage]) -> dict[str, DeltaGenerator]:
    """Draw the cards of strategies, and return the places of their pictures by id."""
    places = {}
    for place, page in card_places(pages, COLUMNS):
        with place.container(
            border=True, height="stretch", key=f"guide-card-{page.id}"
        ):
            link_strategy(page, f"**{page.title}**")
            places[page.id] = st.empty()
            st.caption(page.summary)
    return places


def ten_turns_picture(example: Example) -> Markup:
    """Return ten bars: what each of ten requests sent, in colours, before the grey of all that was said by then."""
    records = example.ten_turns
    said_tokens = []
    sent_tokens = []
    for record in records:
        said_tokens.append(record.memory.sums.totals[record.memory.length])
        sent_tokens.append(record.total_tokens)
    highest = max(*said_tokens, *sent_tokens)
    bars = []
    for record, said in zip(records, said_tokens, strict=True):
        parts = []
        for part, color in COLORS.items():
            if record.tokens.get(part):
                parts.append(upright_part(record.tokens[part] / highest, color))
        bars.append(element("div", *parts, style=f"--said:{said / highest:.3%}"))
    words = ten_turns_words(records[-1], said_tokens[-1], max(sent_tokens))
    return element("div", *bars, class_="memviz-turns", role="img", aria_label=words)
