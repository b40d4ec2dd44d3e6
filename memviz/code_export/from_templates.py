"""Write a file for a setting from the templates of a library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memviz.code_export.base import Setting
from memviz.code_export.model_names import summarizer_difference
from memviz.code_export.no_code import NoCodeError
from memviz.code_export.program import Program, program
from memviz.code_export.python_text import header, joined
from memviz.code_export.template_reader import has_template, is_program

ANY_RULE = "any_rule"


def template_of(setting: Setting, folder: str) -> str | None:
    """The template for a setting: the strategy's own, else the one for any strategy whose rule is known as code, where
    the library can be given one."""
    id = setting.strategy.id
    if not setting.is_built_in:
        return None
    if is_program(f"{folder}.{id}"):
        return f"{folder}.{id}"
    any_rule = f"{folder}.{ANY_RULE}"
    return any_rule if has_template(f"rules.{id}") and has_template(any_rule) else None


def write_from_templates(
    setting: Setting,
    folder: str,
    place: str,
    *,
    packages: str = "",
    spelled: Callable[[str], str] = str,
    summarizer_model: str = "",
    instead: Mapping[str, str] | None = None,
    more: Mapping[str, Any] | None = None,
) -> str:
    """The file for ``place``, a library whose templates are in ``folder``.

    ``packages`` are what pip has to install, ``spelled`` gives a model's name as the library takes it,
    ``summarizer_model`` that of the summarizer if it is spelled otherwise, ``instead`` names templates of the library
    that take the place of common ones, and ``more`` are values of constants besides those that all settings have.
    Raises :class:`NoCodeError` where the library has no template for the strategy.
    """
    name = template_of(setting, folder)
    if name is None:
        raise NoCodeError(setting, place)
    values = {
        "MODEL": spelled(setting.chat_model),
        "SUMMARIZER_MODEL": summarizer_model or spelled(setting.summary_model),
        **values_of(setting),
        **(more or {}),
    }
    return whole_file(
        setting,
        place,
        program(name, values, _serving(setting) | dict(instead or {})),
        packages,
    )


def values_of(setting: Setting) -> dict[str, Any]:
    """The values of a setting, by the names of constants in the templates."""
    strategy = setting.strategy
    return {
        **{
            parameter.name.upper(): getattr(strategy, parameter.name)
            for parameter in strategy.parameters()
        },
        "SYSTEM_PROMPT": setting.system_prompt or None,
        "INSTRUCTION": strategy.instruction,
        "HEADING": strategy.summary_heading,
        "COUNTER": setting.counter,
        "REPAIR_TOOL_PAIRS": setting.repair_tool_pairs,
    }


def whole_file(
    setting: Setting, place: str, written: Program, packages: str = ""
) -> str:
    """The text of the file: the comment on top, imports, values to edit, and the code."""
    needs = " ".join(
        part for part in (packages, "tiktoken" * written.counts_with_tiktoken) if part
    )
    differences = list(written.differences)
    if setting.strategy.writes_notes:
        differences.append(summarizer_difference(setting))
    top = header(setting, place, f"pip install {needs}" if needs else "", differences)
    return joined(top, written.imports, written.constants.values(), written.code)


def _serving(setting: Setting) -> dict[str, str]:
    """The templates that take the place of ``rule`` and ``counter``."""
    counter = f"counters.{setting.counter}"
    return {
        "rule": f"rules.{setting.strategy.id}",
        "counter": counter if has_template(counter) else "counters.encoding",
    }
