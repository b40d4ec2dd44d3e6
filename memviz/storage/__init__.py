"""Storage: conversations and runs in one SQLite file. The way in is :class:`memviz.storage.store.Store`."""
