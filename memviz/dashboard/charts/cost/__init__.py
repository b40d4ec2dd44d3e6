"""Charts of dollars, prompt cache and context window."""
