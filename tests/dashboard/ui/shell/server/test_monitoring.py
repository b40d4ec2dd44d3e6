"""A server that is watched says what it does and how long that takes, and nothing that anybody wrote."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from memviz.core.errors import AccessError, MemvizError
from memviz.core.server_events import (
    LOGGER,
    PAGE,
    REPLAY,
    note_error,
    note_event,
)
from memviz.dashboard.ui.shell.server.monitoring import (
    JsonLines,
    PrometheusFigures,
)
from memviz.models.access import read_metrics_address
from tests.cli.serving import START_SECONDS, answer, free_port, started

SECRET = "sk-12345 and what the user said"


@pytest.fixture
def lines() -> Iterator[list[dict[str, object]]]:
    """The lines of the log, as they are written while a test runs."""
    written: list[dict[str, object]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(json.loads(JsonLines().format(record)))

    kept = Kept()
    loggers = (LOGGER, logging.getLogger("a.library"))
    for logger in loggers:
        logger.addHandler(kept)
    yield written
    for logger in loggers:
        logger.removeHandler(kept)


def test_an_event_is_a_line_with_its_names_and_numbers(
    lines: list[dict[str, object]],
) -> None:
    note_event(PAGE, page="facts", seconds=0.31)
    (line,) = lines
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(line.pop("time")))
    assert line == {"level": "info", "event": "page", "page": "facts", "seconds": 0.31}


def test_an_error_is_told_without_its_words(lines: list[dict[str, object]]) -> None:
    try:
        raise MemvizError(SECRET)
    except MemvizError as error:
        note_error(error)
    (line,) = lines
    assert line["error"] == "MemvizError"
    assert str(line["raised_at"]).startswith("test_monitoring.py:")
    assert SECRET not in str(lines)


def test_what_a_library_logs_is_told_without_its_words(
    lines: list[dict[str, object]],
) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("a.library").exception("could not read %s", SECRET)
    (line,) = lines
    assert line["logger"] == "a.library"
    assert line["level"] == "error"
    assert line["error"] == "ValueError"
    assert SECRET not in str(lines)


def test_prometheus_adds_up() -> None:
    registry = CollectorRegistry()
    figures = PrometheusFigures(registry)
    LOGGER.addHandler(figures)
    try:
        note_event(PAGE, page="facts", seconds=0.25)
        note_event(PAGE, page="facts", seconds=0.5)
        note_event(REPLAY, strategy="window", turns=9, seconds=2.0)
        note_error(MemvizError(SECRET))
    finally:
        LOGGER.removeHandler(figures)
    of_facts = {"page": "facts"}
    assert registry.get_sample_value("memviz_page_seconds_sum", of_facts) == 0.75
    assert registry.get_sample_value("memviz_page_seconds_count", of_facts) == 2
    of_window = {"strategy": "window"}
    assert registry.get_sample_value("memviz_replay_seconds_sum", of_window) == 2
    of_kind = {"error": "MemvizError"}
    assert registry.get_sample_value("memviz_errors_total", of_kind) == 1
    assert registry.get_sample_value("memviz_visitors") == 0


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("", None),
        ("9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:9464", ("0.0.0.0", 9464)),
        ("[::1]:9464", ("::1", 9464)),
        ("metrics.internal:80", ("metrics.internal", 80)),
    ],
)
def test_the_place_of_figures(given: str, place: object) -> None:
    assert read_metrics_address(given) == place


@pytest.mark.parametrize("given", ["yes", "0", "65536", "127.0.0.1:", "a b:80"])
def test_what_is_no_place_of_figures_is_refused(given: str) -> None:
    with pytest.raises(AccessError, match="is no place for figures"):
        read_metrics_address(given)


@pytest.mark.slow
def test_a_server_answers_prometheus(tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, "--json-log", "--metrics", str(port)) as (server, own_port):
        shown = answer(port, "/metrics")
        assert "memviz_visitors 0.0" in shown
        deadline = time.monotonic() + START_SECONDS
        while 'memviz_replay_seconds_count{strategy="window"}' not in shown:
            assert time.monotonic() < deadline, "nothing of the first page was replayed"
            time.sleep(0.2)
            shown = answer(port, "/metrics")
        assert "memviz_page_seconds" in shown
        if sys.platform == "linux":
            assert "process_resident_memory_bytes" in shown
        assert "memviz_visitors" not in answer(own_port, "/metrics")
        assert server.stdout is not None
        server.terminate()
        logged = server.stdout.read().decode().splitlines()
    events = [json.loads(line) for line in logged if line.startswith("{")]
    assert "replay" in {event.get("event") for event in events}, "of the first page"
    assert not [line for line in logged if re.match(r"\d{4}-\d\d-\d\d ", line)]
