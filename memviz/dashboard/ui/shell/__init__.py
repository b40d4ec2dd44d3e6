"""The base of every page: its frame and navigation, views, errors, linked parts, and the state of a browser session.

Begin with ``open_page``, ``open_views`` and ``workspace`` (``frame``), ``widget_value`` and ``of_session`` (``state``,
the only door to ``st.session_state``), ``linked`` (``linked``), ``error_shown`` (``elements``), ``plain`` (``text``).
The room knows no engine, no page, and nothing of what is studied.
"""
