"""Settings that every test shares."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from memviz.charts import figure

COMMON = settings(
    deadline=None,  # the first token count loads an encoding file, which is slow only once
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", COMMON, max_examples=30)
settings.register_profile("thorough", COMMON, max_examples=500)  # pytest --hypothesis-profile=thorough
settings.load_profile("quick")

figure.VALIDATED = True  # a property that Plotly does not know fails a test, not a page
