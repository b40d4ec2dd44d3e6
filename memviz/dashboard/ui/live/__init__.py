"""The page Live: conversations of programs that are running, as they grow."""
