"""Words: the sentences for what metrics find, each whole in one place. Pages, charts, the stage, reports and commands
share them.

- ``health``: warnings about a run; ``health_warnings``.
- ``budgets``, ``growth``: the warnings about limits and about money.
- ``reasons``: why a strategy acted, in the language of who reads it.
- ``compactions``: what became of a summarization or a clearing, where, why; ``compaction_words``.
- ``requests``: names of requests, limits, and the picture of what was said and sent; ``name_of``, ``limit_rule``.
- ``facts``: what became of the facts of a message, and how often their measure errs.
- ``live``: how full the window of a watched conversation is, and when it is compacted.
- ``authors``: who wrote summaries and replies.
- ``bundled``: titles, descriptions and notes of what comes with memviz, in the language of who reads them.
- ``prices``: prices, cache rules and pauses, and who says so; ``basis_in_words``. What work
  of models will cost; ``estimate_words``.

It imports metrics, tuning, watching and what those rest on; never charts, the stage, reports or pages.
"""
