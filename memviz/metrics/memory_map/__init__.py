"""Numbers about message fates: ``fate_map`` (what became of every message), made of ``stretches``; ``fate_grid``
(a part of it as cells) and ``steps`` (what a cell can be)."""
