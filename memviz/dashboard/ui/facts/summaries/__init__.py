"""Facts, by summary: how the summary changed from version to version."""
