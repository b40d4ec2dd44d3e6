"""Numbers about money:

- ``pricing``: the rates of a model. ``cost``: the cost of a run by these rates and the prompt cache.
- ``cache_breaks``: the requests that could not use the cache, and why.
- ``estimate`` and ``bounds``: the likely and the highest cost of work, before a model is asked.
"""
