"""The page Library: saved and imported conversations."""
