"""litellm with a guard: checks of every HTTP request and reply, before litellm sees it.

litellm talks to OpenAI-like providers through the OpenAI client and to all others through clients of its own.
Both are httpx underneath, so both get the same hooks: :data:`REQUEST_HOOKS` see each request, also each
that follows a redirect, and :data:`RESPONSE_HOOKS` each reply before anything of its body is read. Their connections
are watched (:mod:`memviz.models.line`).
"""

import os
import warnings
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from functools import cache, lru_cache, wraps
from socket import gaierror
from typing import Any
from urllib.parse import urljoin

import httpx

from memviz.models.line import begin_reply, note_response, watch_connections
from memviz.models.redaction import public_address
from memviz.models.reply_bodies import bound_body, read_whole_reply

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # otherwise importing litellm downloads a price list
    "LITELLM_MODE": "PRODUCTION",  # otherwise it reads .env files of the folders above it
    "HF_HUB_OFFLINE": "1",  # otherwise it tries to download tokenizers
}
# At every reply this module uses pydantic in a deprecated way and is warned. Only litellm itself can change that.
_DEPRECATED_USE = r"litellm\.litellm_core_utils\.model_response_utils"
_CONNECTION_LIMITS = httpx.Limits(max_connections=1000, max_keepalive_connections=100)
"""The limits that the OpenAI client has, too: all keys of the process share them."""


@cache
def import_litellm() -> Any:
    """Return the litellm module, silenced and kept off the network, without the guard
    that calls need (:func:`memviz.models.http_guard.load_litellm`). The first call takes
    some seconds."""
    for variable, value in _ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    warnings.filterwarnings(
        "ignore", category=DeprecationWarning, module=_DEPRECATED_USE
    )
    import litellm
    from litellm._service_logger import ServiceLogging

    litellm.suppress_debug_info = True
    # A reply may repeat itself without being an error.
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = 1_000_000
    litellm.telemetry = False
    # It would time each call for services that memviz does not use, on an event loop that it opens in our thread and
    # never closes: Python complains of that once Ctrl-C ends the program.
    ServiceLogging.service_success_hook = _do_nothing
    return litellm


def _do_nothing(*args: object, **keywords: object) -> None:
    """Stands in place of a hook of litellm."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one call's requests."""

    public_only: bool = False
    """True if they may go to public addresses only."""
    other_keys: frozenset[str] = field(default=frozenset(), repr=False)
    """The keys that they must not carry."""

    def context(self) -> Context:
        """A context in which these limits hold: ``context.run(function, ...)``."""
        context = copy_context()
        context.run(_LIMITS.set, self)
        return context


_NONE = Limits()

_LIMITS: ContextVar[Limits] = ContextVar("limits", default=_NONE)


class RedirectedError(Exception):
    """The server wanted the request to be sent to another address, ``place``; empty if that is not a web address."""

    def __init__(self, place: str) -> None:
        self.place = place
        super().__init__("The server answered with a redirect.")


class PrivateAddressError(Exception):
    """The request would have gone to this machine or its network."""


class OtherKeyError(Exception):
    """The request would have carried a key that was not given for it."""


def refuse_redirect(response: httpx.Response) -> None:
    """A model's API does not redirect, and whoever followed would take key and conversation elsewhere."""
    if response.has_redirect_location:
        location = response.headers["location"]
        raise RedirectedError(
            public_address(urljoin(str(response.request.url), location))
        )


def check_destination(request: httpx.Request) -> None:
    """Hold the request against the limits of the call that it belongs to."""
    limits = _LIMITS.get()
    request_text = "\n".join((str(request.url), *request.headers.values()))
    if any(key in request_text for key in limits.other_keys):
        raise OtherKeyError
    if limits.public_only:
        # The connection is made to the very address that was looked at: a second look might find another one.
        request.url = httpx.URL(public_url(str(request.url)))


def public_url(url: str) -> str:
    """``url`` with the address of its host in place of the name, where no certificate would prove the name.

    Raises :class:`PrivateAddressError` if the host is or leads to any address that is not public, whatever way it is
    written, and :class:`socket.gaierror` if there is no such host.
    """
    import_litellm()
    from litellm.litellm_core_utils.url_utils import SSRFError, validate_url

    try:
        return str(validate_url(url)[0])
    except SSRFError as error:
        if isinstance(error.__context__, gaierror):
            raise error.__context__ from None
        raise PrivateAddressError from None


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
        # A stream ignores the timeout otherwise.
        arguments["client"] = _http_client(timeout_seconds)
    return arguments


def embedding_arguments(model: str, timeout_seconds: float) -> dict[str, Any]:
    """The arguments that every ``litellm.embedding`` needs so that it asks once and waits no longer than told."""
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
        return _add_hooks(make_client(handler))

    HTTPHandler.create_client = create_client
    # A program that used litellm before has clients without hooks.
    litellm.in_memory_llm_clients_cache.flush_cache()
    vars(litellm).pop("module_level_client", None)
    if litellm.client_session is None:
        # For the OpenAI client, which would make its own.
        litellm.client_session = _session()
    _add_hooks(litellm.client_session)


def _add_hooks(client: httpx.Client) -> httpx.Client:
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
        limits=_CONNECTION_LIMITS,
        follow_redirects=True,
    )


REQUEST_HOOKS: tuple[Callable[[httpx.Request], None], ...] = (
    check_destination,
    begin_reply,
)

RESPONSE_HOOKS: tuple[Callable[[httpx.Response], None], ...] = (
    note_response, refuse_redirect, bound_body, read_whole_reply,
)  # fmt: skip
