"""The dashboard as a server: its pages, behind the checks of who may open them."""

from streamlit.starlette import App

from memviz.ui.shell.server.checks import checks

app = App("navigation.py", middleware=checks())
