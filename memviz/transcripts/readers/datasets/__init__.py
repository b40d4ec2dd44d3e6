"""Data sets to train models with."""
