"""Conversations of programs that are running, read as they grow and kept in the library
at once.

Begin with ``Keeper`` (``keeper``), which appends what was said to an ordinary
conversation: only what is new, secrets concealed (``secrets``), each batch whole or not
at all. It is private to the visitor whose library it is in. Nothing here knows a page.

Open to other rooms: ``folders``, ``keeper``, ``live``, ``programs``.
"""
