"""Export a memory setting to code: as a file, as code for memviz, and as code for other libraries.

`targets` finds the places to export to, ours and those of other packages; a `Target` writes a `Setting`, and raises
`NoCodeError` where it has no code for the strategy. Programs are put together from the templates of
`memviz/code_export/templates`, which are read as text and never imported.

Open to other rooms: ``base``.
"""

import logging
from functools import cache
from importlib.metadata import entry_points
from typing import get_args

from memviz.code_export.base import Language, NoCodeError, Setting, Target
from memviz.code_export.libraries import (
    LANGCHAIN_MIDDLEWARE,
    LLAMAINDEX,
    MEMORY_YAML,
    MEMVIZ_CODE,
    OPENAI_AGENTS,
    PLAIN_PYTHON,
)

__all__ = ["Language", "NoCodeError", "Setting", "Target", "targets"]

ENTRY_POINT_GROUP = "memviz.exports"
OWN = {
    "memory_yaml": MEMORY_YAML,
    "memviz_code": MEMVIZ_CODE,
    "llamaindex": LLAMAINDEX,
    "langchain_middleware": LANGCHAIN_MIDDLEWARE,
    "openai_agents": OPENAI_AGENTS,
    "plain_python": PLAIN_PYTHON,
}
_log = logging.getLogger(__name__)


@cache
def targets() -> dict[str, Target]:
    """Return all places that a setting can be exported to, by id: ours, then those of other packages, whose entry
    points are named as the target and lead to a :class:`Target`. One that cannot be loaded is left out, which the log
    says."""
    found = dict(OWN)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        problem = ""
        try:
            target = entry.load()
        except Exception as error:  # whatever another package does as it is imported
            problem = repr(error)
        else:
            if not isinstance(target, Target):
                problem = "it is no memviz.code_export.Target"
            elif target.language not in get_args(Language):
                problem = f"its language is {target.language!r}, not yaml or python"
        if problem:
            place = f"{entry.name} ({entry.value})"
            _log.warning("The export %s is left out: %s", place, problem)
        else:
            found.setdefault(entry.name, target)
    return found
