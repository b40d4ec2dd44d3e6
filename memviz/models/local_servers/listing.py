"""Models as they are listed, whatever program named them: with every number and every name held against bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memviz.core.bounds import is_whole_number
from memviz.core.text.wording import counted
from memviz.models.local_servers.asking import Place
from memviz.models.local_servers.found import LocalModel, LocalServer
from memviz.models.own_servers import Program

MAX_MODELS = 100
"""Of one server. What comes behind is counted and not listed."""
MAX_NAME_CHARS = 200
"""As long as a name in a link may be."""

Item = Mapping[str, Any]


def listed_model(
    place: Place,
    program: Program,
    name: str,
    context_tokens: int | None,
    longest_tokens: int | None = None,
) -> LocalModel:
    """A model under the name by which memviz calls it."""
    base = f"http://{place.address}{program.path}"
    return LocalModel(
        f"{program.prefix}/{name}",
        base,
        name,
        program.title,
        context_tokens,
        longest_tokens,
    )


def listing(
    place: Place,
    program: Program,
    models: Iterable[LocalModel],
    count: int,
    notes: Iterable[str] = (),
) -> LocalServer:
    """The server with those of its models that can be called, out of ``count``. ``notes`` say what is left out."""
    kept = list(models)
    usable = [model for model in kept if _is_usable(model.title)]
    said = list(notes)
    if len(usable) < len(kept):
        said.append(
            f"{counted(len(kept) - len(usable), 'model')} of {program.title} cannot be used, because of a space or an "
            "odd character in the name."
        )
    if count > MAX_MODELS:
        said.append(
            f"{program.title} has {count:,} models, of which the first {MAX_MODELS} are listed."
        )
    return LocalServer(
        program.title, place.address, tuple(usable[:MAX_MODELS]), tuple(said)
    )


def _is_usable(name: str) -> bool:
    return (
        len(name) <= MAX_NAME_CHARS
        and name.isprintable()
        and " " not in name
        and "://" not in name
    )


def names(items: Iterable[Item], key: str) -> list[str]:
    """The names under ``key``, each once."""
    return list(dict.fromkeys(filter(None, (text_of(item, key) for item in items))))


def text_of(item: Item, key: str) -> str:
    """The text under ``key``, empty if there is none."""
    value = item.get(key)
    return value if isinstance(value, str) else ""


def tokens_of(value: object) -> int | None:
    """A number of tokens, if it is one."""
    return (
        value
        if is_whole_number(value) and isinstance(value, int) and value > 0
        else None
    )
