"""Numbers about message fates: ``fate_map`` (what became of every message), made of
``stretches``, which has the kinds of cells (``STEPS``), and ``fate_grid`` (a part of the
map as cells)."""
