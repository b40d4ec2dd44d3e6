"""``memviz models``: the models that can be named, and those that are served on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Option

from memviz.cli.options import AsJson
from memviz.cli.output import complain, console, on_one_line, write_json

if TYPE_CHECKING:
    from memviz.models.local_servers import LocalServers

Local = Annotated[
    bool,
    Option(
        "--local",
        help="Ask the servers of models that run on this machine what they have.",
    ),
]
At = Annotated[
    list[str] | None,
    Option(
        "--at",
        metavar="ADDRESS",
        help="With --local: ask at this address of this machine too, such as 8081.",
    ),
]


def list_models(local: Local = False, at: At = None, json: AsJson = False) -> None:
    """List models by name, each with the context that it takes and the key that it still needs.

    Any other name that litellm knows can be given to commands as well. --local asks Ollama, llama.cpp, LM Studio and
    vLLM at their usual ports of 127.0.0.1; without it, nobody is asked.

    \b
    Examples:
      memviz models
      memviz models --local
      memviz models --local --at 8081
    """
    if local or at:
        _list_local(at or [], json=json)
    else:
        _list_known(json=json)


def _list_known(*, json: bool) -> None:
    from memviz.models.prices import context_window_tokens
    from memviz.models.registry import known_models, missing_keys

    known = [
        (name, context_window_tokens(name), missing_keys(name))
        for name in known_models()
    ]
    if json:
        write_json(
            [
                {"name": name, "context_tokens": tokens, "missing_keys": keys}
                for name, tokens, keys in known
            ]
        )
        return
    rows = [
        (name, f"{tokens:,}" if tokens else "", " and ".join(keys))
        for name, tokens, keys in known
    ]
    _print_table(("name", "context tokens", "needs the key"), rows)


def _list_local(at: list[str], *, json: bool) -> None:
    from memviz.models.local_servers import find_local_servers

    found = find_local_servers(at)
    for sentence in found.sentences:
        complain(sentence)
    if json:
        write_json([asdict(model) for model in found.models])
    elif found.models:
        _print_local(found)


def _print_local(found: LocalServers) -> None:
    rows = [
        (on_one_line(model.name), model.program, model.context_words, model.api_base)
        for model in found.models
    ]
    _print_table(("name", "served by", "context", "base URL"), rows)


def _print_table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(
            title, justify="right" if title.endswith("tokens") else "left", no_wrap=True
        )
    for row in rows:
        table.add_row(*row)
    console().print(table)
