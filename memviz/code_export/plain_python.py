"""The setting as plain Python, with no library to learn."""

from __future__ import annotations

from memviz.code_export.base import Setting, Target
from memviz.code_export.from_templates import write_from_templates

TITLE = "Plain Python"


def write(setting: Setting) -> str:
    """A class ``Memory`` with ``append`` and ``context``. It gives the requests that a replay gives."""
    return write_from_templates(setting, "plain_python", "plain Python")


TARGET = Target(TITLE, "memory.py", "python", "", write)
