"""Programs that serve models, as far as a search for them goes: the replies of real ones, on a free port."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.models.openai_server import OpenAIServer, _Handler, openai_server

Reply = Callable[[_Handler], None]


def says(value: Any, status: int = 200, by: str = "", **headers: str) -> Reply:
    """This JSON, whatever was asked, by a server that calls itself so."""
    body = json.dumps(value).encode()

    def reply(handler: _Handler) -> None:
        if by:
            handler.version_string = lambda: by  # type: ignore[method-assign]
        handler.send(status, body, **headers)

    return reply


NOT_FOUND = says(
    {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}},
    404,
)
PAGE: Reply = lambda handler: handler.send(  # noqa: E731
    200, b"<!doctype html><h1>Some page</h1>", "text/html"
)


@dataclass
class Routes:
    """Replies by path. ``otherwise`` is the reply to all other paths."""

    replies: Mapping[str, Reply]
    otherwise: Reply = NOT_FOUND

    def __call__(self, handler: _Handler) -> None:
        self.replies.get(handler.path, self.otherwise)(handler)


def ollama(
    models: Mapping[str, Mapping[str, Any]],
    loaded: Mapping[str, int] | None = None,
    **more: Any,
) -> Routes:
    """Ollama with ``models``: what it says of each when it is asked. ``loaded``: their windows as they are loaded.
    ``more``: further fields of the first one in the list."""
    tags = [
        {"name": name, "model": name, "size": 4_683_075_271, "digest": "a2af6cc3eb7f"}
        for name in models
    ]
    if tags:
        tags[0] |= more
    running = [
        {"name": name, "model": name, "context_length": tokens}
        for name, tokens in (loaded or {}).items()
    ]

    def show(handler: _Handler) -> None:
        says(models[handler.server.requests[-1].body["model"]])(handler)

    return Routes(
        {
            "/api/version": says({"version": "0.24.0"}),
            "/api/tags": says({"models": tags}),
            "/api/ps": says({"models": running}),
            "/api/show": show,
        }
    )


def about(
    context: int = 131_072,
    parameters: str = "",
    capabilities: tuple[str, ...] = ("completion",),
) -> dict[str, Any]:
    """What Ollama shows of one model."""
    return {
        "parameters": parameters,
        "capabilities": list(capabilities),
        "template": "{{ .Prompt }}",
        "details": {"format": "gguf", "family": "llama"},
        "model_info": {
            "general.architecture": "llama",
            "llama.context_length": context,
            "llama.rope.freq_base": 5e5,
        },
    }


def llama_cpp(
    *ids: str, window: int = 2048, made_for: int = 8192, **props: Any
) -> Routes:
    """llama.cpp's server, as one of 2026 replies."""
    data = [
        {
            "id": id,
            "object": "model",
            "owned_by": "llamacpp",
            "meta": {"n_ctx": window, "n_ctx_train": made_for},
        }
        for id in ids
    ]
    settings = {"params": {"n_predict": -1, "seed": 4294967295}, "n_ctx": window}
    head = {
        "default_generation_settings": settings,
        "total_slots": 1,
        "model_path": ids[0] if ids else "",
    }
    listed = says(
        {"object": "list", "models": [{"name": id} for id in ids], "data": data},
        by="llama.cpp",
    )
    return Routes({"/props": says(head | props, by="llama.cpp"), "/v1/models": listed})


UNEXPECTED = says(
    {"error": "Unexpected endpoint or method. (GET /nowhere). Returning 200 anyway"}
)
"""What LM Studio replies to what it does not know: with status 200."""


def lm_studio(*models: Mapping[str, Any]) -> Routes:
    """LM Studio from version 0.4 on."""
    listed = says({"models": list(models)})
    plain = says(
        {
            "object": "list",
            "data": [{"id": model["key"], "object": "model"} for model in models],
        }
    )
    return Routes({"/api/v1/models": listed, "/v1/models": plain}, UNEXPECTED)


def lm_studio_of_2025(*models: Mapping[str, Any]) -> Routes:
    """LM Studio from version 0.3.6 on."""
    return Routes(
        {"/api/v0/models": says({"object": "list", "data": list(models)})}, UNEXPECTED
    )


def vllm(*ids: str, window: int | None = 32_768, owner: str = "vllm") -> Routes:
    """vLLM, or another server that speaks OpenAI's protocol."""
    card = {"object": "model", "created": 1, "owned_by": owner} | (
        {"max_model_len": window} if window else {}
    )
    listed = says({"object": "list", "data": [{"id": id, **card} for id in ids]})
    return Routes(
        {"/v1/models": listed, "/version": says({"version": "0.19.1"})},
        says({"detail": "Not Found"}, 404),
    )


@contextmanager
def serving(routes: Reply) -> Iterator[OpenAIServer]:
    """A server with these replies on a free port of this machine."""
    with openai_server() as server:
        server.otherwise = routes
        yield server


def port(server: OpenAIServer) -> int:
    return int(server.server_address[1])
