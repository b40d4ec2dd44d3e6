"""Numbers about the summaries of a run:

- ``events``: the compactions in order, who wrote each summary, and the request before and after each.
- ``evolution``: every version compared with the one before, word by word (``diff``).
- ``facts``: versions that are lists of facts; ``inventions``: names and numbers that no prompt had.
"""
