"""The page Fleet: the settings of a sweep over thousands of conversations."""
