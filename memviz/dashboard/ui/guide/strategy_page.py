"""One strategy, or one program's memory, in full: a picture of what it sends, what it gains and loses, who uses it, and
its parameters."""

import streamlit as st

from memviz.core import page_titles
from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.requests.said_and_sent import said_and_sent_figure
from memviz.dashboard.guide.examples import Example, example_of
from memviz.dashboard.guide.strategies import (
    PROGRAMS,
    StrategyPage,
    User,
    strategy_pages,
)
from memviz.dashboard.lessons.study import Highlight, Study, View, parts_of
from memviz.dashboard.markup import element
from memviz.dashboard.ui.controls.authorship import draw_author_badge
from memviz.dashboard.ui.controls.links import follow_again
from memviz.dashboard.ui.controls.pictures import as_shown
from memviz.dashboard.ui.guide.views import STRATEGY, Meaning, meanings_html
from memviz.dashboard.ui.shell.elements import row, show_caption, show_info
from memviz.dashboard.ui.shell.presenting import (
    Part,
    hides,
    presenting,
    put_away,
    speaker_notes,
)
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import bundled_words
from memviz.dashboard.words.requests import picture_words
from memviz.metrics.summaries.events import Author, list_authors, list_models
from memviz.strategies import strategy, strategy_class
from memviz.strategies.library import LibraryStrategy
from memviz.strategies.parameters import Parameter
from memviz.transcripts.samples import sample

PAGE = "pages/guide.py"
VALUES = {
    ("here", "none"): noop("here: {value}"),
    ("here", "number"): noop("here: {value:,} {unit}"),
    ("here", "on"): noop("here: on"),
    ("here", "off"): noop("here: off"),
    ("here", "text"): noop("here: {value}"),
    ("default", "none"): noop("default: none"),
    ("default", "number"): noop("default: {value:,} {unit}"),
    ("default", "on"): noop("default: on"),
    ("default", "off"): noop("default: off"),
    ("default", "text"): noop("default: {value}"),
}
"""The value of a parameter in words: of a program's own or by default, by the kind of the value."""
EFFECTS = {
    "gains": noop("Gains"),
    "loses": noop("Loses"),
    "hurts_when": noop("Hurts when"),
}
"""What is said of a strategy, by its name in :class:`StrategyPage`."""
NOT_HERE = noop("There is no picture: it cannot be run here.")


def strategy_page(page: StrategyPage) -> None:
    """Draw the whole page, below its title and summary."""
    example = example_of(page.id)
    if presenting().is_minimal:  # in a frame, where no title says which one it is
        st.markdown(f"**{page.title}**: {page.summary}")
    with put_away(Part.NAVIGATION, "guide-ways"):
        _draw_ways_on(page, example)
    if example is None:
        reason = strategy(page.id).reason_not_to_run()
        show_info(f"{_(NOT_HERE)} {plain(reason)}", ":material/block:")
    else:
        _draw_picture(example)
    cls = strategy_class(page.id)
    if issubclass(cls, LibraryStrategy):
        show_caption(cls.title_here())
    for column, (field, name) in zip(st.columns(3), EFFECTS.items(), strict=True):
        text = _sentence(getattr(page, field))
        column.markdown(f"**{_(name)}**\n\n{text}")
    if hides(Part.NUMBERS):
        return
    is_program = page.family == PROGRAMS
    if not is_program:
        _draw_users(page)
    _draw_parameters(page)
    if page.details:
        with st.expander(
            _("The rule in detail"), icon=":material/rule:", expanded=is_program
        ):
            st.markdown("\n\n".join(page.details))


