"""Records of answers that a model gave to requests with a known recipe: who answered, when and how, and each answer
word for word. They come with memviz; ``benchmarks`` has the scripts that make them anew."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

SUFFIX = ".json"
_FOLDER = files("memviz.dashboard.lessons") / "asked"
NEEDLES = "lost-in-the-middle"
FACTS = "in-the-request"
RECORDS = (NEEDLES, FACTS)
"""The records by name."""
Where = Sequence[tuple[str, float | bool | str]]


@cache
def record_of(name: str) -> Mapping[str, Any]:
    """The record of this name: ``about``, its recipe, and its ``answers``."""
    content = (_FOLDER / (name + SUFFIX)).read_text(encoding="utf-8")
    record: Mapping[str, Any] = json.loads(content)
    return record


def answers_of(name: str, where: Where = ()) -> list[Mapping[str, Any]]:
    """The answers of a record whose fields have the values that ``where`` names, such as ``depth`` 50."""
    found = []
    for answer in record_of(name)["answers"]:
        if all(answer[field] == value for field, value in where):
            found.append(answer)
    return found
