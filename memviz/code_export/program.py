"""Write a program for a setting, put together from the templates of a library.

Templates are read as text and never imported: they need libraries that memviz does not.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from memviz.code_export.base import NoCodeError, Setting, comment, import_lines, value

ANY_RULE = "any_rule"
"""Stands for the id of a strategy where a program is that for any rule."""
RULES = "rules"
"""The template with the rules of strategies."""
PACKAGE = "memviz.code_export.templates."
TEMPLATES = files("memviz.code_export") / "templates"
DIFFERENCES = "DIFFERENCES"
MAIN = "__main__"
"""Name of the last lines of a program, which run it."""


@dataclass(frozen=True)
class Definition:
    """One definition at the top level of a template."""

    name: str
    source: str
    """The lines as they stand in the file, with the comments behind them."""
    node: ast.stmt
    """The lines, parsed."""

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """All names that are used in it."""
        nodes = ast.walk(self.node)
        return frozenset(node.id for node in nodes if isinstance(node, ast.Name))

    @property
    def is_constant(self) -> bool:
        """Return whether this is a value to edit, which stands on top of a program."""
        return isinstance(self.node, ast.Assign) and self.name.isupper()


@dataclass
class Template:
    """The imports and definitions of one template file, or of several together, in their order."""

    templates: list[str] = field(default_factory=list)
    """Other templates that are imported."""
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Imports from elsewhere, by name: the module, and the name there."""
    definitions: dict[str, Definition] = field(default_factory=dict)
    differences: list[tuple[str, str]] = field(default_factory=list)
    """Ids of strategies, divided by spaces, and how their programs differ from what memviz simulated."""

    def choose(self, endings: Sequence[str]) -> dict[str, Definition]:
        """Return what the last lines of a program lead to, by the names that it has there, in the order of the files.

        Where a name with one of the ``endings`` is defined, that definition takes the place of the one without.
        """
        name_of: dict[Definition, str] = {}
        waiting = [MAIN]
        while waiting:
            name = waiting.pop()
            definition = self._find_definition(name, endings)
            if definition is not None and definition not in name_of:
                name_of[definition] = name
                waiting += definition.mentioned
        chosen = {}
        for definition in self.definitions.values():
            if definition in name_of:
                chosen[name_of[definition]] = definition
        return chosen

    def _find_definition(self, name: str, endings: Sequence[str]) -> Definition | None:
        for ending in (*endings, ""):
            if name + ending in self.definitions:
                return self.definitions[name + ending]
        return None


def has_template(name: str) -> bool:
    """Return whether there is a template of this name."""
    return (TEMPLATES / f"{name}.py").is_file()


