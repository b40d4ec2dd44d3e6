"""Pieces that several pages share: the sidebar, pickers, parameter controls, progress, the request inspector."""
