"""A server that is watched: its log as lines of JSON, and its figures for Prometheus.

Both listen to :mod:`memviz.core.server_events`. What other libraries log is told by its place and the class of its
error alone, because the words may quote a conversation or a key.
"""

import json
import logging
import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st
import streamlit.logger
from streamlit.runtime.stats import ACTIVE_SESSIONS_FAMILY, GaugeStat

from memviz.core.errors import AccessError
from memviz.core.server_events import (
    ERROR,
    LOGGER,
    PAGE,
    REPLAY,
    place_raised,
    values_of,
)
from memviz.models.access import JSON_LOG, METRICS, read_metrics_address
from memviz.models.environment import read_switch

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
"""Upper ends of the buckets into which Prometheus counts durations."""


class JsonLines(logging.Formatter):
    """Writes a record as one line: ``{"time": "2026-05-01T09:30:00Z", "level": "info", "event": "page", ...}``."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        line: dict[str, object] = {"time": at, "level": record.levelname.lower()}
        if record.name == LOGGER.name:
            line["event"] = record.getMessage()
        else:
            line["logger"] = record.name
            line["at"] = f"{record.filename}:{record.lineno}"
        line.update(values_of(record))
        if record.exc_info and record.exc_info[1]:
            line["error"] = type(record.exc_info[1]).__name__
            line["raised_at"] = place_raised(record.exc_info[1])
        return json.dumps(line)


class PrometheusFigures(logging.Handler):
    """Adds up events: seconds of pages and replays, errors by their class, and the tabs that are connected."""

    def __init__(self, registry: "CollectorRegistry") -> None:
        from prometheus_client import Counter, Gauge, Histogram

        super().__init__()
        self._pages = Histogram(
            "memviz_page_seconds",
            "Time to draw a page, each time it is drawn anew",
            ["page"],
            buckets=SECONDS,
            registry=registry,
        )
        self._replays = Histogram(
            "memviz_replay_seconds",
            "Time of a replay of a conversation through a strategy",
            ["strategy"],
            buckets=SECONDS,
            registry=registry,
        )
        self._errors = Counter(
            "memviz_errors",
            "Errors that a page showed or ended with",
            ["error"],
            registry=registry,
        )
        visitors = Gauge(
            "memviz_visitors", "Browser tabs that are connected", registry=registry
        )
        visitors.set_function(connected_tabs)

    def emit(self, record: logging.LogRecord) -> None:
        """Add one event to the sums."""
        values = values_of(record)
        if record.msg == PAGE:
            self._pages.labels(values["page"]).observe(float(values["seconds"]))
        elif record.msg == REPLAY:
            self._replays.labels(values["strategy"]).observe(float(values["seconds"]))
        elif record.msg == ERROR:
            self._errors.labels(values["error"]).inc()


def connected_tabs() -> float:
    """Return the number of browser tabs that are connected to this server."""
    if not st.runtime.exists():
        return 0.0
    stats = st.runtime.get_instance().stats_mgr.get_stats([ACTIVE_SESSIONS_FAMILY])
    (sessions,) = stats[ACTIVE_SESSIONS_FAMILY]
    assert isinstance(sessions, GaugeStat)  # noqa: S101
    return float(sessions.value)


def monitor(environment: Mapping[str, str] = os.environ) -> None:
    """Log and answer Prometheus as the environment asks for; ends the process where that cannot be done."""
    try:
        if read_switch(environment, JSON_LOG):
            _log_as_json()
        place = read_metrics_address(environment.get(METRICS, ""))
        if place is not None:
            _serve_figures(*place)
    except AccessError as error:
        raise SystemExit(f"Error: {error}") from None


def _log_as_json() -> None:
    """Write events, and the warnings of all libraries, as lines of JSON to the standard error."""
    for logger, level in ((LOGGER, logging.INFO), (logging.root, logging.WARNING)):
        handler = logging.StreamHandler(sys.stderr)
        handler.setLevel(level)
        handler.setFormatter(JsonLines())
        logger.addHandler(handler)
    # Each of Streamlit's loggers writes by itself, also those that it makes later.
    streamlit.logger.setup_formatter = _leave_to_root
    streamlit.logger.update_formatter()


def _leave_to_root(logger: logging.Logger) -> None:
    logger.handlers.clear()
    logger.propagate = True


def _serve_figures(address: str, port: int) -> None:
    """Answer Prometheus, with the figures of the process itself (memory, processor) beside those of memviz."""
    from prometheus_client import (
        REGISTRY,
        disable_created_metrics,
        start_http_server,
    )

    disable_created_metrics()  # type: ignore[no-untyped-call] # a second series for each, which says when it began
    try:
        start_http_server(port, address)
    except OSError as error:
        reason = error.strerror or str(error)
        raise AccessError(
            f"Figures for Prometheus cannot be served at {address}:{port}: {reason}."
        ) from None
    LOGGER.addHandler(PrometheusFigures(REGISTRY))
