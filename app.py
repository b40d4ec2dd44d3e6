"""The dashboard as a server: its pages, behind the checks of who may open them."""

from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from memviz.dashboard.ui.shell.frame import navigate
from memviz.dashboard.ui.shell.server.checks import checks
from memviz.dashboard.ui.shell.server.left_pages import (
    leave_parts_of_left_pages,
    other_base_routes,
)
from memviz.dashboard.ui.shell.server.monitoring import monitor
from memviz.dashboard.ui.shell.server.theme_told import read_theme_once
from memviz.dashboard.ui.warm_up import warm_up_beside

# Until somebody has opened a page, Streamlit takes the files in pages/ for its pages, and would call the address of a
# page that moved unknown.
PagesManager.uses_pages_directory = False
leave_parts_of_left_pages()
read_theme_once()
app = App(
    "navigation.py",
    lifespan=warm_up_beside,
    routes=other_base_routes(),
    middleware=checks(),
)

if (
    get_script_run_ctx(suppress_warning=True) is not None
):  # run as a script, as Streamlit's AppTest does
    navigate()
else:
    monitor()
