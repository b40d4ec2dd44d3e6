"""The pages, as far as they are not in ``pages/``: a room a page, ``controls`` that
several share, and the ``shell``.

A page's room imports no other page's room. Everything that a browser session keeps goes
through ``shell/state.py``. Who needs the workspace or what a room keeps of the session asks for
it: ``workspace()`` (``shell/frame.py``), ``compare_state()`` (``controls/study.py``),
``chat_state()`` and the like. It is handed on only to what runs in another thread, as the making
of a file does, or is told of a state that is not the session's.
"""
