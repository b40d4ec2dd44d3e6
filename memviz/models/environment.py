"""Settings of a server as variables of the environment: Streamlit hands no options on to its pages."""

import os
from collections.abc import Mapping

from memviz.core.errors import AccessError

_SWITCHES = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


def make_variables(settings: Mapping[str, object]) -> dict[str, str]:
    """Return the variables that say settings, without those that are empty: ``{"MEMVIZ_LOGIN": True,
    "MEMVIZ_TEACHERS": ["ana@a.org", "bo@b.org"], "MEMVIZ_DB": None}`` becomes ``{"MEMVIZ_LOGIN": "1",
    "MEMVIZ_TEACHERS": "ana@a.org bo@b.org"}``."""
    variables = {}
    for name, setting in settings.items():
        if isinstance(setting, bool):
            variables[name] = str(int(setting))
        elif isinstance(setting, list | tuple):
            variables[name] = " ".join(setting)
        elif setting is not None:
            variables[name] = str(setting)
    return {name: value for name, value in variables.items() if value}


def read_words(
    name: str, environment: Mapping[str, str] = os.environ
) -> tuple[str, ...]:
    """Return the words of a variable, which spaces stand between; none where it is not set."""
    return tuple(environment.get(name, "").split())


def read_switch(environment: Mapping[str, str], name: str) -> bool | None:
    """Return whether a variable is on ("1", "true", "yes", "on") or off; ``None`` where it is empty. Raises
    :class:`memviz.core.errors.AccessError` for what is neither."""
    value = environment.get(name, "").strip().lower()
    if not value:
        return None
    if value not in _SWITCHES:
        raise AccessError(
            f"The environment variable {name} is {value!r}: set it to 1 or 0."
        )
    return _SWITCHES[value]
