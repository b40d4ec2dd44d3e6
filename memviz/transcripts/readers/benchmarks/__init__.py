"""Benchmarks of memory and of agents, with their questions."""
