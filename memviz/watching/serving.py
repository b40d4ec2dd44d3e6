"""Runs the receivers (traces, proxy) as servers on this machine, each in its own thread, for
``memviz watch``."""

from __future__ import annotations

import logging
import socket
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

from memviz.core.errors import MemvizError
from memviz.watching.keeper import Keeper
from memviz.watching.recorder import Recorder

HOST = "127.0.0.1"
OTLP_PORT = 4318
"""The default port of OTLP over HTTP."""
PROXY_PORT = 4319
MOST_REQUESTS = 200
"""The most requests at the same time; others are answered with 503."""
WAITING_CONNECTIONS = 100
ENDING_SECONDS = 5.0


class PortTakenError(MemvizError):
    """Another program listens on the port. Attribute: ``port``."""

    def __init__(self, port: int) -> None:
        self.port = port
        super().__init__(f"Port {port} of 127.0.0.1 is in use. Give another one.")


class LocalServer:
    """A server that only programs of this machine reach. It runs until it is closed."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        """Serve ``app`` at a port of 127.0.0.1; 0 is any that is free. Raises
        :class:`PortTakenError`."""
        listening = _listen(port)
        self.address = f"http://{HOST}:{listening.getsockname()[1]}"
        # At debug level they write the headers of requests, in which the keys are.
        for name in ("httpx", "httpcore", "uvicorn"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            ws="none",
            limit_concurrency=MOST_REQUESTS,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        run = {"sockets": [listening]}
        self._thread = Thread(target=self._server.run, kwargs=run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the server. What it was answering breaks off after a second."""
        self._server.should_exit = True
        self._thread.join(ENDING_SECONDS)


def serve_traces(keeper: Keeper, port: int = OTLP_PORT) -> LocalServer:
    """Return a running receiver of OpenTelemetry traces and logs, at the paths /v1/traces
    and /v1/logs.

    Raises :class:`PortTakenError`, and :class:`memviz.MemvizError` where the package
    opentelemetry-proto is not installed.
    """
    from memviz.watching.otlp import make_receiver

    recorder = Recorder(keeper, "otlp")
    return LocalServer(make_receiver(recorder.take), port)


def serve_proxy(keeper: Keeper, upstream: str, port: int = PROXY_PORT) -> LocalServer:
    """Return a running proxy that passes requests on to the API at ``upstream``.

    Raises :class:`PortTakenError`, and :class:`memviz.MemvizError` for an address that is
    no plain web address.
    """
    from memviz.watching.proxy import make_proxy

    recorder = Recorder(keeper, "proxy")
    app = make_proxy(upstream, recorder.take, recorder.complaints.tell)
    return LocalServer(app, port)


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(WAITING_CONNECTIONS)
    except OSError:
        listening.close()
        raise PortTakenError(port) from None
    return listening
