"""The page Tune: which setting to take."""
