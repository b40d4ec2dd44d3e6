"""The theme, as the browser is told it: read from the settings once.

Whenever a page or a part of one runs, Streamlit (1.67) tells the browser the theme, and
reads its 300 settings anew to do so. The pages of a class look every one or two seconds whether
the lesson went on; two fifths of what the server did for them was to read the theme.
"""

from __future__ import annotations

from functools import wraps

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session


def read_theme_once() -> None:
    """Have the sessions of this server tell the theme as it was read at the first run."""
    read_theme = app_session._populate_theme_msg
    if hasattr(read_theme, "__wrapped__"):
        return
    themes: dict[str, CustomThemeConfig] = {}

    @wraps(read_theme)
    def tell_theme(message: CustomThemeConfig, section: str = "theme") -> None:
        if section not in themes:
            theme = CustomThemeConfig()
            read_theme(theme, section)
            themes[section] = theme
        # To merge nothing would still tell the browser that there is such a theme.
        if themes[section].ListFields():
            message.MergeFrom(themes[section])

    app_session._populate_theme_msg = tell_theme  # type: ignore[assignment]
