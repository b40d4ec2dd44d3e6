"""Work in a thread of its own that ends in an error nobody foresaw."""

from __future__ import annotations

import logging

import pytest

from memviz.core.background import BackgroundWork
from memviz.core.errors import MemvizError

WAIT_SECONDS = 20.0


class FailingWork(BackgroundWork):
    """Work that ends in an error."""

    def __init__(self, error: Exception) -> None:
        super().__init__("memviz test")
        self._error = error
        self._begin()

    def _work(self) -> None:
        raise self._error


def test_an_error_that_nobody_foresaw_is_a_sentence_and_its_traceback_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR, "memviz.core.background"):
        work = FailingWork(KeyError("a word of the conversation"))
        assert work.wait(WAIT_SECONDS)
    sentence = str(work.error)
    assert isinstance(work.error, MemvizError)
    assert "(KeyError)" in sentence
    assert "a word of the conversation" not in sentence
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is KeyError


def test_an_error_of_memviz_is_the_sentence_itself() -> None:
    error = MemvizError("The budget is spent.")
    work = FailingWork(error)
    assert work.wait(WAIT_SECONDS)
    assert work.error is error
