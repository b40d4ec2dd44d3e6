"""The addresses to which requests of a model may go, and the keys they may carry.
Checked for every HTTP request before it is sent."""

from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from socket import gaierror
from urllib.parse import urljoin

import httpx

from memviz.models.litellm_loading import import_litellm
from memviz.models.redaction import public_address


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one call's requests: whether they may go to public addresses only, and which keys they
    must not carry."""

    public_only: bool = False
    other_keys: frozenset[str] = field(default=frozenset(), repr=False)

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
    sent = "\n".join((str(request.url), *request.headers.values()))
    if any(key in sent for key in limits.other_keys):
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
