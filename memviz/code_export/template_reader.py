"""Read templates: what the files of a program define, and which of it a setting needs.

Templates are read as text and never imported: they need libraries that memviz does not.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

PACKAGE = "memviz.code_export.templates."
DIFFERENCES = "DIFFERENCES"
MAIN = "__main__"
"""Name of the last lines of a program, which run it."""


@dataclass(frozen=True)
class Definition:
    """One definition at the top level of a template."""

    name: str
    source: str
    """Its lines as they stand in the file, with the comments behind them."""
    node: ast.stmt
    """The same, parsed."""

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
        chosen: dict[Definition, str] = {}
        waiting = [MAIN]
        while waiting:
            name = waiting.pop()
            variants = [name + ending for ending in endings]
            defined = [one for one in (*variants, name) if one in self.definitions]
            if not defined:
                continue
            definition = self.definitions[defined[0]]
            if definition not in chosen:
                chosen[definition] = name
                waiting += definition.mentioned
        ordered = [one for one in self.definitions.values() if one in chosen]
        return {chosen[one]: one for one in ordered}


def has_template(name: str) -> bool:
    """Return whether there is a template of this name, such as ``rules.window``."""
    return _path(name).is_file()


@cache
def read(name: str) -> Template:
    """Return one template file."""
    source = _path(name).read_text(encoding="utf-8")
    lines = source.splitlines()
    found = Template()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(PACKAGE):
            found.templates.append(str(node.module).removeprefix(PACKAGE))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                bound = alias.name.partition(".")[0]
                found.imports[bound] = (module, alias.name)
        elif isinstance(node, ast.Expr):
            pass  # the docstring
        else:
            defined = _name_of(node)
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            found.definitions[defined] = Definition(defined, text, node)
    differences = found.definitions.pop(DIFFERENCES, None)
    if differences is not None and isinstance(differences.node, ast.Assign):
        found.differences = ast.literal_eval(differences.node.value)
    return found


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
        for defined, definition in file.definitions.items():
            joined.definitions[defined] = _with_inherited(
                definition, joined.definitions
            )

    add(name)
    return joined


def _with_inherited(
    definition: Definition, known: Mapping[str, Definition]
) -> Definition:
    """Return a class that is derived from one of another template as one class that is derived from none."""
    node = definition.node
    if not (isinstance(node, ast.ClassDef) and node.bases):
        return definition
    base = known.get(ast.unparse(node.bases[0]))
    if base is None:
        return definition
    own = _parts(definition)
    parts: dict[str, str] = {}
    for name, source in _parts(base).items():
        if name not in own:
            parts[name] = source
        while name in own:  # with what stands before it in the derived class
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
    before = definition.node.lineno  # lines of the file, the class's first included
    parts = {}
    for part in definition.node.body:
        end = part.end_lineno or part.lineno
        source = lines[part.lineno - before : end - before + 1]
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


def _path(name: str) -> Traversable:
    *folders, file = name.split(".")
    return files("memviz.code_export").joinpath("templates", *folders, f"{file}.py")
