"""Records into numbers."""
