"""The pages, as far as they are not in ``pages/``: a room a page, ``controls`` that
several share, and the ``shell``.

A page's room imports no other page's room. Everything that a browser session keeps goes
through ``shell/state.py``.
"""
