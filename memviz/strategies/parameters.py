"""Parameters of strategies, declared once as pydantic fields and read from there by everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import Field
from pydantic.fields import FieldInfo

from memviz.core.bounds import LARGEST_NUMBER
from memviz.core.text.wording import counted
from memviz.core.translation import _, pgettext

if TYPE_CHECKING:
    from pydantic import BaseModel

NAME_CONTEXT = "parameter"
"""The names of parameters are translated for themselves."""
OWN_FIELDS = (
    "unit",
    "suggested",
    "live_only",
    "replay_only",
    "choices",
    "zero_is_off",
    "is_name",
)
"""The fields of a :class:`Parameter` that pydantic has no place of its own for."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter."""

    name: str
    kind: type
    """The type of its values: ``int``, ``bool`` or ``str``."""
    default: Any
    help: str
    """One line on what a larger value does."""
    unit: str = ""
    minimum: int | None = None
    maximum: int | None = None
    optional: bool = False
    """True if ``None`` is a value, too."""
    suggested: tuple[int, int] | None = None
    """The range that a control or a sweep starts with."""
    live_only: bool = False
    """True if it bounds what a model does by itself during a live turn: a replay, where
    replies come from the transcript, is the same whatever it is."""
    replay_only: bool = False
    """True if it asks for what can only be simulated: in a live turn it has its default."""
    choices: tuple[tuple[str, str], ...] = ()
    """The only values of a text that has a few, each with a line on what it means."""
    zero_is_off: bool = False
    """True if with 0 what the parameter is about does not happen."""
    is_name: bool = False
    """True for a text that is a name, and short enough to be shown."""

    @property
    def is_number(self) -> bool:
        """True if the parameter is a whole number."""
        return self.kind is int

    @property
    def words(self) -> str:
        """The name as a person reads it within a sentence, without a unit that its value says."""
        words = self.name.removesuffix("_percent").removesuffix(f"_{self.unit}")
        return pgettext(NAME_CONTEXT, words.removeprefix("enable_").replace("_", " "))

    @property
    def title(self) -> str:
        """The name as a person reads it."""
        title = self.name.replace("_", " ").capitalize()
        return pgettext(NAME_CONTEXT, title)

    def is_off(self, value: Any) -> bool:
        """True if this value switches off what the parameter is about."""
        return self.zero_is_off and value == 0

    def shown(self, value: Any) -> str:
        """A value in as few words as say what it is."""
        if self.is_off(value):
            return _("{parameter} off", parameter=self._whole_name)
        if self.unit == "%":
            return _("{parameter} {value}%", parameter=self.words, value=value)
        if self.is_number:
            return counted(value, self.unit.removesuffix("s"))
        if self.kind is bool:
            if value:
                return _("{parameter} on", parameter=self.words)
            return _("{parameter} off", parameter=self.words)
        if self.choices or self.is_name:
            return self._choice(value)
        return _("own {parameter}", parameter=self._whole_name)

    def _choice(self, value: Any) -> str:
        whose = self.whose(value)
        if whose:
            return _(
                "{parameter} {value} ({whose})",
                parameter=self._whole_name,
                value=value,
                whose=whose,
            )
        return _("{parameter} {value}", parameter=self._whole_name, value=value)

    @property
    def _whole_name(self) -> str:
        return pgettext(NAME_CONTEXT, self.name.replace("_", " "))

    def named(self, value: Any) -> str:
        """A value with the name of what it is also where that is a number: ``clear at least 500 tokens``."""
        if not self.is_number or self.unit == "%":
            return self.shown(value)
        return _("{parameter} {value}", parameter=self.words, value=self.shown(value))

    def whose(self, value: Any) -> str:
        """The owner of the rule that a choice is, such as ``LangChain``; empty where it is nobody's."""
        name, colon, _rest = dict(self.choices).get(value, "").partition(": ")
        return name if colon else ""

    def in_code(self, value: Any) -> str:
        """A value as it is typed into code: ``buffer_size=4``. A free text is not written out."""
        if self.choices or self.is_name:
            return f"{self.name}={value!r}"
        if self.is_number or self.kind is bool:
            return f"{self.name}={value}"
        return f"{self.name}=…"


def whole_number(
    default: int,
    unit: str,
    help: str,
    suggested: tuple[int, int],
    *,
    minimum: int = 1,
    maximum: int | None = None,
    live_only: bool = False,
    replay_only: bool = False,
    zero_is_off: bool = False,
) -> Any:
    """Declare a whole-number parameter. ``maximum`` only where the reference has one."""
    own_fields: dict[str, Any] = {
        "unit": unit,
        "suggested": suggested,
        "live_only": live_only,
        "replay_only": replay_only,
        "zero_is_off": zero_is_off,
    }
    return Field(
        default,
        ge=minimum,
        le=maximum or LARGEST_NUMBER,
        description=help,
        json_schema_extra=own_fields,
    )


