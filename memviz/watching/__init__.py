"""Conversations of programs that are running, read as they grow and kept in the library
at once.

Begin with ``Keeper`` (``keeper``), which appends what was said to an ordinary
conversation: only what is new, secrets concealed (``secrets``), each batch whole or not
at all. It is private to the visitor whose library it is in. Nothing here knows a page.

Wires end in a ``Recorder`` (``recorder``): traces and their logs (``otlp``), a proxy
(``proxy``), and what one's own process uses, which is offered here:
``LitellmCallback``, ``LangChainHandler``, ``HttpxTransport``. All make an ``Exchange``
(``exchanges``) of a request and its reply; ``threads`` finds what of it is new.

Open to other rooms: ``example``, ``folders``, ``keeper``, ``live``, ``programs``, ``serving``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memviz.watching.httpx_transport import HttpxTransport
    from memviz.watching.langchain_handler import LangChainHandler
    from memviz.watching.litellm_callback import LitellmCallback

__all__ = ["HttpxTransport", "LangChainHandler", "LitellmCallback"]

_MODULES = {
    "HttpxTransport": "httpx_transport",
    "LangChainHandler": "langchain_handler",
    "LitellmCallback": "litellm_callback",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
