"""Numbers about summaries: ``events`` (what happened, and who wrote it),
``request_sizes``, ``evolution`` and ``diff`` (from version to version), ``facts`` and
``inventions``."""
