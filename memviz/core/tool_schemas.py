"""The tokens of the schemas of tools in a request: they are counted as the OpenAI API writes them, not as the JSON
sent.

The API turns JSON schemas into type definitions before the model reads them, which are a good third shorter. How it
does so is not published; the rule here was worked out by others from what the API billed. It gives the 68 tokens that
the API counts for the tool of OpenAI's cookbook (gpt-4o; 71 for gpt-4, as billed), and unlike the cookbook's own rule
it reads schemas within schemas.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from memviz.core.counters import Counter

TOKENS_AROUND_TOOLS = 9
"""What the API adds to the definitions: they are sent in a system message."""
SAVED_BY_SYSTEM_MESSAGE = 4
"""Less of it where the request has a system message, which then takes them in: the system prompt or any other, such as
a summary."""
MAX_DEPTH = 20
"""Schemas may refer to themselves; deeper than this nothing is written out."""

Schema = Mapping[str, Any]


@lru_cache(maxsize=256)
def count_schema_tokens(
    counter: Counter, schemas: tuple[str, ...], has_system_prompt: bool
) -> int:
    """Return the tokens that these tools add to a request.

    Args:
        counter: Counts the text.
        schemas: The schema of each tool as JSON text. What is no schema of a tool is counted as the text that it is.
        has_system_prompt: Whether a system message is sent, too.
    """
    if not schemas:
        return 0
    tokens = counter(definitions(schemas)) + TOKENS_AROUND_TOOLS
    return tokens - SAVED_BY_SYSTEM_MESSAGE if has_system_prompt else tokens


def definitions(schemas: Sequence[str]) -> str:
    """Return the type definitions that the API makes of the schemas of tools."""
    lines = ["namespace functions {", ""]
    for text in schemas:
        lines += _write_definition(text)
        lines.append("")
    lines.append("} // namespace functions")
    return "\n".join(lines)


def _write_definition(text: str) -> list[str]:
    function = _find_function(text)
    if function is None:
        return [text]
    lines = [*_write_comment(function.get("description"))]
    parameters = _parameters_of(function)
    properties = [*_write_properties(parameters, parameters, 0)]
    if not properties:
        return [*lines, f"type {function['name']} = () => any;"]
    return [*lines, f"type {function['name']} = (_: {{", *properties, "}) => any;"]


def _find_function(text: str) -> Schema | None:
    """The description of a function in the schema of a tool; ``None`` if it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    # OpenAI wraps a function in "function", Bedrock in "toolSpec", Anthropic in nothing.
    for wrapper in ("function", "toolSpec"):
        if isinstance(value, Mapping) and isinstance(value.get(wrapper), Mapping):
            value = value[wrapper]
    is_function = isinstance(value, Mapping) and isinstance(value.get("name"), str)
    return value if is_function else None


def _parameters_of(function: Schema) -> Schema:
    """The JSON schema of the arguments, by the names that the providers give it."""
    for name in ("parameters", "input_schema", "inputSchema"):
        schema = function.get(name)
        if isinstance(schema, Mapping):
            inner = schema.get("json")
            return inner if isinstance(inner, Mapping) else schema
    properties = function.get("parameter_definitions")
    return {"properties": properties} if isinstance(properties, Mapping) else {}


def _write_comment(description: object) -> Iterator[str]:
    if isinstance(description, str) and description:
        for line in description.split("\n"):
            yield f"// {line}"


def _write_properties(schema: Schema, root: Schema, depth: int) -> Iterator[str]:
    """The properties of an object, without the braces around them."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or depth > MAX_DEPTH:
        return
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    indent = "  " * depth
    for name, value in properties.items():
        # In the notation of TypeScript: a comment above, and "?:" behind what may be left out.
        about = value if isinstance(value, Mapping) else {}
        for line in _write_comment(about.get("description")):
            yield indent + line
        sign = ":" if name in required else "?:"
        yield f"{indent}{name}{sign} {_write_type(about, root, depth)},"


def _write_type(schema: object, root: Schema, depth: int) -> str:
    """The type of a value in the notation of the definitions: ``number[]`` for an array of
    integers, ``"a" | "b"`` for an enumeration."""
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return "any"
    if isinstance(schema.get("$ref"), str):
        return _write_type(_referred(schema["$ref"], root), root, depth + 1)
    if isinstance(schema.get("enum"), list):
        return " | ".join(
            json.dumps(value, ensure_ascii=False) for value in schema["enum"]
        )
    # A list of types says the same as a choice of schemas: ["string", "null"].
    kind = schema.get("type")
    of_kinds = None
    if isinstance(kind, list):
        of_kinds = [{**schema, "type": single_kind} for single_kind in kind]
    for choices in (schema.get("anyOf"), schema.get("oneOf"), of_kinds):
        if isinstance(choices, list):
            return " | ".join(
                _write_type(choice, root, depth + 1) for choice in choices
            )
    kind = kind.lower() if isinstance(kind, str) else "any"
    if kind == "array":
        return f"{_write_type(schema.get('items'), root, depth)}[]"
    if kind == "object":
        properties = [*_write_properties(schema, root, depth + 1)]
        if not properties:
            return "object"
        return "\n".join(["{", *properties, "  " * depth + "}"])
    return "number" if kind == "integer" else kind


def _referred(reference: str, root: Schema) -> object:
    """The value that a ``reference`` such as ``#/$defs/Person`` names within ``root``."""
    value: object = root
    for name in reference.removeprefix("#/").split("/"):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
