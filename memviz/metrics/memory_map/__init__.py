"""Numbers about message fates."""
