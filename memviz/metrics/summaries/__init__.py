"""Numbers about summaries: ``events`` (the history and the sizes of requests), ``compaction_words`` (the same in
words), ``evolution`` and ``diff`` (from version to version), ``facts``, ``authors`` and ``inventions``."""
