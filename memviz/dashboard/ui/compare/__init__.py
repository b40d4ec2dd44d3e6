"""The page Compare: one conversation under several settings."""
