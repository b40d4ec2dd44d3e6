"""No library."""
