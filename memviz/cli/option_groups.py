"""Options that belong together, declared as the fields of a dataclass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any


def take_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return ``command`` as typer takes it: with the options of each group in place of the group.

    A parameter is a group where its type is a dataclass, whose fields are annotated as options are. Here typer sees the
    three options ``--keep``, ``--worst`` and ``--db``::

        @dataclass(frozen=True)
        class Goal:
            keep: Annotated[float, Option("--keep")] = 0.9
            worst: Annotated[bool, Option("--worst")] = False

        @take_groups
        def sweep_settings(*, goal: Goal, db: Database = None) -> None: ...
    """
    groups: dict[str, type] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command, eval_str=True).parameters.items():
        # The annotations are types here, and not texts: eval_str reads them.
        group: type = parameter.annotation
        if is_dataclass(group):
            groups[name] = group
            for option in signature(group, eval_str=True).parameters.values():
                parameters.append(option.replace(kind=Parameter.KEYWORD_ONLY))
        else:
            parameters.append(parameter)

    @wraps(command)
    def take_options(**values: Any) -> None:
        # typer gives each option by its name; the command gets them back as the groups it declares.
        for name, group in groups.items():
            own_values = {}
            for field in fields(group):
                own_values[field.name] = values.pop(field.name)
            values[name] = group(**own_values)
        command(**values)

    # typer asks for the signature, which wraps would have taken from the command itself.
    vars(take_options)["__signature__"] = Signature(parameters)
    return take_options
