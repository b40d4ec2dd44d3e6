"""Write a program for a setting, put together from the templates of a library."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memviz.code_export.base import (
    NoCodeError,
    Setting,
    write_comment,
    write_imports,
    write_value,
)
from memviz.code_export.template_files import (
    Definition,
    has_template,
    join_templates,
    read_template,
)

ANY_RULE = "any_rule"
"""Stands for the id of a strategy where a program is that for any rule."""
RULES = "rules"
"""The template with the rules of strategies."""


def find_template(setting: Setting, library: str) -> str | None:
    """Return the template of a library's program for a setting: one of the strategy's own, or that of the library, if
    it has something for the strategy or the strategy's rule is known as code."""
    id = setting.strategy.id
    if not (setting.is_built_in and has_template(library)):
        return None
    if has_template(f"{library}_{id}"):
        return f"{library}_{id}"
    if _has_own(id, library) or _has_own(id, RULES):
        return library
    return None


def write_from_templates(
    setting: Setting,
    library: str,
    place: str,
    *,
    packages: str = "",
    spelled: Callable[[str], str] = str,
    summarizer_model: str = "",
    variants: Sequence[str] = (),
    instead: Mapping[str, str] | None = None,
    more: Mapping[str, Any] | None = None,
) -> str:
    """Return the file for ``place``.

    Args:
        setting: What to export.
        library: The name of the template with the library's programs.
        place: The library as the comment on top names it.
        packages: What pip has to install.
        spelled: Gives a model's name as the library takes it.
        summarizer_model: The summarizer's name, if it is spelled otherwise.
        variants: Further endings ``_for_<variant>`` of names that the library takes.
        instead: Templates that take the place of others.
        more: Values of constants besides those that all settings have.

    Raises:
        NoCodeError: The library has no template for the strategy.
    """
    name = find_template(setting, library)
    if name is None:
        raise NoCodeError(setting, place)
    id = setting.strategy.id
    values = {
        "MODEL": spelled(setting.chat_model),
        "SUMMARIZER_MODEL": summarizer_model or spelled(setting.summary_model),
        **list_values_of_setting(setting),
        **(more or {}),
    }
    # Differences of the program for any rule are none of a strategy that has a program of its own.
    whose = {id} if _has_own(id, name) else {id, ANY_RULE}
    endings: list[str] = []
    for variant in (id, setting.counter, *variants):
        endings += _list_endings(variant)
    return write_program(
        setting, place, name, values, instead, endings, whose, packages
    )


def list_values_of_setting(setting: Setting) -> dict[str, Any]:
    """Return the values of a setting, by the names of constants in the templates."""
    strategy = setting.strategy
    values: dict[str, Any] = {}
    for parameter in strategy.parameters():
        values[parameter.name.upper()] = getattr(strategy, parameter.name)
    values["SYSTEM_PROMPT"] = setting.system_prompt or None
    values["INSTRUCTION"] = strategy.instruction
    values["HEADING"] = strategy.summary_heading
    values["COUNTER"] = setting.counter
    values["REPAIR_TOOL_PAIRS"] = setting.repair_tool_pairs
    return values


def write_program(
    setting: Setting,
    place: str,
    template: str,
    values: Mapping[str, Any],
    instead: Mapping[str, str] | None = None,
    endings: Sequence[str] = (),
    whose: set[str] | None = None,
    packages: str = "",
) -> str:
    """Return the text of the file: the comment on top, imports, values to edit, and the code."""
    templates = join_templates(template, frozenset((instead or {}).items()))
    definitions = templates.choose(endings)
    # Templates import more than the chosen definitions need.
    used_names = set[str]()
    for definition in definitions.values():
        used_names |= definition.mentioned
    imports = [
        source for name, source in templates.imports.items() if name in used_names
    ]
    values_to_edit = _list_values(definitions, values)
    needed = [packages] if packages else []
    # Only programs that count tokens as OpenAI does name an encoding, and tiktoken counts in it.
    if any(line.startswith("ENCODING =") for line in values_to_edit):
        needed.append("tiktoken")
    differences = []
    for ids, sentence in templates.differences:
        if whose and not whose.isdisjoint(ids.split()):
            differences.append(sentence)
    if setting.strategy.writes_notes:
        differences.append(setting.summarizer_difference)
    parts = [
        _write_header(setting, place, needed, differences),
        write_imports(imports),
        "\n".join(values_to_edit),
    ]
    top = "\n\n".join(part for part in parts if part)
    return top + "\n\n\n" + _write_code(definitions, values) + "\n"


def _list_values(
    definitions: Mapping[str, Definition], values: Mapping[str, Any]
) -> list[str]:
    """Return the constants: first those of the setting in its order, then all others."""
    constants = {}
    for name, definition in definitions.items():
        if definition.is_constant:
            constants[name] = _write_definition(name, definition, values)
    of_setting = [constants.pop(name) for name in values if name in constants]
    return [*of_setting, *constants.values()]


def _write_code(
    definitions: Mapping[str, Definition], values: Mapping[str, Any]
) -> str:
    """Return all definitions but the constants, two blank lines apart. Assignments in a
    row stay under each other.
    """
    code = ""
    after_assignment = False
    for name, definition in definitions.items():
        if definition.is_constant:
            continue
        # ruff and black would put two blank lines around a definition and none between assignments.
        gap = "\n" if after_assignment and definition.is_assigned else "\n\n\n"
        code += gap + _write_definition(name, definition, values)
        after_assignment = definition.is_assigned
    return code.strip("\n")


def _has_own(id: str, template: str) -> bool:
    """Return whether a template has a program for this strategy itself, and not only one for any rule."""
    if template.endswith(f"_{id}"):
        return True
    endings = _list_endings(id)
    return any(name.endswith(endings) for name in read_template(template).definitions)


def _list_endings(variant: str) -> tuple[str, str]:
    """Return how the names of functions and of classes end that are for one strategy, counter or library."""
    return f"_for_{variant}", "For" + variant.title().replace("_", "")


def _write_definition(
    name: str, definition: Definition, values: Mapping[str, Any]
) -> str:
    """Return the source of a definition under its name in the program, with the setting's value if it has one:
    ``WINDOW_SIZE = 6  # messages``, with the comment of the template."""
    if name not in values or not definition.is_assigned:
        return re.sub(rf"\b{definition.name}\b", name, definition.source, count=1)
    remark = re.search(r"  # .*$", definition.source)
    behind = remark.group() if remark else ""
    return f"{name} = {write_value(values[name])}{behind}"


def _write_header(
    setting: Setting, place: str, packages: Sequence[str], differences: Sequence[str]
) -> str:
    """Return the comment on top: what this is, where it was found, and what differs from the simulation."""
    lines = [write_comment(f"{setting.strategy.label}, for {place}.")]
    if setting.found:
        lines.append(write_comment(f"Found with memviz: {setting.found}"))
    if packages:
        lines.append(f"# Needs: pip install {' '.join(packages)}")
    lines.append("#")
    if differences:
        lines.append("# Where it differs from what memviz simulated:")
        lines += [
            write_comment(difference, "# - ", "#   ") for difference in differences
        ]
    else:
        lines.append("# It sends what memviz simulated.")
    return "\n".join(lines)
