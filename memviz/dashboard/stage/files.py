"""The files of the stage that a browser runs, put together: one script and one style sheet, with nothing from outside.

The script defines ``MemvizStage`` in the scope where it stands: ``new MemvizStage(root, data, {onMove, onAnswer})``
builds the stage inside ``root``, ``update(data)`` gives it other data, ``go(step)`` goes to a step, ``leave()`` ends
it. The style sheet colours it by the page's own variables, those of Streamlit or of the report.
"""

from functools import cache
from importlib.resources import files

SCRIPTS = ("keys.js", "walk.js", "frames.js", "picture.js", "stage.js")


@cache
def script() -> str:
    """The whole script."""
    return "\n".join(map(_source, SCRIPTS))


@cache
def walk_script() -> str:
    """The script of the walk alone: ``MemvizWalk``, which every player has, with the keys that it hears."""
    return "\n".join(map(_source, SCRIPTS[:2]))


@cache
def keys_script() -> str:
    """The script of the keys alone: from where it stands on, no key of a walk is lost."""
    return _source(SCRIPTS[0])


@cache
def style() -> str:
    """The style sheet."""
    return _source("stage.css")


def _source(name: str) -> str:
    return files("memviz.dashboard.stage").joinpath(name).read_text(encoding="utf-8")
