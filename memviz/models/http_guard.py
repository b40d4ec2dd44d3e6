"""litellm with a guard: checks of every HTTP request and reply, before litellm sees it.

litellm talks to OpenAI-like providers through the OpenAI client and to all others through clients of its own.
Both are httpx underneath, so both get the same hooks: :data:`REQUEST_HOOKS` see each request, also each
that follows a redirect, and :data:`RESPONSE_HOOKS` each reply before anything of its body is read. Their connections
are watched (:mod:`memviz.models.line`).
"""

from collections.abc import Callable
from functools import cache, lru_cache, wraps
from typing import Any

import httpx

from memviz.models.destinations import check_destination, refuse_redirect
from memviz.models.line import begin_reply, note_response, watch_connections
from memviz.models.litellm_loading import import_litellm
from memviz.models.reply_bodies import bound_body
from memviz.models.whole_replies import read_whole_reply

_LIMITS = httpx.Limits(max_connections=1000, max_keepalive_connections=100)
"""Those of the OpenAI client: all keys of the process share them."""


class _NoRetries(int):
    """A 0 that is true: where vectors are asked for, litellm takes a 0 for no number, and tries twice more."""

    def __bool__(self) -> bool:
        return True


@cache
def load_litellm() -> Any:
    """Return the litellm module, kept off the network, with every request guarded. The
    first call takes some seconds."""
    litellm = import_litellm()
    _guard(litellm)
    return litellm


def call_arguments(model: str, provider: str, timeout_seconds: float) -> dict[str, Any]:
    """The arguments that every streamed ``litellm.completion`` needs so that it asks
    once and waits no longer than told."""
    arguments = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "timeout": timeout_seconds,
        "max_retries": 0,
        "num_retries": None,
        "_skip_mcp_handler": True,  # tools would need a package that litellm does not require
    }
    if provider in load_litellm().openai_compatible_providers:
        # Some of them are said not to know max_retries: it is dropped, and the OpenAI client tries twice more.
        # Others are said to know tools, but not tool_choice: the call would be refused before it is made.
        arguments["allowed_openai_params"] = ["max_retries", "tool_choice"]
    if provider == "gemini" or (provider.startswith("vertex_ai") and "gemini" in model):
        arguments["client"] = _http_client(
            timeout_seconds
        )  # a stream ignores the timeout otherwise
    return arguments


def embedding_arguments(model: str, timeout_seconds: float) -> dict[str, Any]:
    """The same of every ``litellm.embedding``."""
    return {
        "model": model,
        "timeout": timeout_seconds,
        "max_retries": _NoRetries(),
        "num_retries": None,
        "encoding_format": "float",
        "drop_params": True,
    }


@lru_cache(maxsize=8)
def _http_client(timeout_seconds: float) -> Any:
    load_litellm()
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    return HTTPHandler(timeout=timeout_seconds)


def _guard(litellm: Any) -> None:
    """Put the hooks into every client that ``litellm`` makes from now on, and into the one it was given."""
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    make_client = HTTPHandler.create_client

    @wraps(make_client)
    def create_client(handler: Any) -> httpx.Client:
        return _hooked(make_client(handler))

    HTTPHandler.create_client = create_client
    litellm.in_memory_llm_clients_cache.flush_cache()  # a program that used litellm before has clients without hooks
    vars(litellm).pop("module_level_client", None)
    if litellm.client_session is None:
        litellm.client_session = _hooked(
            _session()
        )  # for the OpenAI client, which would make its own
    else:
        _hooked(litellm.client_session)


def _hooked(client: httpx.Client) -> httpx.Client:
    hooks = client.event_hooks
    client.event_hooks = {
        "request": [*hooks["request"], *REQUEST_HOOKS],
        "response": [*hooks["response"], *RESPONSE_HOOKS],
    }
    watch_connections(client)
    return client


def _session() -> httpx.Client:
    from litellm.llms.custom_httpx.http_handler import (
        blocked_cookie_jar,
        get_ssl_configuration,
        http2_enabled,
    )

    return httpx.Client(
        verify=get_ssl_configuration(),
        http2=http2_enabled(),
        cookies=blocked_cookie_jar(),
        limits=_LIMITS,
        follow_redirects=True,
    )


REQUEST_HOOKS: tuple[Callable[[httpx.Request], None], ...] = (
    check_destination,
    begin_reply,
)
RESPONSE_HOOKS: tuple[Callable[[httpx.Response], None], ...] = (
    note_response, refuse_redirect, bound_body, read_whole_reply,
)  # fmt: skip