@cache
def read(name: str) -> Template:
    """Return one template file.

    Raises ValueError where two statements define one name, such as two ``if`` beside all functions.
    """
    source = (TEMPLATES / f"{name}.py").read_text(encoding="utf-8")
    lines = source.splitlines()
    template = Template()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound_name, _, _ = alias.name.partition(".")
                template.imports[bound_name] = ("", alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.startswith(PACKAGE):
                template.templates.append(module.removeprefix(PACKAGE))
                continue
            for alias in node.names:
                template.imports[alias.name] = (module, alias.name)
        # The only expression is the docstring.
        elif not isinstance(node, ast.Expr):
            defined_name = _name_of(node)
            if defined_name in template.definitions:
                raise ValueError(
                    f"{name}.py, line {node.lineno}: {defined_name} is defined a second time"
                )
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            template.definitions[defined_name] = Definition(defined_name, text, node)
    differences = template.definitions.pop(DIFFERENCES, None)
    if differences is not None and isinstance(differences.node, ast.Assign):
        template.differences = ast.literal_eval(differences.node.value)
    return template


@cache
def join_templates(name: str, instead: frozenset[tuple[str, str]]) -> Template:
    """Return a template with all that it imports. In each pair of ``instead`` the second template takes the place of
    the first."""
    joined = Template()
    replaced = dict(instead)

    def add(name: str) -> None:
        name = replaced.get(name, name)
        if name in joined.templates:
            return
        joined.templates.append(name)
        file = read(name)
        joined.differences += file.differences
        for imported in file.templates:
            add(imported)
        joined.imports |= file.imports
        for defined_name, definition in file.definitions.items():
            whole = _with_inherited(definition, joined.definitions)
            joined.definitions[defined_name] = whole

    add(name)
    return joined


def _with_inherited(
    definition: Definition, definitions: Mapping[str, Definition]
) -> Definition:
    """Return a class that is derived from one of another template as one class that is derived from none."""
    node = definition.node
    if not (isinstance(node, ast.ClassDef) and node.bases):
        return definition
    base = definitions.get(ast.unparse(node.bases[0]))
    if base is None:
        return definition
    own = _parts(definition)
    parts: dict[str, str] = {}
    for name, source in _parts(base).items():
        if name not in own:
            parts[name] = source
        # What stands before it in the derived class goes with it.
        while name in own:
            first = next(iter(own))
            parts[first] = own.pop(first)
    parts |= own
    body = "\n\n".join(parts.values())
    source = f"class {definition.name}:\n{body}"
    return Definition(definition.name, source, ast.parse(source).body[0])


def _parts(definition: Definition) -> dict[str, str]:
    """The lines of a class's docstring and methods, by the names of the methods."""
    assert isinstance(definition.node, ast.ClassDef)  # noqa: S101
    lines = definition.source.splitlines()
    # Numbers of lines count from the beginning of the file.
    first_line = definition.node.lineno
    parts = {}
    for part in definition.node.body:
        last_line = part.end_lineno or part.lineno
        source = lines[part.lineno - first_line : last_line - first_line + 1]
        parts[getattr(part, "name", "")] = "\n".join(source)
    return parts


def _name_of(node: ast.stmt) -> str:
    """The name that a statement defines; that of the last lines, which run the program, is ``MAIN``."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return MAIN


def template_of(setting: Setting, library: str) -> str | None:
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
    name = template_of(setting, library)
    if name is None:
        raise NoCodeError(setting, place)
    id = setting.strategy.id
    values = {
        "MODEL": spelled(setting.chat_model),
        "SUMMARIZER_MODEL": summarizer_model or spelled(setting.summary_model),
        **values_of(setting),
        **(more or {}),
    }
    whose = {id} if _has_own(id, name) else {id, ANY_RULE}
    endings: list[str] = []
    for variant in (id, setting.counter, *variants):
        endings += _endings(variant)
    return write_program(
        setting, place, name, values, instead, endings, whose, packages
    )


def values_of(setting: Setting) -> dict[str, Any]:
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
    joined = join_templates(template, frozenset((instead or {}).items()))
    chosen = joined.choose(endings)
    used_names = set[str]()
    for definition in chosen.values():
        used_names |= definition.mentioned
    imports = [source for name, source in joined.imports.items() if name in used_names]
    values_to_edit = _values_to_edit(chosen, values)
    needed = [packages] if packages else []
    if any(line.startswith("ENCODING =") for line in values_to_edit):
        needed.append("tiktoken")
    differences = []
    for ids, sentence in joined.differences:
        if whose and not whose.isdisjoint(ids.split()):
            differences.append(sentence)
    if setting.strategy.writes_notes:
        differences.append(setting.summarizer_difference)
    parts = [
        _header(setting, place, needed, differences),
        import_lines(imports),
        "\n".join(values_to_edit),
    ]
    top = "\n\n".join(part for part in parts if part)
    return top + "\n\n\n" + _code(chosen, values) + "\n"


def _values_to_edit(
    chosen: Mapping[str, Definition], values: Mapping[str, Any]
) -> list[str]:
    """Return the constants: first those of the setting in its order, then all others."""
    constants = {}
    for name, definition in chosen.items():
        if definition.is_constant:
            constants[name] = _with_value(name, definition, values)
    of_setting = [constants.pop(name) for name in values if name in constants]
    return [*of_setting, *constants.values()]


def _code(chosen: Mapping[str, Definition], values: Mapping[str, Any]) -> str:
    """Return all definitions but the constants, two blank lines apart. Assignments in a
    row stay under each other.
    """
    code = ""
    after_assignment = False
    for name, definition in chosen.items():
        if definition.is_constant:
            continue
        is_assignment = _is_assigned(definition)
        gap = "\n" if after_assignment and is_assignment else "\n\n\n"
        code += gap + _with_value(name, definition, values)
        after_assignment = is_assignment
    return code.strip("\n")


def _has_own(id: str, template: str) -> bool:
    """Return whether a template has a program for this strategy itself, and not only one for any rule."""
    if template.endswith(f"_{id}"):
        return True
    endings = _endings(id)
    return any(name.endswith(endings) for name in read(template).definitions)


def _endings(variant: str) -> tuple[str, str]:
    """Return how the names of functions and of classes end that are for one strategy, counter or library."""
    return f"_for_{variant}", "For" + variant.title().replace("_", "")


def _is_assigned(definition: Definition) -> bool:
    return re.match(r"\w+ = ", definition.source) is not None


def _with_value(name: str, definition: Definition, values: Mapping[str, Any]) -> str:
    """The source of a definition under its name in the program, with the setting's value if it has one. A comment
    behind the value stays."""
    if name not in values or not _is_assigned(definition):
        return re.sub(rf"\b{definition.name}\b", name, definition.source, count=1)
    remark = re.search(r"  # .*$", definition.source)
    behind = remark.group() if remark else ""
    return f"{name} = {value(values[name])}{behind}"


def _header(
    setting: Setting, place: str, packages: Sequence[str], differences: Sequence[str]
) -> str:
    """The comment on top: what this is, where it was found, and what differs from the simulation."""
    lines = [comment(f"{setting.strategy.label}, for {place}.")]
    if setting.found:
        lines.append(comment(f"Found with memviz: {setting.found}"))
    if packages:
        lines.append(f"# Needs: pip install {' '.join(packages)}")
    lines.append("#")
    if differences:
        lines.append("# Where it differs from what memviz simulated:")
        lines += [comment(difference, "# - ", "#   ") for difference in differences]
    else:
        lines.append("# It sends what memviz simulated.")
    return "\n".join(lines)
