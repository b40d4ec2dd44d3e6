"""The pytest plugin of memviz. It says why a statement was forgotten below the assertion that failed, and writes the
figures of a suite with ``--memviz-json``. It lies beside the package, so that pytest loads nothing of memviz with it: a
suite that tests no memory starts as fast as before.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

FIGURES = "memviz"
"""The name under which the runs of a test go with its report, from any worker of pytest-xdist."""
FORMAT = 1
PACKAGE = "memviz"


def pytest_addoption(
    parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager
) -> None:
    """Add the option, and let memviz be imported as it was compiled."""
    # pytest rewrites the assertions of all that a plugin is installed with, here hundreds of modules without any.
    rewritten = getattr(pluginmanager.rewrite_hook, "_must_rewrite", None)
    if isinstance(rewritten, set):
        rewritten.discard(PACKAGE)
    parser.getgroup("memviz").addoption(
        "--memviz-json",
        metavar="PATH",
        help="Write the figures of all memviz.testing.replay of the suite to PATH, for `memviz diff`.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect figures where a file is to be written."""
    path = config.getoption("--memviz-json")
    if path and not hasattr(config, "workerinput"):
        if not Path(path).absolute().parent.is_dir():
            raise pytest.UsageError(f"--memviz-json: there is no folder for {path}.")
        config.pluginmanager.register(FiguresFile(Path(path)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Put the reasons below an assertion that failed, and the figures beside the report of a test that is over."""
    if "memviz.testing" not in sys.modules:
        return
    from memviz.testing.memory_run import runs_of_test
    from memviz.testing.verdicts import false_verdicts

    if call.excinfo is not None and isinstance(call.excinfo.value, AssertionError):
        failure = call.excinfo.value
        if false_verdicts and _is_about(false_verdicts[-1], failure):
            failure.add_note(false_verdicts[-1].text)
    if call.when == "teardown":
        if item.config.getoption("--memviz-json"):
            figures = [run.to_dict() for run in runs_of_test]
            item.user_properties.append((FIGURES, figures))
        for run in runs_of_test:
            run.guards.clear()
        runs_of_test.clear()
        false_verdicts.clear()


def _is_about(verdict: Any, failure: AssertionError) -> bool:
    """Return whether an assertion is about this verdict: pytest's own words hold it, if there are any."""
    words = str(failure)
    return not words or repr(verdict) in words


class FiguresFile:
    """The figures of all tests, written when the last one is over."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runs: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the figures of a test."""
        if report.when != "teardown":
            return
        for name, figures in report.user_properties:
            if name == FIGURES and isinstance(figures, list):
                for number, run in enumerate(figures, start=1):
                    place = {"test": report.nodeid, "number": number}
                    self._runs.append({**place, **run})

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        self._runs.sort(key=lambda run: (run["test"], run["number"]))
        value = {"memviz": FORMAT, "runs": self._runs}
        text = json.dumps(value, indent=1, ensure_ascii=False)
        self._path.write_text(text + "\n", encoding="utf-8")
