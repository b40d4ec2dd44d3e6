"""The setting as plain Python, with no library to learn."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates
from memviz.code_export.model_names import without_provider

TITLE = "Plain Python"
FOLDER = "plain_python"


def write(setting: Setting) -> str:
    """Return a class ``Memory`` with ``append`` and ``context``, which gives the requests that a replay gives, and a
    function ``ask`` that sends them to an API of OpenAI's kind."""
    return write_from_templates(
        setting,
        FOLDER,
        "plain Python",
        spelled=without_provider,
        instead={"summarizer": f"{FOLDER}.summarizer"},
    )


TARGET = Target(TITLE, "memory.py", "python", "", write)
