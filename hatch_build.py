"""The dashboard's files in a wheel. They lie at the top of the repository; an installed memviz has them inside. The
pytest plugin lies beside the package in both."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PYTEST_PLUGIN = "memviz_pytest.py"
DASHBOARD = ("app.py", "navigation.py", "pages", ".streamlit/config.toml")


class DashboardFiles(BuildHookInterface):
    """Puts them into ``memviz/_dashboard``, where :func:`memviz.dashboard.dashboard_folder` looks for them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built. An editable install uses the repository's own files: no copies."""
        if version == "standard":
            build_data["force_include"] |= {
                name: f"memviz/_dashboard/{name}" for name in DASHBOARD
            }
            build_data["force_include"][PYTEST_PLUGIN] = PYTEST_PLUGIN
