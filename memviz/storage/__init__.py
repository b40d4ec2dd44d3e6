"""One database, a file of SQLite or on a server of PostgreSQL, and the jobs that pages and terminal share.

Begin with ``Store`` (``store``), the tables (``tables``) and their upgrades
(``migrations``), ``Workspace`` and ``RunKey`` (``workspace``), and ``MemoryStore``
(``memory_store``), memories that are kept by session. All that a file and a server do
differently is behind ``Database`` (``database``), in ``sqlite_file``, ``postgres_server``
and ``dialects``; all else speaks SQLAlchemy. A key or an address of a model is
never stored. Nothing here knows a page.

Open to other rooms: ``class_shelf``, ``engine``, ``entries``, ``library_account``, ``library_places``,
``library_schemas``, ``limits``, ``llama_index_memory``, ``memory_store``, ``own_libraries``, ``recording_shelf``,
``sqlite_file``, ``store``, ``watched``, ``workspace``.
"""
