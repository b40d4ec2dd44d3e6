"""Lessons: lists, plays and writes them."""
