"""Conversations of any length with known facts in them, for benchmarks and tests: not part of the package."""
