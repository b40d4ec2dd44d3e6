"""Figures as SVG, where a script of five megabytes cannot be: in the outputs of a notebook.

:func:`memviz.dashboard.charts.svg.drawing.draw_svg` draws the lines, marks, bars, shapes and notes of
:mod:`memviz.dashboard.charts.grammar`, on linear and logarithmic axes. Colours of settings and of the page are the
variables of its style sheet (``--setting-0``, ``--text``, ``--grid``), so that one drawing serves light and dark.
"""