def summary_length() -> Any:
    """Declare ``summary_words``: how long a summary that a model writes may be. 0 leaves the prompt without a length,
    as libraries do."""
    return whole_number(
        0,
        "words",
        "The prompt asks for a summary of at most so many words. Larger keeps more, and costs more with every request. "
        "0: the prompt names no length, and the model decides.",
        (60, 240),
        minimum=0,
        maximum=2000,
        zero_is_off=True,
    )


def switch(default: bool, help: str, *, live_only: bool = False) -> Any:
    """Declare an on/off parameter."""
    return Field(default, description=help, json_schema_extra={"live_only": live_only})


def free_text(help: str, *, is_name: bool = False) -> Any:
    """Declare an optional text parameter; ``None`` means the strategy's own text."""
    return Field(None, description=help, json_schema_extra={"is_name": is_name})


def embedding_share() -> Any:
    """Declare ``embedding_percent``: how much nearness in meaning counts where something is looked up."""
    return whole_number(
        0,
        "%",
        "Share of nearness in meaning in a score, by an embedding; the rest is words. Larger finds more that was said "
        "in other words, and less of what is named. The small embedding is computed on this machine and needs: pip "
        "install 'memviz[embeddings]'. 0: words alone.",
        (10, 100),
        minimum=0,
        maximum=100,
    )


def embedding_name() -> Any:
    """Declare ``embedding_model``: whose vectors are compared. ``None`` is the small embedding of this machine."""
    return free_text(
        "Embedding model whose vectors are compared, as litellm names it, such as openai/text-embedding-3-small. It is "
        "asked once for each text, when you say so, and may cost money. Empty: the small embedding of this machine.",
        is_name=True,
    )


def names_in(text: str | None) -> tuple[str, ...]:
    """Return the names that a text parameter holds, divided by commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def choice(default: str, meanings: Mapping[str, str], help: str) -> Any:
    """Declare a parameter with a few values, whose annotation is their ``Literal``; ``meanings`` says of each in a line
    what it does, behind ``NAME: `` where it is the rule of somebody, whose name is then shown with it."""
    choices: Any = tuple(meanings.items())
    return Field(default, description=help, json_schema_extra={"choices": choices})


@cache
def parameters_of(model: type[BaseModel]) -> tuple[Parameter, ...]:
    """All parameters that a strategy class declares, in order."""
    return tuple(_parameter(name, field) for name, field in model.model_fields.items())


def _parameter(name: str, field: FieldInfo) -> Parameter:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    own_fields: Any = {name: extra[name] for name in OWN_FIELDS if name in extra}
    return Parameter(
        name=name,
        kind=_kind(field.annotation),
        default=field.default,
        help=field.description or "",
        minimum=_minimum(field),
        maximum=_maximum(field),
        optional=type(None) in get_args(field.annotation),
        **own_fields,
    )


def _kind(annotation: Any) -> type:
    """The type of the values: of a choice between texts ``str``, of an optional one the type besides ``None``."""
    if get_origin(annotation) is Literal:
        return str
    kinds: list[type] = [
        kind for kind in get_args(annotation) if kind is not type(None)
    ]
    return kinds[0] if kinds else annotation


def _minimum(field: FieldInfo) -> int | None:
    bounds = (int(rule.ge) for rule in field.metadata if isinstance(rule, Ge))  # type: ignore[call-overload]
    return next(bounds, None)


def _maximum(field: FieldInfo) -> int | None:
    """The largest value; ``None`` where that is only what no number from outside may be above."""
    bounds = (int(rule.le) for rule in field.metadata if isinstance(rule, Le))  # type: ignore[call-overload]
    return next((bound for bound in bounds if bound < LARGEST_NUMBER), None)


def range_in_words(parameter: Parameter, *, is_too_large: bool = False) -> str:
    """The values that a parameter may have, for an error message; with an upper end if the value was above it."""
    if parameter.kind is bool:
        return "true or false"
    if parameter.choices:
        return "one of " + ", ".join(value for value, _ in parameter.choices)
    if not parameter.is_number:
        return "text, or nothing for the default" if parameter.optional else "text"
    if parameter.unit == "%":
        return (
            f"a whole number of percent from {parameter.minimum} to {parameter.maximum}"
        )
    if parameter.maximum is None and not is_too_large:
        return f"a whole number of {parameter.unit}, {parameter.minimum} or more"
    return f"a whole number of {parameter.unit} from {parameter.minimum} to {parameter.maximum or LARGEST_NUMBER:,}"
