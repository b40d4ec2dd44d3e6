"""The files that a browser runs, put together, with nothing from outside: the stage as
one script and one style sheet, and what other parts of memviz share with it.

The script defines ``MemvizStage`` in the scope where it stands: ``new MemvizStage(root, data, {onMove, onAnswer,
windowHeight})`` builds the stage inside ``root``, ``update(data)`` gives it other data, ``go(step)`` goes to a step,
``leave()`` ends it. The style sheet colours it by the page's own variables, those of Streamlit or of the report.
"""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

KEYS = ("keys.js",)
WALK = (*KEYS, "walk.js", "controls.js")
STAGE = (*WALK, "frames.js", "picture.js", "stage.js")


@cache
def script() -> str:
    """Return the whole script of the stage."""
    return _all_of(STAGE)


@cache
def walk_script() -> str:
    """Return the script that every player has: ``MemvizWalk``, the keys that it hears, and ``MemvizControls``."""
    return _all_of(WALK)


@cache
def keys_script() -> str:
    """Return the script of the keys alone: from where it stands on, no key of a walk is lost."""
    return _all_of(KEYS)


@cache
def copy_script() -> str:
    """Return the script that defines ``memvizCopy``, which puts a text into the clipboard."""
    return _all_of(("copy.js",))


@cache
def style() -> str:
    """Return the style sheet of the stage."""
    return _all_of(("controls.css", "stage.css"))


@cache
def controls_style() -> str:
    """Return the style sheet of buttons, and of the controls of a player, below an element ``memviz-buttons``."""
    return _all_of(("controls.css",))


def own_text(package: str, name: str) -> str:
    """Return the text of a file that lies in a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _all_of(names: Iterable[str]) -> str:
    return "\n".join(own_text(__package__, name) for name in names)
