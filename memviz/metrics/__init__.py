"""Metrics: from the records of a run to numbers, by subject. Nothing here knows colours, pages or files, nor makes a
sentence: what is found becomes words in ``memviz/dashboard/words/``.

- ``requests``: tokens of requests, what two of them share, limits; ``count_traffic`` gives the tokens that are
  priced, ``RequestAxis`` where requests stand on charts.
- ``cost``: prices, the prompt cache, estimates and bounds; ``price_traffic`` gives dollars for a ``Traffic``.
- ``summaries``: what happened to a run's summary, and whose words it is; ``list_compaction_events``.
- ``retention``: which facts each request holds; ``retention``, ``propose_probes``.
- ``memory_map``: what became of every message; ``build_fate_map``.
  - ``answer_scores``: how right answers are; ``answer_sources``: where they come from.
  - ``verify``: the books of a run, checked.
- ``health``: findings about what costs money, detail or a refused request; ``check_health``.

It imports the engine, models, strategies, transcripts and text; never tuning, storage, charts or pages.

Open to other rooms: ``answer_scores``, ``answer_sources``, ``cost.bounds``,
``cost.cache_breaks``, ``cost.cost``, ``cost.estimate``, ``cost.pricing``, ``health``,
``health.budgets``, ``health.contents``, ``health.finding``, ``health.growth``,
``health.lookups``, ``memory_map.fate_grid``, ``memory_map.fate_map``,
``memory_map.stretches``, ``requests.broken_pairs``, ``requests.message_text``,
``requests.request_axis``, ``requests.request_places``, ``requests.request_table``,
``requests.token_use``, ``requests.traffic``, ``retention.knowledge``, ``retention.life_lines``,
``retention.message_facts``, ``retention.negatives``, ``retention.polarity``,
``retention.probe_texts``,
``retention.proposed_probes``, ``retention.retention``, ``retention.survival``,
``retention.tool_argument_recall``, ``retention.tool_facts``, ``summaries.diff``,
``summaries.events``, ``summaries.evolution``, ``summaries.facts``,
``summaries.inventions``, ``verify``.
"""
