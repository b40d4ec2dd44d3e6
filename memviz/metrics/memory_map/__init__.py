"""The fate of every message at every request of a run:

- ``fate_map``: the map, made of ``stretches`` of messages with the same fate; ``STEPS`` are the kinds of fates.
- ``fate_grid``: a part of the map as cells for a chart.
"""
