"""Settings that every test shares.

The runs there are, from the fastest to the most thorough:

    pytest tests/engine -n0                     one room while you work in it: seconds
    pytest                                      all but what is marked slow: minutes; of the browser tests only those
                                                that need no server: the stage and the report
    pytest tests/browser -m "slow or not slow"  with the pages and all journeys in Chromium
    pytest -m slow                              only what is marked slow: long journeys, killed processes, large replays
    pytest -m "slow or law" --hypothesis-profile=thorough
                                                that over more examples, and the laws of the engine over many more: what
                                                .ci/run adds

A property (a test with @given) sets no number of examples of its own, so that the profile decides. The thorough one
tries the laws of the engine (marked ``law``) far more often than other properties. A test is marked
slow if it takes seconds and a faster one would notice most of what it would; every page, format, strategy and command
has tests that are not. Real conversations are read where MEMVIZ_TEST_DATA says.
"""

from __future__ import annotations

import gc
import logging
import os
import re
import ssl
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

from memviz.dashboard.charts import figure
from memviz.engine import background_replay

TESTS = Path(__file__).parent
COMMON = settings(
    deadline=None,  # the first token count loads an encoding file, which is slow only once
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", COMMON, max_examples=6)
settings.register_profile(
    "thorough", COMMON, max_examples=12
)  # pytest --hypothesis-profile=thorough
settings.register_profile("peers", COMMON, max_examples=20)  # for tests/peers
settings.load_profile("quick")
LAW_EXAMPLES = 200
"""How often the thorough profile tries each law of the engine."""
ONLY_MARKED = ("slow", "law", "slow or law")
MARKED = re.compile(r"\bmark\.(slow|law)\b")

# Streamlit's AppTest has no browser session, and Streamlit says so at every call outside a page.
logging.getLogger(
    "streamlit.runtime.scriptrunner_utils.script_run_context"
).disabled = True

figure.VALIDATED = True  # a property that Plotly does not know fails a test, not a page

# Python looks for what nobody holds any more, again and again through the thousands of tests that were collected.
gc.set_threshold(100_000, 50, 100)


class CompiledStatements(LRUCache):
    """Compiled statements of one kind of database, found whichever engine of it has compiled them. The key that
    SQLAlchemy keeps one by begins with the dialect, of which each engine has its own."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__(key[1:], compiled)


_COMPILED: defaultdict[str, CompiledStatements] = defaultdict(
    lambda: CompiledStatements(1_000)
)
# A library has an engine of its own, which would compile each statement anew: a fifth of the time of tests of storage.
Engine._compiled_cache = property(
    lambda engine: _COMPILED[engine.dialect.name], lambda _engine, _own: None
)
# Every client of HTTP reads the certificates of all authorities, for 40 ms. No test calls another machine.
ssl.create_default_context = cache(ssl.create_default_context)
# Where the machine forbids Python to keep what it has compiled, each of hundreds of processes would compile all of it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A process for each processor, and one more for the slow tests, which wait for servers, browsers and programs.
    Others hardly wait, and each process reads all test modules and loads all libraries."""
    processors = os.cpu_count() or 1
    return processors + 1 if "slow" in _asked_marks(config) else processors


def _asked_marks(config: pytest.Config) -> str:
    return str(config.getoption("markexpr")).replace("not slow", "")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the modules in which no test is slow or a law, when only such tests are asked for: to import a module
    takes as long for one test as for all."""
    if config.getoption("markexpr") not in ONLY_MARKED:
        return None
    if collection_path.suffix != ".py" or not collection_path.is_file():
        return None
    is_marked = MARKED.search(collection_path.read_text(encoding="utf-8"))
    return None if is_marked else True


def pytest_collection(session: pytest.Session) -> None:
    """Import the test modules, in each process from another one on: what one process has compiled the others find. In
    the order of the collection all of them would compile the same at the same time, in a clone that never ran."""
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    paths = [
        path
        for path in sorted(TESTS.rglob("test_*.py"))
        if not pytest_ignore_collect(path, config)
    ]
    number = int(worker["workerid"].removeprefix("gw"))
    first = len(paths) * number // worker["workercount"]
    for path in paths[first:] + paths[:first]:
        module = path.relative_to(TESTS.parent).with_suffix("")
        # What goes wrong is told by the collection, which imports it again.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(module.parts))


def pytest_collection_finish() -> None:
    """Leave what was collected and imported out of that search. And let the loggers of Streamlit, a hundred of them,
    pass on what they are told: pytest would add its handlers to each of them six times a test."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("streamlit.") and isinstance(logger, logging.Logger):
            logger.propagate = True
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Let the thorough profile try the laws of the engine more often than other properties."""
    if config.getoption("--hypothesis-profile") != "thorough":
        return
    functions = {
        item.function
        for item in items
        if isinstance(item, pytest.Function)
        and item.get_closest_marker("law")
        and is_hypothesis_test(item.function)
    }
    for function in functions:
        settings(settings.get_profile("thorough"), max_examples=LAW_EXAMPLES)(function)


@pytest.fixture(autouse=True)
def _main_module_stays() -> Iterator[None]:
    """AppTest leaves the script that it ran as ``__main__``, often one that is deleted by then. Worker processes of
    later tests would look for it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def _memory_is_ample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ran thousands of tests holds more memory than a server lets its replays have, and would stop the
    replays of the next test after their first turns. Tests of that limit set their own."""
    monkeypatch.setattr(background_replay, "MOST_BYTES", 1 << 60)


@pytest.fixture
def new_libraries_are_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each library that this test creates is a copy of one that was written once. For tests to which it makes no
    difference how the bundled conversations come into a library."""
    from tests.new_library import create_copy

    monkeypatch.setattr("memviz.storage.workspace.Workspace.__init__", create_copy)
