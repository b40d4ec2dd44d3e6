"""Read the templates of exported programs: files of Python, with what they import from each other.

They are read as text and never imported: they need libraries that memviz does not.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files

PACKAGE = "memviz.code_export.templates."
FOLDER = files("memviz.code_export") / "templates"
DIFFERENCES = "DIFFERENCES"
MAIN = "__main__"
"""The name of the last lines of a program, which run it."""


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
    def is_assigned(self) -> bool:
        """Return whether this is a value under a name: ``MODEL = "gpt-5-mini"``."""
        return isinstance(self.node, ast.Assign)

    @property
    def is_constant(self) -> bool:
        """Return whether this is a value to edit, which stands on top of a program."""
        return self.is_assigned and self.name.isupper()


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

        Where a name with one of the ``endings`` is defined, that definition takes the place of the one without:
        ``build_agent_for_summary`` of ``build_agent``, where the ending is ``_for_summary``.
        """
        name_of = {}
        # From the last lines of the program on, whatever a definition mentions is needed as well.
        waiting = [MAIN]
        while waiting:
            name = waiting.pop()
            definition = self._definition_of(name, endings)
            if definition is not None and definition not in name_of:
                name_of[definition] = name
                waiting += definition.mentioned
        # In the order of the files, in which each definition stands behind what it needs when it is run.
        in_order = [item for item in self.definitions.values() if item in name_of]
        return {name_of[definition]: definition for definition in in_order}

    def _definition_of(self, name: str, endings: Sequence[str]) -> Definition | None:
        """Return what ``name`` stands for: the definition with the first of the ``endings`` that there is one for."""
        for ending in (*endings, ""):
            definition = self.definitions.get(name + ending)
            if definition is not None:
                return definition
        return None


def has_template(name: str) -> bool:
    """Return whether there is a template of this name."""
    return (FOLDER / f"{name}.py").is_file()


@cache
def read_template(name: str) -> Template:
    """Return one template file.

    Raises ValueError where two statements define one name, such as two ``if`` beside all functions.
    """
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
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
            defined_name = _find_name(node)
            if defined_name in template.definitions:
                raise ValueError(
                    f"{name}.py, line {node.lineno}: {defined_name} is defined a second time"
                )
            text = _cut_lines(node, lines)
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
        # Two templates may import the same one.
        if name in joined.templates:
            return
        joined.templates.append(name)
        file = read_template(name)
        joined.differences += file.differences
        for imported in file.templates:
            add(imported)
        joined.imports |= file.imports
        for defined_name, definition in file.definitions.items():
            whole = _add_inherited(definition, joined.definitions)
            joined.definitions[defined_name] = whole

    add(name)
    return joined


def _add_inherited(
    definition: Definition, definitions: Mapping[str, Definition]
) -> Definition:
    """Return a class that is derived from one of another template as one class that is derived from none."""
    node = definition.node
    if not (isinstance(node, ast.ClassDef) and node.bases):
        return definition
    base = definitions.get(ast.unparse(node.bases[0]))
    if base is None:
        return definition
    own_parts = _split_parts(definition)
    parts: dict[str, str] = {}
    for name, source in _split_parts(base).items():
        if name not in own_parts:
            parts[name] = source
        # What stands before it in the derived class goes with it.
        while name in own_parts:
            first = next(iter(own_parts))
            parts[first] = own_parts.pop(first)
    parts |= own_parts
    body = "\n\n".join(parts.values())
    source = f"class {definition.name}:\n{body}"
    return Definition(definition.name, source, ast.parse(source).body[0])


def _split_parts(definition: Definition) -> dict[str, str]:
    """Return the lines of a class's docstring and methods, by the names of the methods: the docstring's is empty."""
    assert isinstance(definition.node, ast.ClassDef)  # noqa: S101
    # Numbers of lines count from the beginning of the file.
    before = [""] * (definition.node.lineno - 1)
    lines = [*before, *definition.source.splitlines()]
    body = definition.node.body
    return {getattr(part, "name", ""): _cut_lines(part, lines) for part in body}


def _cut_lines(node: ast.stmt, lines: Sequence[str]) -> str:
    """Return the source of a statement among the lines of its file."""
    return "\n".join(lines[node.lineno - 1 : node.end_lineno])


def _find_name(node: ast.stmt) -> str:
    """Return the name that a statement defines; that of the last lines, which run the program, is ``MAIN``."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return MAIN
