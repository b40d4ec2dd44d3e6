"""Metrics: from the records of a run to numbers, by subject. Nothing here knows colours, pages or files.

- ``requests``: tokens of requests, what two of them share, limits; ``traffic`` is what prices are laid on, and
  ``RequestAxis`` is where requests stand on charts.
- ``cost``: prices, the prompt cache, estimates and bounds; ``cost`` gives dollars for a ``Traffic``.
- ``summaries``: what happened to a run's summary, and whose words it is; ``compaction_events``, ``compaction_words``.
- ``retention``: which facts each request holds; ``retention``, ``propose_probes``.
- ``memory_map``: what became of every message; ``fate_map``.
- ``answers``: how right answers are, and where they come from.
- ``health``: warnings about a run; ``health_warnings``.

It imports the engine, models, strategies, transcripts and text; never tuning, storage, charts or pages."""
