"""From the words of a command line to strategies with parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from typer import BadParameter

if TYPE_CHECKING:
    from memviz.strategies.base import Strategy
    from memviz.strategies.parameters import Parameter

Setting = tuple[str, str]
_SWITCH = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def strategies_from(named: Sequence[str], settings: Sequence[str]) -> list[Strategy]:
    """The strategies of ``--strategy NAME`` or ``NAME:PARAMETER=VALUE,...``, with what ``--set`` says.

    With several strategies a setting goes to each that has the parameter. Raises :class:`memviz.ParameterError`,
    also for a parameter that none of them has, and :class:`memviz.UnknownStrategyError`.
    """
    for_all = [pair(text, "--set") for text in settings]
    chosen = [split(text) for text in named]
    known = {name for id, _ in chosen for name in parameters_of(id)}
    return [_made(id, fitting(id, for_all, known), own) for id, own in chosen]


def strategies_at_first(settings: Sequence[str]) -> list[Strategy]:
    """The strategies that Compare shows at first, with what ``--set`` says of them. Raises as
    :func:`strategies_from`."""
    from memviz.strategies import COMPARED_AT_FIRST, strategy

    for_all = [pair(text, "--set") for text in settings]
    known = {name for id, _ in COMPARED_AT_FIRST for name in parameters_of(id)}
    made = []
    for id, values in COMPARED_AT_FIRST:
        said = {
            name: value_of(parameters_of(id).get(name), text)
            for name, text in fitting(id, for_all, known)
        }
        made.append(strategy(id, **{**values, **said}))
    return made


def split(text: str) -> tuple[str, list[Setting]]:
    """The name and what is said of its parameters; a part without ``=`` goes on with the value before it."""
    id, colon, own = text.partition(":")
    parts: list[str] = []
    for part in own.split(",") if colon else []:
        if "=" in part or not parts:
            parts.append(part)
        else:
            parts[-1] += f",{part}"
    return id, [pair(part, "--strategy") for part in parts]


def pair(text: str, option: str) -> Setting:
    """``PARAMETER=VALUE`` as two texts."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise BadParameter(
            f"{text!r} is not of the form PARAMETER=VALUE.", param_hint=option
        )
    return name.strip(), value


def parameters_of(id: str) -> dict[str, Parameter]:
    """What a strategy declares, by name. Raises :class:`memviz.UnknownStrategyError`."""
    from memviz.core.errors import UnknownStrategyError
    from memviz.strategies import strategies

    if id not in strategies():
        raise UnknownStrategyError(id, strategies())
    return {parameter.name: parameter for parameter in strategies()[id].parameters()}


def fitting(id: str, settings: Iterable[Setting], known: set[str]) -> list[Setting]:
    """The settings for this strategy. What no strategy knows is for it too: it says what it would know."""
    return [
        pair
        for pair in settings
        if pair[0] in parameters_of(id) or pair[0] not in known
    ]


def _made(id: str, for_all: list[Setting], own: list[Setting]) -> Strategy:
    from memviz.strategies import strategy

    parameters = parameters_of(id)
    values = {
        name: value_of(parameters.get(name), text) for name, text in (*for_all, *own)
    }
    return strategy(id, **values)


def value_of(parameter: Parameter | None, text: str) -> Any:
    """The text as what the parameter takes, or as it is: then the strategy says what is wrong with it."""
    if parameter is None:
        return text
    if parameter.kind is bool:
        return _SWITCH.get(text.strip().lower(), text)
    if parameter.is_number:
        try:
            return int(text)
        except ValueError:
            return text
    return None if parameter.optional and not text else text
