"""Tests that guard a memory: any object replayed over the conversations of a test, and what is asserted of it.

Begin with ``replay`` (``memory_run``), which gives a ``MemoryRun``: ``keeps``, ``facts``, ``usd``, ``has_no_thrash``
and ``verify``. ``UnderTest`` (``under_test``) is the object as a strategy, ``memory_object`` (``objects``) how one is
talked to, ``read_conversations`` (``conversations``) what it is replayed over. What is false is a ``Verdict``
(``verdicts``) with its reasons, which the pytest plugin, ``memviz_pytest.py`` beside the package, puts below the
failure. Two suites are compared in ``memviz/cli/suite_figures.py``.

It says why with the words of the dashboard, and knows no page, no database and no pytest.
"""

from memviz.testing.memory_run import Facts, MemoryRun, replay
from memviz.testing.objects import UnknownMemoryError
from memviz.testing.verdicts import Verdict

__all__ = ["Facts", "MemoryRun", "UnknownMemoryError", "Verdict", "replay"]
