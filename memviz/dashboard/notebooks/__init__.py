"""Outputs of notebook cells: a run, a sweep and kept facts as one block of HTML each, in Jupyter and marimo.

``outputs`` says what is shown of a value, ``frame`` writes it as HTML that needs no network, no memviz and no kernel.
:func:`memviz.dashboard.notebooks.frame.html_of` is what ``memviz/__init__`` draws values with.
"""
