"""The frame of every page: navigation, the guard of deep links, the head of a page, the workspace and its database, and
languages marked for screen readers."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from time import monotonic

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.pages_manager import PagesManager

from memviz.core import page_titles
from memviz.core.errors import MemvizError
from memviz.core.server_events import PAGE, note_error, note_event
from memviz.core.storage_errors import StorageError
from memviz.core.text.words import marking_rules
from memviz.core.translation import _, language_now, noop
from memviz.dashboard import dashboard_folder
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.shell.elements import (
    button,
    buttons_row,
    error_shown,
    errors_shown,
    main_button,
    row,
    show_problem,
)
from memviz.dashboard.ui.shell.language import take_language
from memviz.dashboard.ui.shell.linked import address_now, forget_linked
from memviz.dashboard.ui.shell.presence import looked_at, watch_in_background
from memviz.dashboard.ui.shell.presenting import (
    Part,
    begin_presented,
    end_presented,
    hides,
    is_bare,
    note_picture,
    put_away,
    say_unknown_parts,
    take_presented,
)
from memviz.dashboard.ui.shell.server.checks import (
    asks_to_sign_in,
    has_own_libraries,
    is_signed_in,
    own_places,
    require_checks,
    visitor_now,
)
from memviz.dashboard.ui.shell.server.signing_in import ask_to_sign_in
from memviz.dashboard.ui.shell.terms import explain_terms
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import (
    Lost,
    View,
    begin_at_top,
    choose_view,
    lost_help,
    shown_view,
)
from memviz.dashboard.ui.shell.walk import follow_steps, present_view
from memviz.models.visitor_limits import visitor_limits
from memviz.storage.class_shelf import ClassShelf
from memviz.storage.limits import Limits
from memviz.storage.own_libraries import OwnLibraries
from memviz.storage.store import Store
from memviz.storage.workspace import Workspace

REMEDY = noop(
    "Nothing is saved at the moment. What was saved before is not lost: memviz still has it open, and "
    "can write it to a new file as long as it runs."
)
RESCUE = noop("Save everything to a new file")
REOPEN = noop("Go on with the file that is there now")
REOPEN_HELP = noop(
    "For a backup that you have just restored. What only the file before held is gone then."
)


def _show_database_problem() -> None:
    """Say that the file is gone, and offer what can be done; nothing where all is well."""
    if has_own_libraries():
        return  # a library that was deleted in another tab is opened anew
    problem = ""
    # A file that cannot be opened at all is said by the page, in its place.
    with suppress(StorageError):
        problem = store().problem
    if not problem:
        return
    place = st.empty()
    with place.container(border=True, key="database-problem"):
        show_problem(f"{problem} {_(REMEDY)}")
        with buttons_row():
            is_rescued = main_button(_(RESCUE), "database-rescue", ":material/save:")
            is_reopened = Path(store().path).exists() and button(
                _(REOPEN),
                "database-reopen",
                ":material/folder_open:",
                help=_(REOPEN_HELP),
            )
    if is_rescued or is_reopened:
        with error_shown():
            sentence = _rescued() if is_rescued else _reopened()
            place.success(plain(sentence), icon=":material/check:")


def _rescued() -> str:
    asked_for = store().path
    path = store().rescue()
    sentence = _("Everything is in {path}, and is saved there from now on.", path=path)
    if path == asked_for:
        return sentence
    other_file = _(
        "Another file is at {asked_for}, so give memviz the new one when you start it the next time.",
        asked_for=asked_for,
    )
    return f"{sentence} {other_file}"


def _reopened() -> str:
    workspace().reopen()
    return _("memviz goes on with {path}.", path=store().path)


_say_languages = st.components.v2.component(
    "memviz_languages",
    html="<span></span>",
    js=own_text(__package__, "languages.js"),
)


STREAMLITS_OWN = (
    noop("Upload"),
    noop("Drag and drop a file here"),
    noop("Drag and drop files here"),
    noop("{size} per file"),
    noop("Press Enter to apply"),
    noop("Press Ctrl+Enter to apply"),
    noop("Press ⌘+Enter to apply"),
)
"""The words that Streamlit writes into uploads and fields, as it stands there; none of its arguments changes it."""


def say_languages() -> None:
    """Mark every text that is written in a language's own script with that language, now and whenever it changes, in
    the browser: Streamlit's own elements and the text of charts take no ``lang``. The page itself is in the language
    of its reader."""
    _say_languages(
        data={
            **marking_rules(),
            "page": language_now(),
            "own": {text: _(text) for text in STREAMLITS_OWN},
        },
        key="languages",
    )


PAGES = dashboard_folder() / "pages"
_MENU = (
    ("compare.py", page_titles.COMPARE, ":material/stacked_line_chart:"),
    ("facts.py", page_titles.FACTS, ":material/psychology_alt:"),
    ("tune.py", page_titles.TUNE, ":material/tune:"),
    ("fleet.py", page_titles.FLEET, ":material/database:"),
    ("chat.py", page_titles.CHAT, ":material/forum:"),
    ("live.py", page_titles.LIVE, ":material/sensors:"),
    ("lessons.py", page_titles.LESSONS, ":material/school:"),
    ("library.py", page_titles.LIBRARY, ":material/library_books:"),
    ("guide.py", page_titles.GUIDE, ":material/menu_book:"),
)
"""The pages with their titles and icons, in the order of the navigation."""
# A Material icon would be fetched from outside.
ICON = Path(__file__).with_name("icon.svg")
STYLE = Path(__file__).with_name("style.css")
SIDEBAR_PIXELS = 300
HEAD_KEY = "page-head"


def navigate(draw_class_line: Callable[[], object] = lambda: None) -> None:
    """Set the page up and run the one that was asked for. ``draw_class_line`` draws what stands above the pages of a
    class; Lessons draws it itself."""
    take_language()
    st.set_page_config(
        page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR_PIXELS
    )
    st.html(STYLE)
    page = st.navigation(_pages(), position="top")
    st.set_page_config(page_title=f"{page.title} · memviz")
    with errors_shown():
        require_checks()
        say_languages()
        if asks_to_sign_in() and not is_signed_in():
            ask_to_sign_in()
        explain_terms()
        take_presented()
        begin_presented()
        if has_own_libraries() and page.url_path != "lessons":
            draw_class_line()
        with _measure_page(page):
            page.run()
    end_presented()
    with errors_shown():
        looked_at(workspace())
        if has_own_libraries():
            own_libraries().note_visit(visitor_now().id)


@contextmanager
def _measure_page(page: StreamlitPage) -> Iterator[None]:
    """Note how long a page takes, and an error that nobody foresaw."""
    begun = monotonic()
    try:
        yield
    except MemvizError:
        raise  # noted where it is shown
    except Exception as error:
        note_error(error)
        raise
    finally:
        note_event(PAGE, page=page.url_path, seconds=round(monotonic() - begun, 3))


def _pages() -> list[StreamlitPage]:
    pages = [
        st.Page(PAGES / file, title=_(title), icon=icon) for file, title, icon in _MENU
    ]
    # The page at the root has no address of its own, so the root leads to Compare, and
    # /compare works too.
    root = st.Page(
        partial(_lead_to, pages[0]),
        title="memviz",
        url_path="start",
        default=True,
        visibility="hidden",
    )
    return [root, *pages]


def _lead_to(page: StreamlitPage) -> None:
    st.switch_page(page, query_params={**address_now()})


def open_page(question: str, sentence: str, lost: Lost) -> None:
    """Begin a page: its title is the question it answers, the sentence, where there is one, says how, and ``lost``
    helps on."""
    _begin()
    note_picture(question)
    if not hides(Part.TITLE):
        with row(HEAD_KEY):
            st.title(question, anchor=False, width="content")
            if not is_bare():
                lost_help(lost)
    if sentence and not is_bare():
        st.caption(sentence)
    _show_database_problem()


def open_views(
    key: str,
    views: Sequence[View],
    offer: Callable[[], object] | None = None,
    help_key: str = "lost",
) -> str:
    """Begin a page that has several views, the switch between them beside its title;
    returns the id of the one that is shown. ``offer`` draws what else the help holds, whose
    panel is closed by another ``help_key``."""
    _begin()
    follow_steps(key, views)
    view = shown_view(key, views)
    title = present_view(key, view)
    with row(HEAD_KEY):
        if not hides(Part.TITLE):
            st.title(title, anchor=False, width="stretch" if is_bare() else "content")
        if not is_bare():
            lost_help(view.lost, offer, help_key)
        # style.css puts it at the end of the row
        with (
            put_away(Part.VIEWS, "views"),
            st.container(width="content", key="page-views"),
        ):
            choose_view(key, views)
    with put_away(Part.CONTROLS, "sentence"), row("view-sentence"):
        st.caption(view.sentence, width="stretch")
        if view.choose is not None:
            with st.container(width="content"):
                view.choose()
    _show_database_problem()
    begin_at_top()
    return view.id


def _begin() -> None:
    forget_linked()
    if PagesManager.uses_pages_directory:
        # A first visit straight to a page below pages/ would run it without navigation.py.
        PagesManager.uses_pages_directory = False
        st.rerun()
    say_unknown_parts()


def workspace() -> Workspace:
    """Return the library of this server, or where it serves a class that of the visitor whose page runs. Raises
    StorageError if the database cannot be used, and AccessError for somebody who is not in the class."""
    if not has_own_libraries():
        return _only_library()
    return own_libraries().open(visitor_now().id)


@st.cache_resource(show_spinner=False)
def _only_library() -> Workspace:
    opened = Workspace()
    _look_after(opened)
    return opened


def _look_after(opened: Workspace) -> None:
    watch_in_background(opened)
    _leave_imports_to_themselves()


@cache
def own_libraries() -> OwnLibraries:
    """Return the libraries of the visitors of this server, where each has one."""
    limits = Limits.of_visitor(visitor_limits())
    return OwnLibraries(own_places(), limits, at_opening=_look_after)


@cache
def class_shelf() -> ClassShelf:
    """Return what visitors of this server share, where each has a library."""
    return ClassShelf(own_places().open_shelf())


def delete_own_library() -> None:
    """Delete everything of the visitor whose page runs, what is shared included. The next look opens a new library."""
    visitor = visitor_now()
    class_shelf().withdraw_all_of(visitor.id)
    own_libraries().delete(visitor.id)


def store() -> Store:
    """Return the library of this server, with what is stored in it. Raises StorageError if it cannot be used."""
    return workspace().store


NEW_OBJECTS = 50_000
"""So many more objects than there were let the collector look for garbage, which takes about 10 MB at most."""


@cache
def _leave_imports_to_themselves() -> None:
    """Everything imported so far stays for good; frozen, no garbage collection looks at it again. Once a process: a
    second time would keep the garbage since the first one, too. What a page makes of a long conversation is no garbage
    either, and with Python's own thresholds the collector goes through it dozens of times."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
