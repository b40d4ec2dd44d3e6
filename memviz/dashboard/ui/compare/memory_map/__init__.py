"""Compare, as a memory map: what became of every message at every request."""
