"""Numbers about summaries: ``events`` (what happened), ``compaction_words`` (the same in words), ``request_sizes``,
``evolution`` and ``diff`` (from version to version), ``facts``, ``authors`` and ``inventions``."""
