"""Settings that every test shares."""

from __future__ import annotations

import os

import pytest
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """What ``-n auto`` means: one process more than cores, because journeys and servers are also waited for."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else (os.cpu_count() or 1) + 1