def _draw_ways_on(page: StrategyPage, example: Example | None) -> None:
    """Draw the links to all strategies, to the ones before and behind, and to Compare."""
    # The page of a program has the place of the strategy that does the same.
    own_id = strategy(page.id).id
    pages = list(strategy_pages().values())
    ids = [other.id for other in pages]
    number = ids.index(own_id)
    with st.container(
        horizontal=True, vertical_alignment="center", gap="medium", key="guide-ways"
    ):
        st.page_link(PAGE, label=_("All strategies"), icon=":material/grid_view:")
        if page.id != own_id:
            title = _("Its strategy: {strategy}", strategy=pages[number].title)
            link_strategy(pages[number], title, ":material/arrow_forward:")
        else:
            for before in pages[:number][-1:]:
                link_strategy(before, before.title, ":material/arrow_back:")
            for behind in pages[number + 1 :][:1]:
                link_strategy(behind, behind.title, ":material/arrow_forward:")
        if example is not None:
            _open_in_compare(example)


def _open_in_compare(example: Example) -> None:
    """Draw a link that opens the example beside the full buffer, at the request of the picture."""
    settings = [strategy("buffer")]
    if example.strategy.id != "buffer":
        settings.append(example.strategy)
    record = example.picture.record
    view = View(
        Study(example.conversation, tuple(settings)),
        "compare",
        turn=record.turn,
        call=record.call,
        highlight=Highlight(setting=len(settings) - 1),
    )
    parts = parts_of(view)
    follow_again(parts)
    st.page_link(
        "pages/compare.py",
        label=_("Open this run in {compare}", compare=_(page_titles.COMPARE)),
        icon=":material/open_in_new:",
        query_params=parts,
    )


def _draw_picture(example: Example) -> None:
    picture = example.picture
    chart = said_and_sent_figure(picture)
    speaker_notes([picture_words(picture)])
    st.plotly_chart(
        as_shown(chart),
        key=f"guide-picture-{example.strategy.id}",
        config=CONFIG,
        alt=picture_words(picture),
    )
    with row(wrap=False):
        for author in Author:
            if author in list_authors(example.run):
                draw_author_badge(author, *list_models([example.run], author))
        title = plain(bundled_words(sample(example.conversation).title))
        words = _(
            "{setting}, over *{title}*. {picture}",
            setting=plain(example.strategy.label),
            title=title,
            picture=plain(picture_words(picture)),
        )
        st.caption(words, width="stretch")


def _draw_users(page: StrategyPage) -> None:
    st.subheader(_("Who uses it"), anchor=False)
    if page.users:
        st.markdown("\n".join(map(_user, page.users)))
    st.caption(
        _("The rule here is that of: {reference}.", reference=plain(page.reference))
    )


def _user(user: User) -> str:
    return _(
        "- **{name}**: {rule}. :small[{source}.]",
        name=plain(user.name),
        rule=plain(user.rule),
        source=plain(_sentence(user.source)),
    )


def _draw_parameters(page: StrategyPage) -> None:
    if not page.parameters:
        return
    st.subheader(_("Parameters"), anchor=False)
    meanings = []
    for parameter in page.parameters:
        name = element("code", parameter.name)
        value = _value(page, parameter)
        meanings.append(Meaning(name, value, _help(parameter)))
    st.html(meanings_html(meanings))


def _help(parameter: Parameter) -> str:
    choices = [
        _("{value}: {meaning}.", value=value, meaning=_(meaning))
        for value, meaning in parameter.choices
    ]
    return " ".join([_(parameter.help), *choices])


def _value(page: StrategyPage, parameter: Parameter) -> str:
    """Return ``here: 500 tokens`` where a program has a value of its own, else ``default: 500 tokens``."""
    whose = "here" if parameter.name in page.values else "default"
    value = page.values.get(parameter.name, parameter.default)
    if value is None:
        kind = "none"
    elif parameter.is_number:
        kind = "number"
    elif parameter.kind is bool:
        kind = "on" if value else "off"
    else:
        kind = "text"
    return _(VALUES[whose, kind], value=value, unit=_(parameter.unit))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def link_strategy(page: StrategyPage, label: str, icon: str | None = None) -> None:
    """Draw a link to the page of a strategy."""
    st.page_link(PAGE, label=label, icon=icon, query_params={STRATEGY: page.id})
