"""The checks of every HTTP request and reply of litellm, before litellm sees it.

litellm talks to OpenAI-like providers through the OpenAI client and to all others through clients of its own.
Both are httpx underneath, so both get the same hooks: :data:`REQUEST_HOOKS` see each request, also each
that follows a redirect, and :data:`RESPONSE_HOOKS` each reply before anything of its body is read. Their connections
are watched (:mod:`memviz.models.line`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import httpx

from memviz.models.destinations import check_destination, refuse_redirect
from memviz.models.line import begin_reply, note_response, watch_connections
from memviz.models.reply_bodies import bound_body
from memviz.models.whole_replies import read_whole_reply

_LIMITS = httpx.Limits(max_connections=1000, max_keepalive_connections=100)
"""Those of the OpenAI client: all keys of the process share them."""


def guard(litellm: Any) -> None:
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
