"""Settings that every test shares."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

COMMON = settings(
    deadline=None,  # the first token count loads an encoding file, which is slow only once
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", COMMON, max_examples=30)
settings.register_profile("thorough", COMMON, max_examples=500)  # pytest --hypothesis-profile=thorough
settings.load_profile("quick")
