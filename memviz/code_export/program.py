"""The writing of an exported program, put together from the templates of a library.

:func:`write_from_templates` finds the template for a strategy, replaces the constants in it by the values of the
setting (``WINDOW_SIZE = 6``), and adds the comment on top. The writers in ``memviz/code_export/__init__.py`` call it;
``template_files`` reads the templates.
"""

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
"""Used instead of the id of a strategy for a program that runs the rule of any strategy."""
RULES = "rules"
"""The template with the rules of strategies."""


def find_template(setting: Setting, library: str) -> str | None:
    """Return the name of the template for a setting, ``None`` where the library has none.

    It is a template for this strategy alone (``llamaindex_fifo_facts``), else the general one of the library, if that
    has a function for the strategy or if the strategy's rule is among the rules in ``rules.py``.
    """
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
        spelled: Translates the name of a model to the library's spelling.
        summarizer_model: The name of the summarizer, if ``spelled`` does not give it.
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
    # The differences of the general program do not apply to a strategy that has a program of its own.
    whose = {id} if _has_own(id, name) else {id, ANY_RULE}
    endings: list[str] = []
    for variant in (id, setting.counter, *variants):
        endings += _list_endings(variant)
    return write_program(
        setting, place, name, values, instead, endings, whose, packages
    )


def list_values_of_setting(setting: Setting) -> dict[str, Any]:
    """Return the values of a setting by the names of the constants in the templates, such as ``WINDOW_SIZE``."""
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
    """Return the text of the file: the comment on top, imports, constants for the user to edit, and the code."""
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
    """Return the lines of the constants: first those with a value of the setting, in its order, then the others."""
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
    """Return the endings of names for one strategy, counter or library: ``_for_window`` and ``ForWindow``."""
    return f"_for_{variant}", "For" + variant.title().replace("_", "")


def _write_definition(
    name: str, definition: Definition, values: Mapping[str, Any]
) -> str:
    """Return the source of a definition under its ``name`` in the program.

    A constant gets the value of the setting, and keeps the comment of the template: ``WINDOW_SIZE = 6  # messages``.
    """
    if name not in values or not definition.is_assigned:
        return re.sub(rf"\b{definition.name}\b", name, definition.source, count=1)
    comment_match = re.search(r"  # .*$", definition.source)
    remark = comment_match.group() if comment_match else ""
    return f"{name} = {write_value(values[name])}{remark}"


def _write_header(
    setting: Setting, place: str, packages: Sequence[str], differences: Sequence[str]
) -> str:
    """Return the comment on top: the setting, where it was found, packages, and differences from the simulation."""
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
