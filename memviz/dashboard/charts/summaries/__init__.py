"""Charts of the summary's versions."""
