"""The browser is told the same theme as by Streamlit itself, and it is read once."""

from __future__ import annotations

from inspect import unwrap

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from memviz.dashboard.ui.shell.server.theme_told import read_theme_once


def told_theme() -> CustomThemeConfig:
    """The theme with its parts, as a session puts them together."""
    theme = CustomThemeConfig()
    tell = app_session._populate_theme_msg
    tell(theme)
    for part, name in (
        (theme.light, "theme.light"),
        (theme.dark, "theme.dark"),
        (theme.sidebar, "theme.sidebar"),
        (theme.light.sidebar, "theme.light.sidebar"),
        (theme.dark.sidebar, "theme.dark.sidebar"),
    ):
        tell(part, name)
    return theme


def test_the_theme_is_as_streamlit_tells_it_and_its_settings_are_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config.get_config_options()  # the theme of .streamlit/config.toml
    # A test of a page may have come before, in this process.
    by_itself = unwrap(app_session._populate_theme_msg)
    monkeypatch.setattr(app_session, "_populate_theme_msg", by_itself)
    by_streamlit = told_theme()
    read_theme_once()
    first = told_theme()
    read_theme_once()
    monkeypatch.setattr(config, "get_options_for_section", None)
    second = told_theme()
    assert by_streamlit.light.primary_color != by_streamlit.dark.primary_color != ""
    for theme in (first, second):
        assert theme == by_streamlit
        assert theme.HasField("sidebar") == by_streamlit.HasField("sidebar")
