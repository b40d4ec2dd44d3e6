"""Parameters of strategies, declared once as pydantic fields and read from there by everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from annotated_types import Ge, Le
from pydantic import Field
from pydantic.fields import FieldInfo

from memviz.bounds import LARGEST_NUMBER
from memviz.text.wording import counted

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter. ``suggested`` is the range that a control or a sweep starts with.

    ``live_only`` parameters bound what a model does by itself during a live turn; a replay, where
    replies come from the transcript, is the same whatever they are.
    """

    name: str
    kind: type
    default: Any
    help: str
    unit: str
    minimum: int | None = None
    maximum: int | None = None
    optional: bool = False
    suggested: tuple[int, int] | None = None
    live_only: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the parameter is a whole number."""
        return self.kind is int

    @property
    def title(self) -> str:
        """The name as a person reads it."""
        return self.name.replace("_", " ").capitalize()

    def shown(self, value: Any) -> str:
        """A value in as few words as say what it is."""
        if self.is_number:
            return counted(value, self.unit.removesuffix("s"))
        if self.kind is bool:
            return self.name.replace("_", " ").removeprefix("enable ") + (" on" if value else " off")
        return f"own {self.name.replace('_', ' ')}"

    def in_code(self, value: Any) -> str:
        """A value as it is typed into code: ``buffer_size=4``. A text is not written out."""
        return f"{self.name}={value if self.is_number or self.kind is bool else '…'}"


def whole_number(
    default: int,
    unit: str,
    help: str,
    suggested: tuple[int, int],
    *,
    minimum: int = 1,
    maximum: int | None = None,
    live_only: bool = False,
) -> Any:
    """Declare a whole-number parameter. ``maximum`` only where the reference has one."""
    extra: dict[str, Any] = {"unit": unit, "suggested": list(suggested), "live_only": live_only}
    return Field(default, ge=minimum, le=maximum or LARGEST_NUMBER, description=help, json_schema_extra=extra)


def switch(default: bool, help: str, *, live_only: bool = False) -> Any:
    """Declare an on/off parameter."""
    return Field(default, description=help, json_schema_extra={"live_only": live_only})


def free_text(help: str) -> Any:
    """Declare an optional text parameter; ``None`` means the strategy's own text."""
    return Field(None, description=help)


def parameters_of(model: type[BaseModel]) -> tuple[Parameter, ...]:
    """All parameters that a strategy class declares, in order."""
    return tuple(_parameter(name, field) for name, field in model.model_fields.items())


def _parameter(name: str, field: FieldInfo) -> Parameter:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    kinds = [kind for kind in get_args(field.annotation) if kind is not type(None)] or [field.annotation]
    suggested: Any = extra.get("suggested")
    return Parameter(
        name=name,
        kind=kinds[0],
        default=field.default,
        help=field.description or "",
        unit=str(extra.get("unit", "")),
        minimum=next((int(rule.ge) for rule in field.metadata if isinstance(rule, Ge)), None),  # type: ignore[call-overload]
        maximum=_maximum(field),
        optional=type(None) in get_args(field.annotation),
        suggested=(suggested[0], suggested[1]) if suggested else None,
        live_only=bool(extra.get("live_only")),
    )


def _maximum(field: FieldInfo) -> int | None:
    """The largest value; ``None`` where that is only what no number from outside may be above."""
    bounds = (int(rule.le) for rule in field.metadata if isinstance(rule, Le))  # type: ignore[call-overload]
    return next((bound for bound in bounds if bound < LARGEST_NUMBER), None)


def range_in_words(parameter: Parameter, *, is_too_large: bool = False) -> str:
    """What a parameter may be, for an error message; with an upper end if the value was above it."""
    if parameter.kind is bool:
        return "true or false"
    if not parameter.is_number:
        return "text, or nothing for the default" if parameter.optional else "text"
    if parameter.maximum is None and not is_too_large:
        return f"a whole number of {parameter.unit}, {parameter.minimum} or more"
    return f"a whole number of {parameter.unit} from {parameter.minimum} to {parameter.maximum or LARGEST_NUMBER:,}"
