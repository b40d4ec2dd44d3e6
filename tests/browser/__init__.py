"""Journeys in Chromium. A package, so that what they share ends with the last of them and not with the session."""
