"""The page Chat: a live conversation under a strategy."""
